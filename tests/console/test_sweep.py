"""The sweep's preview and the sweep itself."""

from __future__ import annotations

import pytest

from echomq_admin.console import sweeps
from echomq_admin.console.acting import lapsed
from echomq_admin.emq import EchoMQ
from echomq_admin.operations.services import perform
from tests.console.scene import A, B, C, dump, rows, text, value

URL = "/q/prod/orders/sweep"
GHOST = "JOB0KHTOWnGLuD"


def preview(who, query: str = "") -> str:
    answer = who.get(URL + query)
    assert answer.status_code == 200
    return answer.content.decode()


def run(who, html: str, **fields: object):
    names = ("op_id", "seen", "shown", "take", "max_stalled", "limit")
    # The form of the preview comes first and has the two numbers as well.
    data = {name: value(html, name) for name in names} | fields
    return who.post(URL, data, follow=True)


def test_the_form_starts_at_two_stalls_and_a_hundred_leases(scene, browser):
    scene.active(A, 30_000)
    html = preview(browser())
    assert (value(html, "max_stalled"), value(html, "limit")) == ("2", "100")
    assert "No lease has lapsed" in text(html)


def test_a_preview_says_where_each_lapsed_lease_would_go_and_changes_nothing(scene, browser):
    scene.active(A, -5_000, stalled=1)
    scene.active(B, -4_000)
    scene.active(C, 30_000)
    scene.store.zadd(scene.key("active"), {GHOST: 1})
    before = dump(scene.store)
    html = preview(browser())
    said = {job: next(row for row in rows(html) if job in row) for job in (A, B, GHOST)}
    assert "sends it to dead, stall 2" in said[A]
    assert "recovers it into pending, stall 1" in said[B]
    assert "row missing" in said[GHOST]
    assert not any(C in row for row in rows(html))
    assert "3 lapsed: this sweep recovers 1, sends 1 to dead; 1 row missing, id dropped" in text(
        html
    )
    assert "Sweep 3" in text(html)
    assert dump(scene.store) == before


def test_a_preview_names_the_lane_that_a_job_goes_back_to(scene, browser):
    scene.active(A, -5_000, group="express")
    assert "recovers it into lane express, stall 1" in rows(preview(browser()))[0]


@pytest.mark.parametrize(("max_stalled", "fate"), [(1, "dead"), (2, "recovers")])
def test_the_preview_judges_for_the_chosen_max_stalled(scene, browser, max_stalled, fate):
    scene.active(A, -5_000)
    assert fate in rows(preview(browser(), f"?max_stalled={max_stalled}"))[0]


def test_the_limit_cuts_the_preview_and_the_number_on_the_button(scene, browser):
    for number in range(5):
        scene.active(f"JOB0KHTOWnGL{number:02}", -5_000 + number)
    said = text(preview(browser(), "?limit=2"))
    assert "5 lapsed" in said
    assert "Sweep 2" in said
    assert "leaves the rest for another" in said


@pytest.mark.parametrize("query", ["?max_stalled=0", "?max_stalled=abc", "?limit=0", "?limit=1e9"])
def test_numbers_out_of_range_are_said_beside_their_field(scene, browser, query):
    scene.active(A, -5_000)
    html = preview(browser(), query)
    assert "field-error" in html
    assert "Sweep 1" not in text(html)


def test_a_sweep_does_what_its_preview_showed(scene, browser):
    scene.active(A, -5_000, stalled=1)
    scene.active(B, -4_000)
    who = browser()
    answer = run(who, preview(who))
    said = text(answer.content.decode())
    assert scene.members("dead") == [A.encode()]
    assert scene.members("pending") == [B.encode()]
    assert "1 recovered, 1 dead" in said
    assert "all went as previewed" in said


def test_an_orphan_is_dropped_and_leaves_no_ghost_row(scene, browser):
    scene.pending(B)
    scene.store.zadd(scene.key("active"), {A: 1})
    who = browser()
    html = preview(who)
    assert "row missing" in rows(html)[0]
    run(who, html)
    assert scene.store.exists(scene.key(f"job:{A}")) == 0
    assert scene.members("active") == scene.members("dead") == []
    assert scene.members("pending") == [B.encode()]


def test_differences_to_the_preview_are_explained(scene, browser):
    for job_id in (A, B, C):
        scene.active(job_id, -5_000)
    scene.active(GHOST, 60_000)
    who = browser()
    html = preview(who)
    now = scene.now_ms()
    scene.store.zadd(scene.key("active"), {A: now + 60_000, GHOST: now - 1})
    scene.store.zrem(scene.key("active"), B)
    scene.store.delete(scene.key(f"job:{B}"))
    html = run(who, html).content.decode()
    said = text(html)
    assert "1 was renewed meanwhile" in said
    assert "1 was completed or removed meanwhile" in said
    assert "1 lapsed after the preview" in said
    assert "Previewed 3 jobs, swept 2 jobs" in said
    by_id = {job: next(row for row in rows(html) if job in row) for job in (A, B, C, GHOST)}
    assert "recovered renewed, left to its worker" in by_id[A]
    assert "recovered completed or removed before" in by_id[B]
    assert "recovered recovered" in by_id[C]
    assert "not yet lapsed recovered" in by_id[GHOST]


