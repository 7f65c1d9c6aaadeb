"""Counters that are no integers count as 0, and as no limit."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, Outcome, Swept
from tests.emq.orders import PAST_MS, QUEUE, A, B, G, Orders

no_integer = pytest.mark.parametrize("value", ["abc", "", "1.5", " 1", "1e3", "x" * 5000])
HUGE = "9223372036854775807"


@no_integer
def test_a_stall_count_that_is_none_counts_as_0(orders: Orders, emq: EchoMQ, value: str) -> None:
    orders.put("active", A, score=PAST_MS, stalled=value)

    assert emq.sweep(QUEUE, 2) == Swept(recovered=(A,))
    assert orders.row(A)[b"stalled"] == b"1"


@no_integer
def test_metrics_that_are_none_start_at_0(orders: Orders, emq: EchoMQ, value: str) -> None:
    orders.put("active", A)
    orders.put("active", B, score=PAST_MS)
    for metric in ("completed", "failed"):
        orders.client.hset(orders.key(f"metrics:{metric}"), "count", value)

    emq.complete(QUEUE, A, 1)
    emq.sweep(QUEUE)
    assert orders.count("completed") == 1
    assert orders.count("failed") == 1


@no_integer
def test_jobs_in_flight_that_are_no_number_count_as_0(
    orders: Orders, emq: EchoMQ, value: str
) -> None:
    orders.put("lane", A, group=G)
    orders.serve(G)
    orders.client.hset(orders.key("gactive"), G, value)
    orders.client.hset(orders.key("glimit"), G, 2)

    claim = emq.claim_lane(QUEUE, 30_000)
    assert claim is not None
    assert orders.in_flight(G) == 1
    emq.complete(QUEUE, A, claim.attempts)
    assert orders.in_flight(G) is None


@no_integer
def test_a_limit_that_is_no_number_is_no_limit(orders: Orders, emq: EchoMQ, value: str) -> None:
    orders.put("dead", A, group=G)
    orders.client.hset(orders.key("glimit"), G, value)
    orders.client.hset(orders.key("gactive"), G, 50)

    emq.requeue(QUEUE, [A])
    assert orders.ring() == [G]


def test_jobs_in_flight_never_fall_below_none(orders: Orders, emq: EchoMQ) -> None:
    for written in ("-3", "0", "abc", None):
        orders.client.flushdb()
        orders.put("active", A, group=G)
        if written is not None:
            orders.client.hset(orders.key("gactive"), G, written)
        emq.complete(QUEUE, A, 1)
        assert orders.in_flight(G) is None


@pytest.mark.parametrize("field", ["stalled", "attempts"])
def test_a_counter_at_the_end_of_its_range_breaks_no_call_halfway(
    orders: Orders, emq: EchoMQ, field: str
) -> None:
    orders.put("active", A, score=PAST_MS, group=G, **{field: HUGE})
    orders.client.hset(orders.key("gactive"), G, HUGE)
    for metric in ("completed", "failed"):
        orders.client.hset(orders.key(f"metrics:{metric}"), "count", HUGE)
    orders.put("lane", B, group=G)

    swept = emq.sweep(QUEUE, 2, actor="ann")
    assert (swept.recovered, swept.dead, swept.unreadable).count((A,)) == 1
    assert len(orders.where(A)) == 1
    assert orders.ring() == [G]
    claims = [emq.claim_lane(QUEUE, 30_000) for _ in range(3)]
    assert [claim.job_id for claim in claims if claim][-1] == B


def test_a_token_is_compared_digit_by_digit(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, attempts=123_456_789_012_345)

    assert emq.requeue(QUEUE, [A], {A: 123_456_789_012_344}) == {A: Outcome.CHANGED}
    assert emq.requeue(QUEUE, [A], {A: 123_456_789_012_345}) == {A: Outcome.REQUEUED}
