"""The sweep's preview and the sweep itself."""

from __future__ import annotations

import pytest

from echomq_admin.console import sweeps
from echomq_admin.emq import EchoMQ
from tests.console.scene import A, B, C, dump, rows, text, value

URL = "/q/prod/orders/sweep"
GHOST = "JOB0KHTOWnGLuD"


def preview(who, query: str = "") -> str:
    answer = who.get(URL + query)
    assert answer.status_code == 200
    return answer.content.decode()


def run(who, html: str, **fields: object):
    names = ("op_id", "seen", "max_stalled", "limit")
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


def test_a_sweep_without_a_preview_of_ours_says_so(scene, browser):
    scene.active(A, -5_000)
    answer = browser().post(URL, {"seen": "forged", "max_stalled": 2, "limit": 10}, follow=True)
    assert "The form carried no preview" in text(answer.content.decode())
    assert scene.members("pending") == [A.encode()]


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
