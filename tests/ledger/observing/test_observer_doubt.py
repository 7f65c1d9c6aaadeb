"""Deaths, requeues and burials that no audit names make doubt, and no wrong entry."""

from __future__ import annotations

import pytest

from echomq_admin.emq.audit import Moved
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.sights import Sight
from echomq_admin.emq.touches import Touch, Touches
from echomq_admin.ledger import copying
from echomq_admin.ledger.endings.models import Ending
from echomq_admin.ledger.observing.findings import _touched
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.judge import Window
from echomq_admin.ledger.observing.looks import Ended
from tests.ledger.observing.fleet import (
    DEAD,
    FAILED,
    JOB,
    RECOVERED,
    UNCERTAIN,
    Q,
    error_of,
    told,
)
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db
OTHER = "JOB0KHTOWnGLuB"


def test_a_stall_that_killed_a_job_which_another_program_requeued_is_not_told_as_recovered(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q)
    fleet.reprocess()
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]


def test_the_same_when_it_was_claimed_again(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q)
    fleet.reprocess()
    fleet.claim()
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]


def test_a_late_death_that_another_program_requeued_is_not_told_as_a_reap(fleet):
    token = fleet.start()
    fleet.lapse()
    fleet.emq.retry(Q, JOB, token, 0, 1, "boom")
    fleet.reprocess()
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]


def test_deaths_that_are_seen_make_no_doubt_about_others(fleet):
    fleet.start()
    token = fleet.start(OTHER)
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=9)
    fleet.emq.retry(Q, OTHER, token, 0, 1, "boom")
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED), (OTHER, 1, FAILED)]


def test_a_burial_in_flight_of_which_no_audit_tells_is_no_death(fleet):
    token = fleet.start()
    fleet.beat()
    fleet.emq.bury(Q, [JOB], "poison", tokens={JOB: token})
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]


def test_a_burial_behind_many_other_entries_of_the_audit_is_found(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.emq.bury(Q, [JOB], "poison", actor="olena")
    for at in range(12):
        fleet.emq.pause_lane(Q, f"lane {at}", actor="olena")
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]


def test_deaths_are_counted_also_across_a_restart(fleet):
    fleet.start()
    fleet.lapse()
    fleet.observer.close()
    fleet.emq.sweep(Q, max_stalled=9)
    fleet.restart()
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED)]


def test_without_a_count_of_deaths_what_it_would_tell_stays_open(fleet):
    fleet.client.hset(fleet.key("metrics:failed"), "count", "many")
    fleet.start()
    fleet.start(OTHER)
    fleet.lapse()
    fleet.lapse(OTHER)
    fleet.emq.reap(Q)
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN), (OTHER, 1, UNCERTAIN)]


def test_a_job_that_came_again_within_a_look_does_not_stall_with_the_deadline_of_its_last_life(
    fleet,
):
    token = fleet.start(lease_ms=600_000)
    fleet.beat()
    fleet.emq.complete(Q, JOB, token)
    fleet.start(lease_ms=1)
    wait_for(lambda: fleet.emq.sweep(Q, max_stalled=9).recovered)
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED)]
    ending = Ending.objects.get()
    assert (ending.deadline_ms, ending.renewals) == (None, None)


def test_a_burst_of_endings_beyond_what_one_beat_looks_at_is_told_all_the_same(fleet, monkeypatch):
    from echomq_admin.ledger.observing import observer

    jobs = [f"JOB0KHTOWnGM{at:02}" for at in range(9)]
    for job_id in jobs:
        fleet.start(job_id)
    fleet.beat()
    past = fleet.now_ms() - 60_000
    fleet.client.zadd(fleet.key("active"), {to_wire(job_id): past for job_id in jobs}, xx=True)
    fleet.beat()
    monkeypatch.setattr(observer, "MOST_KNOWN", 4)
    fleet.emq.sweep(Q, max_stalled=1)
    for _ in range(3):
        fleet.beat()
    assert told() == [(job_id, 1, DEAD) for job_id in jobs]


def die_unseen(fleet, job_id: str) -> None:
    """A job is claimed, fails and is dead between two looks."""
    token = fleet.start(job_id)
    fleet.emq.retry(Q, job_id, token, 0, 1, "boom")


def test_deaths_that_nobody_saw_make_no_doubt_while_those_jobs_are_dead(fleet):
    fleet.start()
    fleet.lapse()
    fleet.beat()
    fleet.emq.sweep(Q, max_stalled=9)
    fleet.claim()
    fleet.emq.retry(Q, JOB, 2, 60_000, 9, "boom")
    die_unseen(fleet, OTHER)
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED)]