@pytest.mark.parametrize("shown", ["", "forged"])
def test_a_sweep_that_nobody_was_shown_is_refused(scene, browser, shown):
    scene.active(A, -5_000)
    before = dump(scene.store)
    fields = {"seen": shown, "shown": shown, "take": 1, "max_stalled": 2, "limit": 10}
    answer = browser().post(URL, fields, follow=True)
    assert "was not written by the console for you" in text(answer.content.decode())
    assert dump(scene.store) == before


def test_a_preview_of_another_person_is_refused(scene, browser):
    scene.active(A, -5_000)
    html = preview(browser())
    answer = run(browser("admin"), html)
    assert "was not written" in (said := text(answer.content.decode())) or "not what was" in said
    assert scene.members("active") == [A.encode()]


def test_numbers_other_than_those_shown_are_refused(scene, browser):
    scene.active(A, -5_000)
    scene.active(B, -5_000)
    who = browser()
    html = preview(who, "?limit=1")
    for fields in ({"take": "2"}, {"max_stalled": "1"}):
        answer = run(who, html, **fields)
        assert "What is asked is not what was shown" in text(answer.content.decode())
    assert scene.members("active") == [A.encode(), B.encode()]


def test_no_more_leases_are_swept_than_the_button_says(scene, browser):
    scene.active(A, -5_000)
    who = browser()
    html = preview(who)
    assert "Sweep 1 at max stalled 2" in text(html)
    scene.active(B, -4_000)
    answer = run(who, html)
    said = text(answer.content.decode())
    assert "1 of 2 lapsed leases swept" in said
    assert "Preview the rest" in said
    assert scene.members("pending") == [A.encode()]
    assert scene.members("active") == [B.encode()]


def test_a_sweep_that_would_now_kill_more_than_was_shown_is_refused(scene, browser):
    scene.active(A, -5_000)
    who = browser()
    html = preview(who)
    scene.store.hset(scene.key(f"job:{A}"), "stalled", 1)
    answer = run(who, html)
    said = text(answer.content.decode())
    assert "sent to dead: 0 shown, 1 now" in said
    assert "this sweep recovers 0 , sends 1 to dead" in said
    assert scene.members("active") == [A.encode()]


def test_two_hundred_and_fifty_are_swept_in_presses_that_each_say_how_many(scene, browser):
    for number in range(250):
        scene.active(f"JOB0KHTOWnG{number:03}", -5_000)
    who, said = browser(), []
    while "No lease has lapsed" not in text(html := preview(who)):
        said.append(text(run(who, html).content.decode()))
    assert len(said) == 3
    assert "100 of 250 lapsed leases swept" in said[0]
    assert "100 of 150 lapsed leases swept" in said[1]
    assert "50 recovered" in said[2]
    assert len(scene.members("pending")) == 250


def test_the_reason_goes_with_the_sweep(scene, browser, monkeypatch):
    scene.active(A, -5_000)
    calls = []
    monkeypatch.setattr(
        lapsed, "perform", lambda user, call: calls.append(call) or perform(user, call)
    )
    who = browser()
    run(who, preview(who), reason=" the host burnt ")
    assert [call.reason for call in calls] == ["the host burnt"]


@pytest.mark.parametrize("fields", [{"max_stalled": "0"}, {"limit": "x"}, {"limit": "100000"}])
def test_a_sweep_with_bad_numbers_changes_nothing(scene, browser, fields):
    scene.active(A, -5_000)
    before = dump(scene.store)
    who = browser()
    answer = run(who, preview(who), **fields)
    assert answer.status_code == 200
    assert "field-error" in answer.content.decode()
    assert dump(scene.store) == before


def test_a_second_press_of_the_same_form_sweeps_nothing_more(scene, browser):
    scene.active(A, -5_000)
    who = browser()
    html = preview(who)
    run(who, html)
    scene.store.zrem(scene.key("pending"), A)
    scene.active(A, -5_000)
    answer = run(who, html)
    assert "1 recovered" in text(answer.content.decode())
    assert scene.members("active") == [A.encode()]


def test_a_worker_that_renews_keeps_its_job(scene, browser):
    scene.pending(A)
    queue = EchoMQ(scene.store)
    claim = queue.claim("orders", 1)
    scene.store.zadd(scene.key("active"), {A: 1})
    who = browser()
    html = preview(who)
    queue.extend("orders", A, claim.attempts, 60_000)
    said = text(run(who, html).content.decode())
    assert "no lease has lapsed" in said.lower()
    assert "1 was renewed meanwhile" in said
    assert scene.members("active") == [A.encode()]


def test_every_kind_of_difference_has_its_sentence():
    seen = {"a": "recovered", "b": "recovered", "c": "dead", "d": "recovered"}
    done = {"c": "recovered", "x": "dead", "y": "recovered"}
    said = sweeps.differences(seen, done, {"a": "left", "b": "ended", "d": "ended"})
    assert said == [
        "1 was left: the sweep's limit was reached before.",
        "2 were taken back meanwhile by a worker or by another sweep.",
        "2 lapsed after the preview.",
        "1 was recovered, not sent to dead as previewed: the job had changed meanwhile.",
    ]


def test_the_button_says_how_many_it_kills(scene, browser):
    scene.active(A, -5_000)
    scene.active(B, -5_000, stalled=1)
    assert "Sweep 2 at max stalled 2, 1 to dead" in text(preview(browser()))


def test_where_nothing_may_be_swept_no_reason_is_asked_for(scene, browser, settings):
    scene.active(A, -5_000)
    settings.EMQ_READ_ONLY = True
    assert 'name="reason"' not in preview(browser())
