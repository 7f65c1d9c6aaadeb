"""Lanes: what puts one on the ring, takes it off, and keeps its count of jobs in flight."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from tests.emq.orders import QUEUE, A, B, C, G, Orders


def test_a_first_job_puts_its_lane_on_the_ring_and_wakes_a_consumer(
    orders: Orders, emq: EchoMQ
) -> None:
    emq.enqueue(QUEUE, A, b"{}", G)
    emq.enqueue(QUEUE, B, b"{}", G)

    assert orders.ring() == [G]
    assert orders.wakes() == 1
    assert orders.row(A)[b"group"] == G.encode()
    assert orders.ids("pending") == []


def test_claims_go_round_the_ring(orders: Orders, emq: EchoMQ) -> None:
    for n, group in enumerate("aabbcc"):
        emq.enqueue(QUEUE, f"JOB{n}", b"{}", group)

    claims = [emq.claim_lane(QUEUE, 30_000) for _ in range(7)]
    assert [claim and claim.group for claim in claims] == [*"abcabc", None]
    assert [claim.job_id for claim in claims if claim] == [
        "JOB0",
        "JOB2",
        "JOB4",
        "JOB1",
        "JOB3",
        "JOB5",
    ]
    assert orders.ring() == []


def test_a_lane_at_its_limit_waits_for_a_slot(orders: Orders, emq: EchoMQ) -> None:
    emq.enqueue(QUEUE, A, b"{}", G)
    emq.enqueue(QUEUE, B, b"{}", G)
    emq.limit_lane(QUEUE, G, 1)

    assert emq.claim_lane(QUEUE, 30_000) is not None
    assert emq.claim_lane(QUEUE, 30_000) is None
    assert orders.ring() == []
    emq.complete(QUEUE, A, 1)
    assert orders.ring() == [G]
    assert emq.claim_lane(QUEUE, 30_000) is not None


def test_every_end_of_a_lease_gives_the_slot_back(orders: Orders, emq: EchoMQ) -> None:
    ends = {
        "complete": lambda: emq.complete(QUEUE, A, 1),
        "retry": lambda: emq.retry(QUEUE, A, 1, 60_000, 5, b"x"),
        "retry to dead": lambda: emq.retry(QUEUE, A, 1, 0, 1, b"x"),
        "bury": lambda: emq.bury(QUEUE, [A], b"x", {A: 1}),
        "remove": lambda: emq.remove(QUEUE, [A], force=True),
        "recover": lambda: emq.recover_now(QUEUE, A, 1, 2),
        "kill": lambda: emq.recover_now(QUEUE, A, 1, 1),
        "sweep": lambda: (orders.lapse(A), emq.sweep(QUEUE)),
        "reap": lambda: (orders.lapse(A), emq.reap(QUEUE)),
        "reap the lane": lambda: (orders.lapse(A), emq.reap_group(QUEUE, G)),
    }
    for end in ends.values():
        orders.client.flushdb()
        emq.limit_lane(QUEUE, G, 1)
        emq.enqueue(QUEUE, A, b"{}", G)
        emq.enqueue(QUEUE, B, b"{}", G)
        emq.claim_lane(QUEUE, 30_000)
        assert orders.in_flight(G) == 1
        end()
        assert orders.in_flight(G) is None
        assert orders.ring() == [G]


def test_extending_a_lease_keeps_the_slot(orders: Orders, emq: EchoMQ) -> None:
    emq.enqueue(QUEUE, A, b"{}", G)
    emq.claim_lane(QUEUE, 30_000)
    emq.extend(QUEUE, A, 1, 60_000)

    assert orders.in_flight(G) == 1


def test_pausing_takes_a_lane_off_the_ring_and_resuming_puts_it_back(
    orders: Orders, emq: EchoMQ
) -> None:
    emq.enqueue(QUEUE, A, b"{}", G)

    assert [emq.pause_lane(QUEUE, G), emq.pause_lane(QUEUE, G)] == [True, False]
    assert orders.ring() == []
    assert orders.where(A) == [f"lane {G}"]
    assert emq.claim_lane(QUEUE, 30_000) is None
    assert [emq.resume_lane(QUEUE, G), emq.resume_lane(QUEUE, G)] == [True, False]
    assert orders.ring() == [G]


def test_an_empty_lane_may_be_paused_before_its_first_job(orders: Orders, emq: EchoMQ) -> None:
    assert emq.pause_lane(QUEUE, G)
    emq.enqueue(QUEUE, A, b"{}", G)
    assert orders.ring() == []


def test_a_limit_is_at_least_one_and_none_takes_it_away(orders: Orders, emq: EchoMQ) -> None:
    for n in (0, -1):
        with pytest.raises(ValueError, match="at least 1"):
            emq.limit_lane(QUEUE, G, n)
    orders.put("lane", A, group=G)
    orders.client.hset(orders.key("gactive"), G, 3)

    assert [emq.change_limit(QUEUE, G, 3) for _ in "ab"] == [True, False]
    assert orders.ring() == []
    assert [emq.change_limit(QUEUE, G, None) for _ in "ab"] == [True, False]
    assert orders.ring() == [G]
    assert orders.client.exists(orders.key("glimit")) == 0


def test_promoted_jobs_go_to_their_lanes(orders: Orders, emq: EchoMQ) -> None:
    orders.put("schedule", A, score=1, group=G)
    orders.put("schedule", B, score=1)
    orders.put("schedule", C)

    assert emq.promote(QUEUE) == 2
    assert orders.where(A) == [f"lane {G}"]
    assert orders.where(B) == ["pending"]
    assert orders.where(C) == ["schedule"]
    assert orders.row(A)[b"state"] == b"pending"


def test_one_bad_place_on_the_ring_does_not_stop_the_others(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, group="good")
    orders.put("lane", B, group="paused")
    orders.client.sadd(orders.key("paused"), "paused")
    orders.serve("empty", "paused", "good")

    claim = emq.claim_lane(QUEUE, 30_000)
    assert claim is not None
    assert claim.group == "good"
    assert orders.ring() == []
    assert orders.where(B) == ["lane paused"]
