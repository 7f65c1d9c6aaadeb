"""Drain and obliterate: what they show, that they take no more, and how they go on by steps."""

from __future__ import annotations

import re

import pytest

from echomq_admin.console.acting import marching, stepping
from echomq_admin.operations.refusals import Unreachable
from tests.console.confirming import Q, ask, confirm, html, scheduled
from tests.console.scene import HX, A, B, C, G, dump, tags, text, value

SEALED = ("op_id", "shown", "back", "look")


@pytest.fixture
def quick(monkeypatch):
    """Small steps, one a request."""
    monkeypatch.setattr(marching, "BUDGET", 2)
    monkeypatch.setattr(stepping, "WORKS_S", 0.0)


def press_on(who, answer, verb: str, **fields: str):
    """Send the form of a progress page."""
    carried = value(html(answer), "march")
    return who.post(f"{Q}/{verb}", {"march": carried} | fields, follow=True)


def test_a_drain_shows_how_many_and_which_and_needs_the_name(scene, browser):
    for job_id in (A, B):
        scene.pending(job_id)
    scene.pending(C, group=G)
    scheduled(scene, "JOB0KHTOWnGLuE")
    before = dump(scene.store)
    page = ask(who := browser("admin"), "drain")
    said = text(page)
    assert "Pending 2 deleted with row and logs" in said
    assert "Scheduled 1 deleted too, only if you tick it below" in said
    assert f"{A} {B} JOB0KHTOWnGLuE" in said
    assert "it cannot be taken back" in said
    for typed in ("", "order"):
        assert "Type the queue's name" in text(html(confirm(who, "drain", page, typed=typed)))
    assert dump(scene.store) == before
    answer = confirm(who, "drain", page, typed="orders")
    assert "2 jobs deleted of 2 jobs shown" in text(html(answer))
    assert "Those there when it began were those shown" in text(html(answer))
    assert not scene.store.exists(scene.key(f"job:{A}"))
    assert scene.members(f"g:{G}:pending") == [C.encode()]
    assert scene.members("schedule") == [b"JOB0KHTOWnGLuE"]


def test_a_drain_takes_the_scheduled_jobs_when_they_are_ticked(scene, browser):
    scene.pending(A)
    scheduled(scene, B, at=scene.now_ms() + 60_000)
    page = ask(who := browser("admin"), "drain")
    answer = confirm(who, "drain", page, typed="orders", include_schedule="on")
    assert "2 jobs deleted of 2 jobs shown" in text(html(answer))
    assert scene.members("schedule") == []


def test_a_drain_of_more_than_was_shown_is_refused(scene, browser):
    scene.pending(A)
    page = ask(who := browser("admin"), "drain")
    scene.pending(B)
    said = text(html(confirm(who, "drain", page, typed="orders")))
    assert "pending: 1 shown, 2 now" in said
    assert len(scene.members("pending")) == 2


def many(scene, count: int) -> list[str]:
    made = [f"JOB0KHTOWnG{number:03}" for number in range(count)]
    for job_id in made:
        scene.pending(job_id)
    return made


def test_a_long_drain_goes_on_from_request_to_request_without_a_new_consent(scene, browser, quick):
    many(scene, 7)
    who = browser("admin")
    answer = confirm(who, "drain", ask(who, "drain"), typed="orders")
    seen = []
    while "drained" not in text(html(answer)):
        seen.append(re.search(r"\d of 7 jobs deleted", text(html(answer)))[0][0])
        answer = press_on(who, answer, "drain")
    assert seen == ["2", "4", "6"]
    assert "7 jobs deleted, 7 were shown" in text(html(answer))
    assert "Only their number is held to" in text(html(answer))
    assert scene.members("pending") == []


def test_a_drain_never_takes_more_than_was_shown(scene, browser, quick):
    many(scene, 3)
    who = browser("admin")
    answer = confirm(who, "drain", ask(who, "drain"), typed="orders")
    scene.pending("JOB0KHTOWnGzza")
    scene.pending("JOB0KHTOWnGzzb")
    said = text(html(press_on(who, answer, "drain")))
    assert "3 jobs deleted, 3 were shown" in said
    assert "Others came since the confirmation and were left" in said
    assert len(scene.members("pending")) == 2


def test_jobs_that_were_claimed_meanwhile_are_told_apart(scene, browser, quick):
    many(scene, 5)
    who = browser("admin")
    answer = confirm(who, "drain", ask(who, "drain"), typed="orders")
    scene.store.zrem(scene.key("pending"), "JOB0KHTOWnG004")
    answer = press_on(who, answer, "drain")
    assert "4 jobs deleted, 5 were shown" in text(html(answer))
    assert "At least 1 was claimed, moved or deleted by others meanwhile" in text(html(answer))


