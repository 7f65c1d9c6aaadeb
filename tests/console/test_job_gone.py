"""A job that is not here: the page says so, shows what is left, and reads itself no more."""

from __future__ import annotations

from django.contrib.auth.models import User

from echomq_admin.emq import EchoMQ
from echomq_admin.operations import services
from echomq_admin.operations.services import Call
from tests.console.scene import HX, A, B, tags, text
from tests.ledger.endings.made import ending

URL = f"/q/prod/orders/job/{A}"


def test_an_unknown_job_is_a_404_page_with_ways_on(scene, browser):
    scene.dead("JOBother")
    answer = browser().get(URL)
    html = answer.content.decode()
    assert answer.status_code == 404
    assert "No job of this id is here" in text(html)
    assert "finished or was removed since" not in text(html)
    assert 'href="/q/prod/orders/active"' in html
    assert f'href="/find?q={A}"' in html
    assert "data-poll" not in html


def poll(who, html: str) -> str:
    """What a poll of that page is answered: it sends what the page says that it has."""
    sent: dict[str, list[str]] = {}
    for tag, given in tags(html):
        if tag == "input" and given.get("name") in {"had", "have"}:
            sent.setdefault(given["name"], []).append(given["value"])
    answer = who.get(URL, sent, headers=HX)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_poll_of_a_job_that_has_gone_ends_the_page_and_keeps_what_it_had(scene, browser):
    scene.active(A, 30_000)
    who = browser()
    seen = poll(who, who.get(URL).content.decode())
    assert "data-still" not in seen
    scene.store.delete(scene.key(f"job:{A}"))
    scene.store.zrem(scene.key("active"), A)
    scene.store.hset(scene.key("metrics:completed"), "count", 1)
    html = poll(who, seen)
    said = text(html)
    assert "data-still" in html
    assert "It was here at the last read; it has finished or was removed since." in said
    assert "This page has stopped reading." in said
    assert "As last read, before" in said
    # An empty place that the page keeps its own content in.
    assert '<div class="job-kept" id="kept" data-kept></div>' in html
    assert "just now" not in said
    assert " ago" not in said
    assert "<html" not in html


def test_a_job_that_the_audit_names_was_here(scene, browser):
    scene.dead(A)
    scene.dead("JOBother")
    EchoMQ(scene.store).remove("orders", [A], actor="olena")
    answer = browser().get(URL)
    assert answer.status_code == 200
    assert "The console’s audit of this queue names it" in text(answer.content.decode())
    answer = browser().get("/q/prod/orders/job/JOBnever")
    assert answer.status_code == 404
    assert "No job of this id is here" in text(answer.content.decode())


def test_a_job_that_only_the_ledger_knows_was_here_and_has_a_history(scene, browser):
    scene.dead("JOBother")
    ending(A)
    answer = browser().get(URL)
    said = text(answer.content.decode())
    assert answer.status_code == 200
    assert "The ledger has leases of it" in said
    assert f'hx-get="{URL}/history"' in answer.content.decode()
    ending(B, queue="others")
    assert browser().get(URL.replace(A, B)).status_code == 404


def test_side_keys_that_were_left_behind_are_shown(scene, browser):
    scene.dead("JOBother")
    scene.store.rpush(scene.key(f"job:{A}:logs"), "late line")
    scene.store.set(scene.key(f"job:{A}:lock"), "worker-1")
    scene.store.hset(scene.key(f"job:{A}:processed"), "JOBchild", "1")
    html = browser().get(URL).content.decode()
    said = text(html)
    assert "No job of this id is here" in said
    assert "worker-1, never expires" in said
    assert "1 line, newest at the bottom" in said
    assert "Processed 1" in said


def test_a_job_of_an_unknown_queue_or_server_is_a_404(scene, browser):
    for url in (f"/q/prod/nowhere/job/{A}", f"/q/none/orders/job/{A}"):
        answer = browser().get(url)
        assert answer.status_code == 404
        assert "data-poll" not in answer.content.decode()


def test_a_poll_ends_as_well_when_the_whole_queue_has_gone(scene, browser):
    html = browser().get(f"/q/prod/nowhere/job/{A}", headers=HX).content.decode()
    assert "data-still" in html


def test_a_row_in_a_queue_that_nothing_else_tells_of_has_its_page(scene, browser):
    scene.row(A, state="awaiting_children")
    answer = browser().get(URL)
    assert answer.status_code == 200
    assert "it waits for its children" in text(answer.content.decode())


def test_raw_and_log_of_a_job_that_is_not_here(scene, browser):
    scene.dead("JOBother")
    assert browser().get(URL + "/raw").status_code == 404
    answer = browser().get(URL + "/logs")
    assert answer.status_code == 200
    assert "No log line is kept." in text(answer.content.decode())


def test_a_job_is_not_said_to_be_gone_while_a_set_cannot_be_read(scene, browser):
    scene.dead("JOBother")
    scene.store.set(scene.key("pending"), "x")
    answer = browser().get(URL)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert 'data-poll="2000"' in html
    assert "No set holds its id" not in text(html)


def test_a_job_in_the_trash_is_said_to_be_there_with_the_way_to_it(scene, browser):
    scene.dead(A)
    scene.dead(B)
    who = browser("admin")
    admin = User.objects.get(username="admin-olena")
    services.perform(admin, Call("remove", "prod", "orders", [A]))
    answer = browser("viewer").get(URL)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "This job is in the trash" in text(html)
    assert 'href="/trash?server=prod&amp;queue=orders"' in html
    services.perform(admin, Call("restore", "prod", "orders", [A]))
    assert "in the trash" not in text(who.get(URL).content.decode())
