"""Leases that end before or after their time: sweep, reap, recover now, promote now."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, EmqStale, EmqState, Gone, Outcome, Reaped, Swept
from tests.emq.orders import PAST_MS, QUEUE, A, B, C, G, Orders

TWO_HUNDRED_FIFTY = tuple(f"JOB{n:011d}" for n in range(250))


def test_a_sweep_counts_each_stall_and_kills_at_max_stalled(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, B, score=PAST_MS)
    orders.put("active", C)
    orders.client.hset(orders.row_key(B), "stalled", 1)

    assert emq.sweep(QUEUE, 2) == Swept(recovered=(A,), dead=(B,))
    assert orders.row(A)[b"stalled"] == b"1"
    assert orders.row(A)[b"state"] == b"pending"
    assert b"last_error" not in orders.row(A)
    assert orders.row(B)[b"last_error"] == b"stalled"
    assert orders.row(B)[b"state"] == b"dead"
    assert orders.count("failed") == 1
    assert orders.where(C) == ["active"]


def test_a_sweep_that_kills_frees_the_lane(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, score=PAST_MS, group=G)
    orders.put("lane", B, group=G)
    orders.client.hset(orders.key("gactive"), G, 1)
    orders.client.hset(orders.key("glimit"), G, 1)

    assert emq.sweep(QUEUE) == Swept(dead=(A,))
    assert orders.in_flight(G) is None
    assert orders.ring() == [G]


@pytest.mark.parametrize("max_stalled", [0, -1])
def test_a_sweep_needs_a_max_of_at_least_one(emq: EchoMQ, max_stalled: int) -> None:
    with pytest.raises(ValueError, match="max_stalled"):
        emq.sweep(QUEUE, max_stalled)
    with pytest.raises(ValueError, match="max_stalled"):
        emq.recover_now(QUEUE, A, 1, max_stalled)


def test_a_sweep_stops_at_its_limit_with_the_longest_lapsed_first(
    orders: Orders, emq: EchoMQ
) -> None:
    for n, job in enumerate(TWO_HUNDRED_FIFTY):
        orders.only_id("active", job, score=PAST_MS - n)
        orders.client.hset(orders.row_key(job), "attempts", 1)

    assert emq.sweep(QUEUE).dead == TWO_HUNDRED_FIFTY[:149:-1]
    assert len(emq.sweep(QUEUE, limit=1000).dead) == 150
    assert emq.sweep(QUEUE) == Swept()


def test_a_reap_gives_back_without_a_count(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, score=PAST_MS, stalled=1, last_error="old")

    assert emq.reap(QUEUE) == Reaped(recovered=(A,))
    assert orders.row(A) == {
        b"state": b"pending", b"attempts": b"1", b"payload": b"{}", b"stalled": b"1",
        b"last_error": b"old",
    }  # fmt: skip


def test_a_reap_of_more_than_a_call_takes_all_of_its_limit(orders: Orders, emq: EchoMQ) -> None:
    ids = tuple(f"JOB{n:011d}" for n in range(2300))
    orders.put("active", *ids, score=PAST_MS)

    assert emq.reap(QUEUE, 2200).recovered == ids[:2200]
    assert emq.reap(QUEUE).recovered == ids[2200:]


def test_a_reap_of_one_lane_looks_at_its_limit_and_leaves_the_others(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("active", A, score=PAST_MS, group="other")
    orders.put("active", B, C, score=PAST_MS + 1, group=G)
    orders.client.hset(orders.key("gactive"), mapping={G: 2, "other": 1})

    assert emq.reap_group(QUEUE, G, 1) == Reaped()
    assert emq.reap_group(QUEUE, G, 2) == Reaped(recovered=(B,))
    assert emq.reap_group(QUEUE, G) == Reaped(recovered=(C,))
    assert orders.where(A) == ["active"]
    assert orders.ids("lane", G) == [B, C]
    assert orders.ring() == [G]


def test_recover_now_is_a_sweep_of_one_job_before_its_time(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, B, group=G)
    orders.client.hset(orders.key("gactive"), G, 2)

    assert emq.recover_now(QUEUE, A, 1, max_stalled=2) == Outcome.RECOVERED
    assert orders.where(A) == [f"lane {G}"]
    assert orders.row(A)[b"stalled"] == b"1"
    assert emq.recover_now(QUEUE, B, 1) == Outcome.DEAD
    assert orders.where(B) == ["dead"]
    assert orders.row(B)[b"last_error"] == b"stalled"
    assert orders.count("failed") == 1
    assert orders.in_flight(G) is None


def test_recover_now_refuses_what_it_does_not_find_as_it_was_seen(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("active", A, attempts=2)
    orders.put("pending", B)
    before = orders.dump()

    with pytest.raises(EmqStale):
        emq.recover_now(QUEUE, A, 1)
    with pytest.raises(EmqState):
        emq.recover_now(QUEUE, B, 1)
    with pytest.raises(Gone):
        emq.recover_now(QUEUE, C, 1)
    assert orders.dump() == before


def test_promote_now_moves_named_jobs_before_their_time(orders: Orders, emq: EchoMQ) -> None:
    orders.put("schedule", A, attempts=2, last_error="boom")
    orders.put("schedule", B, group=G)
    orders.put("pending", C)

    answer = emq.promote_now(QUEUE, [A, B, C, "JOBx"], {B: 1})
    assert answer == {
        A: Outcome.PROMOTED,
        B: Outcome.PROMOTED,
        C: Outcome.NOT_SCHEDULED,
        "JOBx": Outcome.GONE,
    }
    assert orders.where(A) == ["pending"]
    assert orders.row(A)[b"last_error"] == b"boom"
    assert orders.where(B) == [f"lane {G}"]
    assert orders.ring() == [G]


def test_promote_now_leaves_a_job_that_was_claimed_since(orders: Orders, emq: EchoMQ) -> None:
    orders.put("schedule", A, attempts=2)

    assert emq.promote_now(QUEUE, [A], {A: 1}) == {A: Outcome.CHANGED}
    assert orders.where(A) == ["schedule"]


@pytest.mark.parametrize("score", [float("inf"), 1e308, -1, 253_402_300_800_000])
def test_an_odd_deadline_is_judged_like_any_other(
    orders: Orders, emq: EchoMQ, score: float
) -> None:
    orders.put("active", A, score=score)

    swept = emq.sweep(QUEUE, 2, actor="ann")
    assert swept.recovered == ((A,) if score < 0 else ())
    if score > 0:
        assert emq.recover_now(QUEUE, A, 1, 2, actor="ann") == Outcome.RECOVERED


def test_a_lease_ends_by_the_servers_clock(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)
    before = orders.now_ms()
    emq.claim(QUEUE, 30_000)
    after = orders.now_ms()

    assert before + 30_000 <= (orders.score("active", A) or 0) <= after + 30_000


def test_what_has_a_little_time_left_is_left_alone(orders: Orders, emq: EchoMQ) -> None:
    soon_ms = orders.now_ms() + 10_000
    orders.put("active", A, score=soon_ms)
    orders.put("schedule", B, score=soon_ms)
    before = orders.dump()

    assert emq.sweep(QUEUE) == Swept()
    assert emq.reap(QUEUE) == Reaped()
    assert emq.promote(QUEUE) == 0
    assert orders.dump() == before
