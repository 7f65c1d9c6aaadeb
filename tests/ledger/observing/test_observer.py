"""Beats between real calls of workers, sweepers and reapers: what the ledger says of them."""

from __future__ import annotations

import pytest

from echomq_admin.ledger.endings.models import Ending
from tests.ledger.observing.fleet import (
    DEAD,
    FAILED,
    JOB,
    REAPED,
    RECOVERED,
    UNCERTAIN,
    Q,
    error_of,
    kinds,
    lane_of,
    told,
)

pytestmark = pytest.mark.django_db


def test_a_sweep_that_gives_a_job_back_is_told_with_its_count(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=3)
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED)]
    ending = Ending.objects.get()
    assert (ending.stalled, ending.life, ending.n) == (1, 0, 0)
    assert ending.deadline_ms <= ending.ended_ms - ending.within_ms + 1
    assert ending.ended_ms <= fleet.now_ms()


def test_a_sweep_that_kills_is_told(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q)
    fleet.beat()
    assert told() == [(JOB, 1, DEAD)]


def test_a_swept_job_that_was_claimed_at_once_is_told_all_the_same(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=2)
    fleet.claim()
    fleet.beat()
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=2)
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED), (JOB, 2, DEAD)]
    assert list(Ending.objects.order_by("attempts").values_list("stalled", flat=True)) == [1, 2]


def test_a_reap_is_told_whether_the_job_waits_or_was_claimed_again(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.beat()
    fleet.claim()
    fleet.beat()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.claim()
    fleet.beat()
    assert told() == [(JOB, 1, REAPED), (JOB, 2, REAPED)]


def test_a_stall_count_that_an_ending_left_alone_is_told_as_it_is(fleet):
    fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=3)
    fleet.claim()
    fleet.beat()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED), (JOB, 2, REAPED)]
    assert set(Ending.objects.values_list("stalled", flat=True)) == {1}


def test_a_job_in_a_lane_is_told_with_its_lane(fleet):
    fleet.start(lane="m\udcffil")
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.beat()
    assert kinds() == [REAPED]
    assert lane_of(Ending.objects.get()) == b"m\xffil"


def test_a_worker_that_finishes_in_time_or_late_leaves_no_ending(fleet):
    token = fleet.start()
    fleet.beat()
    fleet.emq.complete(Q, JOB, token)
    fleet.beat()
    token = fleet.start()
    fleet.lapse()
    fleet.emq.complete(Q, JOB, token)
    fleet.beat()
    assert told() == []


def test_a_failure_whose_job_is_tried_again_leaves_no_ending(fleet):
    token = fleet.start()
    fleet.beat()
    fleet.emq.retry(Q, JOB, token, 0, 3, "boom")
    fleet.beat()
    fleet.emq.promote(Q)
    token = fleet.claim()
    fleet.beat()
    fleet.fail_and_wait(token)
    fleet.claim()
    fleet.beat()
    assert told() == []


def test_a_failure_after_the_deadline_is_no_reap(fleet):
    token = fleet.start()
    fleet.lapse()
    fleet.fail_and_wait(token)
    fleet.beat()
    token = fleet.claim()
    fleet.lapse()
    fleet.fail_and_wait(token, "another")
    fleet.claim()
    fleet.beat()
    assert told() == []


def test_a_death_by_attempts_is_told_with_its_error(fleet):
    token = fleet.start()
    fleet.beat()
    fleet.emq.retry(Q, JOB, token, 0, 1, b"b\x00\xff")
    fleet.beat()
    assert told() == [(JOB, 1, FAILED)]
    assert error_of(Ending.objects.get()) == b"b\x00\xff"


def test_a_reap_that_a_failure_with_the_same_text_would_look_like_is_uncertain(fleet):
    token = fleet.start()
    fleet.beat()
    fleet.fail_and_wait(token)
    fleet.claim()
    fleet.beat()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.beat()
    assert told() == [(JOB, 2, UNCERTAIN)]


def test_renewals_are_counted_and_are_no_endings(fleet):
    token = fleet.start(lease_ms=9_000)
    fleet.beat()
    for lease_ms in (10_000, 11_000, 12_000):
        fleet.emq.extend(Q, JOB, token, lease_ms)
        fleet.beat()
    assert told() == []
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.beat()
    assert told() == [(JOB, 1, REAPED)]
    assert Ending.objects.get().renewals == 4


def test_a_late_extend_revives_a_lease_which_then_ends_again(fleet):
    token = fleet.start()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.extend_late(token)
    fleet.beat()
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=5)
    fleet.beat()
    assert told() == [(JOB, 1, REAPED), (JOB, 1, RECOVERED)]
    assert list(Ending.objects.order_by("n").values_list("life", "n")) == [(0, 0), (0, 1)]