def test_a_job_that_was_dead_before_explains_no_death(fleet):
    die_unseen(fleet, OTHER)
    fleet.start()
    fleet.lapse()
    fleet.beat()
    fleet.emq.sweep(Q)
    fleet.reprocess()
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]


def test_a_burial_in_the_audit_explains_no_death(fleet):
    fleet.emq.enqueue(Q, OTHER, "{}")
    fleet.emq.schedule(Q, "JOB0KHTOWnGLuC", "{}", in_ms=60_000)
    fleet.emq.bury(Q, [OTHER], "poison")
    fleet.start()
    fleet.lapse()
    fleet.beat()
    fleet.emq.sweep(Q)
    fleet.reprocess()
    fleet.emq.bury(Q, ["JOB0KHTOWnGLuC"], "poison", actor="olena")
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]


def test_what_an_operator_did_before_the_last_look_makes_no_doubt(fleet):
    fleet.start()
    fleet.beat()
    fleet.beat()
    fleet.emq.bury(Q, [JOB], "poison", tokens={JOB: 1}, actor="olena")
    fleet.emq.requeue(Q, [JOB], actor="olena")
    fleet.claim()
    acted = fleet.now_ms()
    wait_for(lambda: fleet.now_ms() > acted)
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=9)
    fleet.claim()
    fleet.emq.retry(Q, JOB, 3, 60_000, 9, "boom")
    die_unseen(fleet, OTHER)
    fleet.beat()
    assert told()[-1] == (JOB, 2, RECOVERED)


def test_a_stall_is_told_though_the_job_was_buried_before_anybody_looked(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=9)
    fleet.emq.bury(Q, [JOB], "poison", actor="olena")
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED)]


def test_a_death_is_told_though_the_job_was_requeued_before_anybody_looked(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q)
    fleet.emq.requeue(Q, [JOB], actor="olena", reset_stalls=True)
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]
    copying.copy(fleet.server, Q)
    assert told() == [(JOB, 1, DEAD)]


def test_a_death_that_an_operator_requeued_at_once_makes_no_doubt_about_others(fleet):
    fleet.start()
    token = fleet.start(OTHER)
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=9)
    fleet.emq.retry(Q, OTHER, token, 0, 1, "boom")
    fleet.emq.requeue(Q, [OTHER], actor="olena")
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED)]
    copying.copy(fleet.server, Q)
    assert error_of(Ending.objects.get(kind=FAILED)) == b"boom"


def test_a_job_that_was_buried_out_of_schedule_was_not_reaped(fleet):
    token = fleet.start()
    fleet.lapse()
    fleet.emq.retry(Q, JOB, token, 60_000, 9, "boom")
    fleet.emq.bury(Q, [JOB], "poison", actor="olena")
    fleet.beat()
    assert told() in ([], [(JOB, 1, UNCERTAIN)])


@pytest.mark.parametrize(
    ("attempts", "at_ms", "is_told"),
    [(1, 5, False), (2, 5, True), (2, 10, False), (2, 0, False)],
    ids=["before the lease", "behind it", "after the look", "by a clock that was set back"],
)
def test_only_what_moved_a_job_behind_its_lease_tells_of_its_end(attempts, at_ms, is_told):
    left = Sight(True, state=b"scheduled", attempts=2, stalled=1)
    ended = Ended(b"JOBx", Lease(2, 0, 5.0, None, None, 1), left, Window(1, 9))
    moved = Moved("JOBx", "buried", attempts, 1, error=b"boom")
    found = _touched(ended, Touches({"JOBx": [Touch(max(at_ms, 1), at_ms, "bury", moved)]}))
    assert (found.left.state == b"pending") == is_told
    assert found.window.touches == (set() if is_told else {"bury"})


def test_a_job_that_was_set_aside_for_its_row_explains_no_death(fleet):
    token = fleet.start()
    fleet.beat()
    fleet.emq.complete(Q, JOB, token)
    fleet.beat()
    fleet.start()
    fleet.lapse()
    fleet.emq.enqueue(Q, OTHER, "{}")
    fleet.client.hset(fleet.row(OTHER), "attempts", "x")
    assert fleet.emq.claim(Q, 1_000) is None
    assert fleet.client.zscore(fleet.key("dead"), OTHER) == 0
    fleet.emq.sweep(Q)
    fleet.reprocess()
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]


def test_a_stall_that_a_late_failure_follows_is_open_when_a_death_was_requeued(fleet):
    token = fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q)
    fleet.reprocess()
    fleet.retry_late(token, "boom", delay_ms=60_000)
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]
