"""A drain takes the jobs that were shown, and says when only their number is known."""

from __future__ import annotations

from tests.console.confirming import ask, confirm, html, scheduled
from tests.console.scene import A, B, C, dump, text


def test_a_drain_takes_no_jobs_that_came_in_place_of_those_shown(scene, browser):
    for job_id in (A, B):
        scene.pending(job_id)
    page = ask(who := browser("admin"), "drain")
    scene.store.zrem(scene.key("pending"), A, B)
    for job_id in (C, "JOB0KHTOWnGzza"):
        scene.pending(job_id)
    before = dump(scene.store)
    answer = confirm(who, "drain", page, typed="orders")
    assert "pending that came since: 0 shown, 2 now" in text(html(answer))
    assert dump(scene.store) == before
    answer = confirm(who, "drain", html(answer), typed="orders")
    assert "2 jobs deleted of 2 jobs shown" in text(html(answer))


def test_scheduled_jobs_that_came_since_matter_only_when_they_are_to_go(scene, browser):
    scene.pending(A)
    scheduled(scene, B, at=scene.now_ms() + 60_000)
    page = ask(who := browser("admin"), "drain")
    scene.store.zrem(scene.key("schedule"), B)
    scheduled(scene, C, at=scene.now_ms() + 60_000)
    before = dump(scene.store)
    answer = confirm(who, "drain", page, typed="orders", include_schedule="on")
    assert "scheduled that came since: 0 shown, 1 now" in text(html(answer))
    assert dump(scene.store) == before
    answer = confirm(who, "drain", page, typed="orders")
    assert "1 job deleted of 1 job shown" in text(html(answer))
    assert scene.members("schedule") == [C.encode()]


def test_a_drain_of_more_than_are_named_is_told_to_go_by_their_number(scene, browser):
    for number in range(25):
        scene.pending(f"JOB0KHTOWnG{number:03}")
    page = ask(who := browser("admin"), "drain")
    scene.store.zrem(scene.key("pending"), "JOB0KHTOWnG024")
    scene.pending("JOB0KHTOWnGzza")
    said = text(html(confirm(who, "drain", page, typed="orders")))
    assert "25 jobs deleted, 25 were shown" in said
    assert "Only their number is held to" in said