def test_a_lease_that_was_swept_and_revived_between_two_looks_is_told(fleet):
    token = fleet.start()
    fleet.lapse()
    fleet.emq.sweep(Q, max_stalled=5)
    fleet.extend_late(token)
    fleet.beat()
    assert told() == [(JOB, 1, RECOVERED)]


def test_the_same_id_enqueued_again_is_another_life(fleet):
    token = fleet.start()
    fleet.lapse()
    fleet.emq.reap(Q)
    token = fleet.claim()
    fleet.beat()
    fleet.emq.complete(Q, JOB, token)
    fleet.start()
    fleet.beat()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.beat()
    assert told() == [(JOB, 1, REAPED), (JOB, 1, REAPED)]
    assert list(Ending.objects.order_by("life").values_list("life", "n")) == [(0, 0), (1, 0)]


def test_how_a_job_died_that_others_requeued_within_a_beat_stays_open(fleet):
    token = fleet.start()
    fleet.beat()
    fleet.fail_and_wait(token)
    fleet.claim()
    fleet.beat()
    fleet.lapse()
    fleet.emq.sweep(Q)
    fleet.reprocess()
    fleet.beat()
    assert told() == [(JOB, 2, UNCERTAIN)]


def test_a_late_failure_tells_whether_the_sweep_before_it_killed(fleet):
    for job_id, most in ((JOB, 1), ("JOB0KHTOWnGLuB", 5)):
        token = fleet.start(job_id)
        fleet.lapse(job_id)
        fleet.emq.sweep(Q, max_stalled=most)
        fleet.retry_late(token, "late", job_id, delay_ms=60_000)
        fleet.beat()
        fleet.emq.remove(Q, [job_id])
        fleet.client.delete(fleet.key("schedule"))
    assert told() == [(JOB, 1, DEAD), ("JOB0KHTOWnGLuB", 1, RECOVERED)]


def test_what_an_operator_had_a_hand_in_is_left_to_the_audit(fleet):
    token = fleet.start()
    fleet.lapse()
    fleet.emq.reap(Q)
    fleet.emq.bury(Q, [JOB], "poison", actor="olena")
    fleet.beat()
    assert told() == [(JOB, 1, UNCERTAIN)]
    fleet.emq.remove(Q, [JOB])
    token = fleet.start()
    fleet.beat()
    fleet.emq.bury(Q, [JOB], "poison", {JOB: token}, actor="olena")
    fleet.beat()
    assert FAILED not in kinds()


def test_one_id_in_two_queues_is_two_jobs(fleet):
    fleet.know("mails")
    for queue in (Q, "mails"):
        fleet.start(queue=queue)
        fleet.lapse(queue=queue)
    fleet.emq.sweep(Q)
    fleet.emq.reap("mails")
    fleet.beat()
    assert told(Q) == [(JOB, 1, DEAD)]
    assert told("mails") == [(JOB, 1, REAPED)]


def test_an_id_of_any_bytes_is_told(fleet):
    raw = b"\xff\x00 " + b"x" * 60
    fleet.client.hset(fleet.key("job:") + raw, mapping={"state": "active", "attempts": 4})
    fleet.client.zadd(fleet.key("active"), {raw: fleet.now_ms() + 9_000})
    fleet.beat()
    fleet.client.zadd(fleet.key("active"), {raw: 5})
    fleet.beat()
    fleet.emq.sweep(Q)
    fleet.beat()
    assert list(Ending.objects.values_list("kind", "attempts")) == [(DEAD, 4)]


def test_attempts_that_are_no_number_are_told_when_they_were_swept(fleet):
    row = {"state": "active", "attempts": "many"}
    fleet.client.hset(fleet.row(), mapping=row)
    fleet.client.zadd(fleet.key("active"), {JOB: 5})
    fleet.beat()
    # As the upstream sweep does, which never reads attempts.
    fleet.client.zrem(fleet.key("active"), JOB)
    fleet.client.hset(fleet.row(), mapping={"state": "pending", "stalled": 1})
    fleet.client.zadd(fleet.key("pending"), {JOB: 0})
    fleet.beat()
    assert told() == [(JOB, -1, RECOVERED)]


def test_sets_and_rows_deleted_by_hand_are_no_endings(fleet):
    fleet.start()
    fleet.start("JOB0KHTOWnGLuB")
    fleet.lapse()
    fleet.client.delete(fleet.key("active"))
    fleet.client.delete(fleet.row())
    fleet.beat()
    assert told() == []