def test_a_stopped_drain_leaves_the_rest_whole(scene, browser, quick):
    made = many(scene, 5)
    who = browser("admin")
    answer = confirm(who, "drain", ask(who, "drain"), typed="orders")
    stopped = press_on(who, answer, "drain", stop="1")
    assert "Drain stopped: 2 jobs of 5 deleted, the rest stays" in text(html(stopped))
    # A step that the page sent beside the stop comes too late.
    assert "Drain stopped: 2 jobs of 5" in text(html(press_on(who, answer, "drain")))
    assert [job.decode() for job in scene.members("pending")] == made[2:]
    assert all(scene.store.exists(scene.key(f"job:{job}")) for job in made[2:])


def test_a_stop_beside_a_step_tells_only_the_least_that_was_done(scene, browser, quick):
    many(scene, 7)
    who = browser("admin")
    answer = confirm(who, "drain", ask(who, "drain"), typed="orders")
    press_on(who, answer, "drain")
    stopped = press_on(who, answer, "drain", stop="1")
    assert "Drain stopped: at least 2 jobs of 7 deleted" in text(html(stopped))
    assert len(scene.members("pending")) == 3


def test_a_step_that_is_sent_twice_is_done_once(scene, browser, quick):
    made = many(scene, 7)
    who = browser("admin")
    first = confirm(who, "drain", ask(who, "drain"), typed="orders")
    for _ in range(3):
        again = press_on(who, first, "drain")
        assert "4 of 7 jobs deleted" in text(html(again))
    assert [job.decode() for job in scene.members("pending")] == made[4:]


def test_steps_of_another_person_another_queue_or_nobody_are_refused(scene, browser, quick):
    many(scene, 5)
    scene.store.zadd("emq:{other}:pending", {A: 0})
    who = browser("admin")
    answer = confirm(who, "drain", ask(who, "drain"), typed="orders")
    carried = value(html(answer), "march")
    before = dump(scene.store)
    stranger = browser("nobody")
    stranger.cookies.clear()
    tries = [
        (who, f"{Q}/drain", "forged"),
        (who, "/q/prod/other/drain", carried),
        (who, f"{Q}/obliterate", carried),
    ]
    for person, url, march in tries:
        said = text(html(person.post(url, {"march": march}, follow=True)))
        assert "was not written by the console for you" in said
    assert browser("operator").post(f"{Q}/drain", {"march": carried}).status_code == 403
    assert stranger.post(f"{Q}/drain", {"march": carried}).status_code == 302
    assert dump(scene.store) == before


def test_a_step_without_an_answer_is_repeated_as_it_was(scene, browser, quick, monkeypatch):
    made = many(scene, 5)
    who = browser("admin")
    answer = confirm(who, "drain", ask(who, "drain"), typed="orders")
    real = stepping.perform

    def lost(user, call):
        real(user, call)
        raise Unreachable("prod did not answer this drain.")

    monkeypatch.setattr(stepping, "perform", lost)
    carried = value(html(answer), "march")
    answer = who.post(f"{Q}/drain", {"march": carried})
    assert answer.status_code == 503
    assert "Drain again" in text(answer.content.decode())
    assert value(answer.content.decode(), "march") == carried
    monkeypatch.setattr(stepping, "perform", real)
    answer = who.post(f"{Q}/drain", {"march": carried}, follow=True)
    assert "4 of 5 jobs deleted" in text(html(answer))
    assert [job.decode() for job in scene.members("pending")] == made[4:]


def whole_queue(scene) -> None:
    scene.pending(A)
    scene.pending(B, group=G)
    scene.dead(C)
    scheduled(scene, "JOB0KHTOWnGLuE", at=scene.now_ms() + 60_000)
    scene.store.rpush(scene.key("ring"), G)
    scene.store.hset(scene.key("glimit"), G, 2)
    scene.store.hset(scene.key("metrics:completed"), "count", 7)
    scene.store.rpush(scene.key(f"job:{A}:logs"), "a line")
    scene.store.set(scene.key("de:key"), "JOB0KHTOWnGGone")


def test_obliterate_is_not_offered_a_button_until_the_queue_is_paused(scene, browser):
    whole_queue(scene)
    page = ask(browser("admin"), "obliterate")
    assert "Pause it first" in text(page)
    assert 'name="typed"' not in page


