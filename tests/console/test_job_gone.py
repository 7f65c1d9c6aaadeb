"""A job that is not here: the page says so, shows what is left, and reads itself no more."""

from __future__ import annotations

from tests.console.scene import HX, A, text

URL = f"/q/prod/orders/job/{A}"


def test_an_unknown_job_is_a_404_page_with_ways_on(scene, browser):
    scene.dead("JOBother")
    answer = browser().get(URL)
    html = answer.content.decode()
    assert answer.status_code == 404
    assert "This job is not here" in text(html)
    assert 'href="/q/prod/orders/active"' in html
    assert f'href="/find?q={A}"' in html
    assert "data-poll" not in html


def test_a_poll_of_a_job_that_has_gone_gets_a_fragment_that_ends_it(scene, browser):
    scene.active(A, 30_000)
    who = browser()
    assert "data-still" not in who.get(URL, headers=HX).content.decode()
    scene.store.delete(scene.key(f"job:{A}"))
    scene.store.zrem(scene.key("active"), A)
    scene.store.hset(scene.key("metrics:completed"), "count", 1)
    answer = who.get(URL, headers=HX)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "data-still" in html
    assert "This job is not here" in text(html)
    assert "<html" not in html


def test_side_keys_that_were_left_behind_are_shown(scene, browser):
    scene.dead("JOBother")
    scene.store.rpush(scene.key(f"job:{A}:logs"), "late line")
    scene.store.set(scene.key(f"job:{A}:lock"), "worker-1")
    scene.store.hset(scene.key(f"job:{A}:processed"), "JOBchild", "1")
    html = browser().get(URL).content.decode()
    said = text(html)
    assert "This job is not here" in said
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
