"""The page of the trash, and the way back of its jobs."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User

from echomq_admin.operations import services
from echomq_admin.operations.models import Trashed
from echomq_admin.operations.services import Call
from tests.console.scene import HX, A, B, C, G, dump, rows, tags, text
from tests.console.walking import fields_of

RESTORE = "/q/prod/orders/restore"


@pytest.fixture
def removed(scene, browser):
    """Removes jobs of the scene as an admin."""

    def remove(*jobs: str, queue: str = "orders", **given: object) -> None:
        browser("admin")
        admin = User.objects.get(username="admin-olena")
        call = Call("remove", "prod", queue, jobs, args={"force": True}, **given)
        services.perform(admin, call)

    return remove


def form_of(html: str, name: str) -> dict[str, str]:
    """The fields of the form whose button names this job."""
    forms = re.findall(r'<form method="post" action="([^"]+)".*?</form>', html, re.DOTALL)
    assert set(forms) == {RESTORE}
    (form,) = [
        found
        for found in re.findall(r"<form method=\"post\".*?</form>", html, re.DOTALL)
        if f"Restore {name}" in text(found)
    ]
    return {
        attrs["name"]: attrs["value"] or ""
        for tag, attrs in tags(form)
        if tag == "input" and attrs["name"] != "csrfmiddlewaretoken"
    }


def test_a_removed_job_is_listed_with_where_it_was_by_whom_and_why(browser, scene, removed):
    scene.pending(A, group=G)
    scene.pending(B)
    removed(A, reason="sent twice")

    (row,) = rows(browser("viewer").get("/trash").content.decode())
    assert row.startswith(f" {A} prod/orders lane {G} 0 ")
    assert "admin-olena: sent twice" in row


def test_the_name_of_a_job_leads_to_what_people_did_with_it(browser, scene, removed):
    scene.dead(A)
    scene.dead(B)
    removed(A)
    who = browser("viewer")
    links = [a["href"] for tag, a in tags(who.get("/trash").content.decode()) if tag == "a"]
    (href,) = [href for href in links if href and href.startswith("/trail?")]

    assert "remove by admin-olena" in text(who.get(href).content.decode())


def test_the_newest_removal_comes_first_and_queues_are_apart(browser, scene, removed):
    for job in (A, B, C):
        scene.dead(job)
        removed(job)
    who = browser("viewer")

    assert [row.split()[0] for row in rows(who.get("/trash").content.decode())] == [C, B, A]
    there = who.get("/trash?server=prod&queue=orders").content.decode()
    assert len(rows(there)) == 3
    assert "of queue orders on prod" in text(there)
    assert rows(who.get("/trash?server=prod&queue=others").content.decode()) == []


def test_one_click_restores_the_job_and_the_page_says_so(browser, scene, removed):
    scene.dead(A, last_error=b"\xff boom")
    before = dump(scene.store)
    removed(A)
    who = browser("admin")
    fields = form_of(who.get("/trash").content.decode(), A)

    page = who.post(RESTORE, fields, follow=True)
    assert page.redirect_chain[-1][0].startswith("/trash?did=")
    assert "restored" in text(page.content.decode())
    assert rows(page.content.decode()) == []
    after = {key: value for key, value in dump(scene.store).items() if key.startswith(b"emq:")}
    assert after == before


def test_a_second_click_restores_nothing_twice(browser, scene, removed):
    scene.dead(A)
    removed(A)
    who = browser("admin")
    fields = form_of(who.get("/trash").content.decode(), A)
    who.post(RESTORE, fields)
    before = dump(scene.store)

    assert "restored" in text(who.post(RESTORE, fields, follow=True).content.decode())
    assert dump(scene.store) == before


def test_an_id_that_lives_again_is_left_and_stays_in_the_trash(browser, scene, removed):
    scene.dead(A)
    removed(A)
    scene.pending(A)
    who = browser("admin")
    fields = form_of(who.get("/trash").content.decode(), A)

    html = who.post(RESTORE, fields, follow=True).content.decode()
    assert "exists again" in text(html)
    assert len(rows(html)) == 1


def test_the_last_job_of_a_queue_comes_back_though_the_queue_was_gone(browser, scene, removed):
    scene.dead(A)
    removed(A)
    assert not scene.store.keys("emq:*")
    who = browser("admin")

    who.post(RESTORE, form_of(who.get("/trash").content.decode(), A))
    assert scene.members("dead") == [A.encode()]


def test_all_of_a_queue_that_are_shown_go_back_after_a_confirmation(browser, scene, removed):
    for job in (A, B):
        scene.dead(job)
    removed(A, B)
    who = browser("admin")
    html = who.get("/trash?server=prod&queue=orders").content.decode()
    assert "Restore these 2 jobs…" in text(html)
    keys = [a["value"] for tag, a in tags(html) if tag == "input" and a.get("name") == "job"]

    asked = who.post(RESTORE, {"job": keys, "back": "trash", "look": "server=prod&queue=orders"})
    assert not scene.members("dead")
    done = who.post(RESTORE, fields_of(asked.content.decode()), follow=True)
    assert done.redirect_chain[-1][0].startswith("/trash?server=prod&queue=orders&did=")
    assert scene.members("dead") == [A.encode(), B.encode()]


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_who_may_not_restore_is_offered_nothing_and_refused(browser, scene, removed, role):
    scene.dead(A)
    removed(A)
    before = dump(scene.store)
    who = browser(role)

    assert RESTORE not in who.get("/trash").content.decode()
    assert who.post(RESTORE, {"only": f"3::{A}"}).status_code == 403
    assert dump(scene.store) == before


def test_a_console_that_is_read_only_offers_nothing(browser, scene, removed, settings):
    scene.dead(A)
    removed(A)
    settings.EMQ_READ_ONLY = True

    html = browser("admin").get("/trash").content.decode()
    assert len(rows(html)) == 1
    assert RESTORE not in html


def test_a_server_that_is_configured_no_more_offers_nothing(browser, scene, removed):
    scene.dead(A)
    removed(A)
    Trashed.objects.update(server="gone")

    html = browser("admin").get("/trash").content.decode()
    assert "gone/orders" in text(html)
    assert RESTORE not in html


def test_a_removal_that_is_not_known_to_be_done_is_not_shown(browser, scene, removed):
    scene.dead(A)
    removed(A)
    Trashed.objects.update(is_removed=False)

    assert "Nothing to restore" in text(browser("admin").get("/trash").content.decode())


@pytest.mark.parametrize(
    "query", ["cursor=x", "queue=~%21", "rows=9", "server=" + "x" * 500, "cursor=-1.1"]
)
def test_an_address_that_nobody_wrote_is_answered(browser, scene, removed, query):
    scene.dead(A)
    removed(A)

    assert browser("viewer").get(f"/trash?{query}").status_code == 200


def test_names_that_are_hostile_are_text(browser, scene, removed):
    name = "<img src=x onerror=alert(1)>"
    scene.dead(name, group='"><script>')
    removed(name, reason="</td><script>alert(1)</script>")

    html = browser("admin").get("/trash").content.decode()
    assert "<script>alert" not in html
    assert "<img" not in html
    assert "alert(1)" in text(html)


def test_the_answer_to_htmx_is_a_part_of_the_page(browser, scene, removed):
    scene.dead(A)
    removed(A)

    html = browser("viewer").get("/trash", headers=HX).content.decode()
    assert "<html" not in html
    assert len(rows(html)) == 1


def test_the_trash_page_asks_the_server_nothing_and_the_database_little(
    browser, scene, removed, django_assert_max_num_queries
):
    for n in range(30):
        scene.dead(f"JOB{n:011d}")
    removed(*(f"JOB{n:011d}" for n in range(30)))
    who = browser("admin")
    who.get("/trash")

    with django_assert_max_num_queries(20):
        who.get("/trash")


def test_of_a_job_that_was_in_two_sets_it_is_said_where_it_goes_back_to(browser, scene, removed):
    scene.dead(A)
    scene.store.zadd(scene.key("schedule"), {A: 10**15})
    removed(A)

    (row,) = rows(browser("viewer").get("/trash").content.decode())
    assert "scheduled, dead; goes back to scheduled" in row
