"""A form of an old page, sent again: its answer is told as one when it holds no more."""

from __future__ import annotations

from tests.console.confirming import Q, ask, confirm, html
from tests.console.pressing import DEAD, URL
from tests.console.scene import A, B, G, dump, keys_of, text, value
from tests.console.walking import fields_of

AGAIN = "Nothing was done now: this was done"


def test_a_queue_that_was_paused_again_is_not_said_to_be_resumed(scene, browser):
    scene.pending(A)
    scene.store.hset(scene.key("meta"), "paused", 1)
    who, other = browser("admin"), browser("admin")
    page = ask(who, "resume")
    assert "queue orders resumed" in text(html(confirm(who, "resume", page)))
    assert "queue orders resumed" in text(html(confirm(who, "resume", page)))
    confirm(other, "pause", ask(other, "pause"))
    before = dump(scene.store)
    said = text(html(confirm(who, "resume", page)))
    assert AGAIN in said
    assert "ago, and the queue was paused since" in said
    assert "The answer of then: queue orders resumed" in said
    assert dump(scene.store) == before


def test_a_queue_that_was_resumed_again_is_not_said_to_be_paused(scene, browser):
    scene.pending(A)
    who = browser("admin")
    page = ask(who, "pause")
    confirm(who, "pause", page)
    scene.store.hdel(scene.key("meta"), "paused")
    assert "and the queue was resumed since" in text(html(confirm(who, "pause", page)))


def test_a_lane_is_judged_as_it_is_now(scene, browser):
    scene.pending(A, group=G)
    scene.pending(B)
    who = browser("admin")
    page = ask(who, "pause_lane", f"?group={G}")
    assert AGAIN not in text(html(confirm(who, "pause_lane", page)))
    assert AGAIN not in text(html(confirm(who, "pause_lane", page)))
    scene.store.srem(scene.key("paused"), G)
    assert "and the lane was resumed since" in text(html(confirm(who, "pause_lane", page)))


def test_a_job_that_is_dead_again_is_not_said_to_be_requeued(scene, browser):
    scene.dead(A)
    who = browser()
    page = who.get(DEAD).content.decode()
    data = {"op_id": value(page, "op_id"), "only": keys_of(page)[A]}
    assert f"{A} requeued" in text(html(who.post(URL, data, follow=True)))
    assert AGAIN not in text(html(who.post(URL, data, follow=True)))
    scene.store.zrem(scene.key("pending"), A)
    scene.dead(A)
    answer = who.post(URL, data, follow=True)
    said = text(html(answer))
    assert f"ago, and {A} is dead again since" in said
    assert scene.members("dead") == [A.encode()]


def test_the_order_of_the_ticks_names_no_other_call(scene, browser):
    for job_id in (A, B):
        scene.dead(job_id)
    who = browser()
    page = who.get(DEAD).content.decode()
    found, op_id = keys_of(page), value(page, "op_id")
    asked = who.post(URL, {"op_id": op_id, "job": [found[A], found[B]]}).content.decode()
    fields = fields_of(asked)
    who.post(URL, fields | {"job": [found[A], found[B]]})
    answer = who.post(URL, fields | {"job": [found[B], found[A]]}, follow=True)
    assert "2 requeued" in text(html(answer))
    assert scene.store.xlen(scene.admin + b"audit") == 1


def test_one_job_at_a_time_is_said_before_anything_is_asked(scene, browser):
    for job_id in (A, B):
        scene.active(job_id, 30_000)
    who = browser("admin")
    for verb in ("extend", "recover_now", "update_payload"):
        for answer in (
            who.get(f"{Q}/{verb}?job=::{A}&job=::{B}", follow=True),
            who.post(f"{Q}/{verb}", {"job": [f"::{A}", f"::{B}"]}, follow=True),
        ):
            assert "works on one job at a time, not on 2" in text(html(answer))


def test_more_jobs_than_a_call_takes_are_refused_before_anything_is_asked(scene, browser):
    scene.dead(A)
    jobs = [f"::JOB{n:011}" for n in range(10_001)]
    answer = browser("admin").post(f"{Q}/remove", {"job": jobs}, follow=True)
    said = text(html(answer))
    assert "Remove takes at most 10,000 jobs at a time, and 10,001 were ticked" in said
    assert 'name="shown"' not in html(answer)