def test_obliterate_shows_all_by_kind_and_what_stays_and_does_that(scene, browser):
    whole_queue(scene)
    scene.store.hset(scene.key("meta"), "paused", 1)
    page = ask(who := browser("admin"), "obliterate")
    said = text(page)
    for fact in (
        "Pending 1",
        "In lanes 1 in 1 lane",
        "Scheduled 1",
        "Dead 1",
        "Limits of lanes 1",
        "Completed 7 the counter starts over",
    ):
        assert fact in said
    assert "What stays: the audit of the queue" in said
    answer = confirm(who, "obliterate", page, typed="orders")
    assert "queue orders obliterated; its audit stays" in text(html(answer))
    assert "4 jobs of it were shown before" in text(html(answer))
    left = set(scene.store.keys("emq:*"))
    assert left == {scene.key("de:key")}


def test_obliterate_is_refused_when_there_is_more_than_was_shown(scene, browser):
    whole_queue(scene)
    scene.store.hset(scene.key("meta"), "paused", 1)
    page = ask(who := browser("admin"), "obliterate")
    scene.dead("JOB0KHTOWnGLuF")
    before = dump(scene.store)
    assert "dead: 1 shown, 2 now" in text(
        html(confirm(who, "obliterate", page, typed="orders", force=""))
    )
    assert dump(scene.store) == before


def test_active_jobs_go_only_by_force(scene, browser):
    scene.active(A, 30_000)
    scene.store.hset(scene.key("meta"), "paused", 1)
    page = ask(who := browser("admin"), "obliterate")
    assert "Active 1 only by force" in text(page)
    answer = confirm(who, "obliterate", page, typed="orders")
    assert "has active jobs, so nothing was deleted" in text(html(answer))
    assert scene.members("active") == [A.encode()]
    page = ask(who, "obliterate")
    answer = confirm(who, "obliterate", page, typed="orders", force="on")
    assert "queue orders obliterated" in text(html(answer))
    assert scene.members("active") == []


def test_a_long_obliterate_can_be_stopped_and_the_queue_stays_paused(scene, browser, monkeypatch):
    many(scene, 5)
    scene.store.hset(scene.key("meta"), "paused", 1)
    monkeypatch.setattr(stepping, "WORKS_S", 0.0)
    who = browser("admin")
    page = ask(who, "obliterate")
    answer = confirm(who, "obliterate", page, typed="orders", budget="2")
    assert "2 of 5 jobs deleted" in text(html(answer))
    answer = press_on(who, answer, "obliterate")
    assert "4 of 5 jobs deleted" in text(html(answer))
    answer = press_on(who, answer, "obliterate", stop="1")
    said = text(html(answer))
    assert "Obliterate stopped: 4 jobs of 5 deleted" in said
    assert "The queue stays paused" in said
    assert len(scene.members("pending")) == 1


def test_a_queue_that_is_resumed_in_between_ends_it_and_says_what_was_done(
    scene, browser, monkeypatch
):
    many(scene, 5)
    scene.store.hset(scene.key("meta"), "paused", 1)
    monkeypatch.setattr(stepping, "WORKS_S", 0.0)
    who = browser("admin")
    answer = confirm(who, "obliterate", ask(who, "obliterate"), typed="orders", budget="2")
    scene.store.hdel(scene.key("meta"), "paused")
    said = text(html(press_on(who, answer, "obliterate")))
    assert "is not paused, so nothing was deleted in this step" in said
    assert "Before that 2 jobs of 5 had been deleted" in said
    assert len(scene.members("pending")) == 3


def test_the_progress_is_a_part_of_the_page_for_htmx(scene, browser, quick):
    many(scene, 5)
    who = browser("admin")
    page = ask(who, "drain")
    data = {name: value(page, name) for name in SEALED} | {"typed": "orders"}
    answer = who.post(f"{Q}/drain", data, headers=HX)
    assert "<html" not in html(answer)
    form = next(a for tag, a in tags(html(answer)) if tag == "form" and a.get("hx-trigger"))
    assert form["hx-trigger"].startswith("load")
    assert form["hx-target"] == "#live"


def test_a_drain_without_scheduled_jobs_speaks_of_nothing_to_tick(scene, browser):
    scene.pending(A)
    said = text(ask(browser("admin"), "drain"))
    assert "Scheduled 0" in said
    assert "tick it below" not in said


def test_an_obliteration_says_of_each_kind_what_becomes_of_it(scene, browser):
    scene.pending(A)
    scene.dead(B)
    said = text(ask(browser("admin"), "obliterate"))
    assert "Pending 1 deleted with row and logs" in said
    assert "Dead 1 deleted with row and logs" in said
