"""Requeue: dead jobs go back to where they waited, counters and payload as they were."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, Outcome, Swept
from tests.emq.orders import FUTURE_MS, QUEUE, A, B, C, G, Orders


def test_a_requeued_job_goes_back_to_pending_and_keeps_its_attempts(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("dead", A, attempts=3, stalled=1, last_error="boom", progress="7", foreign="kept")

    assert emq.requeue(QUEUE, [A]) == {A: Outcome.REQUEUED}
    assert orders.where(A) == ["pending"]
    assert orders.row(A) == {
        b"state": b"pending", b"attempts": b"3", b"payload": b"{}", b"stalled": b"1",
        b"progress": b"7", b"foreign": b"kept",
    }  # fmt: skip


def test_a_requeued_job_goes_back_to_its_own_lane(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, group=G)
    orders.client.hset(orders.key("glimit"), G, 1)

    assert emq.requeue(QUEUE, [A]) == {A: Outcome.REQUEUED}
    assert orders.where(A) == [f"lane {G}"]
    assert orders.score(f"g:{G}:pending", A) == 0
    assert orders.ring() == [G]
    assert orders.wakes() == 1
    assert orders.in_flight(G) is None


def test_many_jobs_of_one_lane_put_it_on_the_ring_and_wake_once(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("dead", A, B, C, group=G)

    emq.requeue(QUEUE, [A, B, C])
    assert orders.ids("lane", G) == [A, B, C]
    assert orders.ring() == [G]
    assert orders.wakes() == 1


def test_a_lane_on_the_ring_keeps_its_place_and_wakes_nobody(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, group=G)
    orders.put("lane", B, group=G)
    orders.put("lane", C, group="other")
    orders.serve(G, "other")

    emq.requeue(QUEUE, [A])
    assert orders.ring() == [G, "other"]
    assert orders.wakes() == 0


@pytest.mark.parametrize("why", ["paused", "at its limit"])
def test_a_lane_that_cannot_be_served_gets_the_job_but_no_place_on_the_ring(
    orders: Orders, emq: EchoMQ, why: str
) -> None:
    orders.put("dead", A, group=G)
    if why == "paused":
        orders.client.sadd(orders.key("paused"), G)
    else:
        orders.client.hset(orders.key("glimit"), G, 1)
        orders.client.hset(orders.key("gactive"), G, 1)

    assert emq.requeue(QUEUE, [A]) == {A: Outcome.REQUEUED}
    assert orders.where(A) == [f"lane {G}"]
    assert orders.ring() == []
    assert orders.wakes() == 0


def test_a_requeue_takes_a_wrong_place_off_the_ring(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, group=G)
    orders.client.sadd(orders.key("paused"), G)
    orders.serve(G, "other")

    emq.requeue(QUEUE, [A])
    assert orders.ring() == ["other"]


def test_the_wake_list_stays_at_64(orders: Orders, emq: EchoMQ) -> None:
    orders.client.rpush(orders.key("wake"), *["1"] * 64)
    orders.put("dead", A, group=G)

    emq.requeue(QUEUE, [A])
    assert orders.wakes() == 64


def test_the_stall_count_stays_unless_it_is_reset(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, B, stalled=1, last_error="stalled")
    emq.requeue(QUEUE, [A])
    emq.requeue(QUEUE, [B], reset_stalls=True)

    for job in (A, B):
        claim = emq.claim(QUEUE, 30_000)
        assert claim is not None
        assert (claim.job_id, claim.attempts) == (job, 2)
    orders.lapse(A, B)
    assert emq.sweep(QUEUE, 2) == Swept(dead=(A,), recovered=(B,))


def test_a_job_with_used_up_attempts_gets_one_more_claim_with_a_new_token(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("dead", A, attempts=3)
    emq.requeue(QUEUE, [A], reset_stalls=True)
    claim = emq.claim(QUEUE, 30_000)

    assert claim is not None
    assert claim.attempts == 4
    assert emq.retry(QUEUE, A, 4, 0, 3, b"again") == Outcome.DEAD


def test_each_id_answers_for_itself(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, attempts=2)
    orders.only_id("dead", B)
    orders.put("pending", C)
    orders.put("dead", "JOBchanged", attempts=2)

    answer = emq.requeue(QUEUE, [A, B, C, "JOBchanged", "JOBnever"], {A: 2, "JOBchanged": 1, C: 7})
    assert answer == {
        A: Outcome.REQUEUED,
        B: Outcome.GONE,
        C: Outcome.NOT_DEAD,
        "JOBchanged": Outcome.CHANGED,
        "JOBnever": Outcome.GONE,
    }
    assert orders.ids("dead") == [B, "JOBchanged"]
    assert orders.ids("pending") == [A, C]


def test_only_the_named_job_moves_though_all_scores_are_equal(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, B, C)
    orders.put("schedule", "JOBx", "JOBy", score=FUTURE_MS)

    emq.requeue(QUEUE, [B])
    emq.remove(QUEUE, ["JOBx"])
    emq.promote_now(QUEUE, ["JOBx"])
    assert orders.ids("dead") == [A, C]
    assert orders.ids("schedule") == ["JOBy"]


def test_a_job_that_moved_meanwhile_is_told_and_left(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)
    before = orders.dump()

    assert emq.requeue(QUEUE, [A], {A: 1}, actor="ann") == {A: Outcome.NOT_DEAD}
    assert orders.dump() == before


def test_a_job_in_dead_and_in_other_waiting_sets_ends_in_one(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, group=G, state="active")
    for place in ("pending", "schedule"):
        orders.only_id(place, A)
    orders.put("dead", B, state="active")
    orders.only_id("pending", B)
    orders.only_id("schedule", B)

    assert set(emq.requeue(QUEUE, [A, B]).values()) == {Outcome.REQUEUED}
    assert orders.where(A) == [f"lane {G}"]
    assert orders.where(B) == ["pending"]


def test_a_job_in_dead_that_is_active_too_only_leaves_dead(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, last_error="old")
    orders.only_id("dead", A)

    assert emq.requeue(QUEUE, [A]) == {A: Outcome.NOT_DEAD}
    assert orders.where(A) == ["active"]
    assert orders.row(A)[b"state"] == b"active"
    assert orders.row(A)[b"last_error"] == b"old"


def test_two_operators_press_together_and_each_job_moves_once(orders: Orders, emq: EchoMQ) -> None:
    ids = [f"JOB{n:011d}" for n in range(51)]
    orders.put("dead", *ids)

    first = emq.requeue(QUEUE, ids, actor="ann", op_id="ann-1")
    second = emq.requeue(QUEUE, ids, actor="bob", op_id="bob-1")
    assert set(first.values()) == {Outcome.REQUEUED}
    assert set(second.values()) == {Outcome.NOT_DEAD}
    assert orders.client.xlen("emqadmin:{orders}:audit") == 1


def test_a_job_that_dies_again_at_once_is_not_moved_twice_by_the_same_run(
    orders: Orders, emq: EchoMQ
) -> None:
    ids = [f"JOB{n:011d}" for n in range(51)]
    orders.put("dead", *ids)
    tokens = dict.fromkeys(ids, 1)

    emq.requeue(QUEUE, ids, tokens)
    while claim := emq.claim(QUEUE, 30_000):
        emq.retry(QUEUE, claim.job_id, claim.attempts, 0, 1, b"at once")
    assert set(emq.requeue(QUEUE, ids, tokens).values()) == {Outcome.CHANGED}
    assert {orders.row(job)[b"attempts"] for job in ids} == {b"2"}


def test_one_requeue_moves_2500_ids(orders: Orders, emq: EchoMQ) -> None:
    ids = [f"JOB{n:011d}" for n in range(2500)]
    orders.put("dead", *ids)

    answer = emq.requeue(QUEUE, iter(ids), actor="ann")
    assert list(answer) == ids
    assert set(answer.values()) == {Outcome.REQUEUED}
    assert orders.ids("pending") == ids
    assert orders.client.xlen("emqadmin:{orders}:audit") == 3


def test_an_id_that_is_named_twice_is_moved_once(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A)

    assert emq.requeue(QUEUE, [A, A], actor="ann") == {A: Outcome.REQUEUED}
    assert orders.ids("pending") == [A]


def test_no_ids_are_no_call(orders: Orders, emq: EchoMQ) -> None:
    assert emq.requeue(QUEUE, [], actor="ann", op_id="op-1") == {}
    assert emq.remove(QUEUE, [], actor="ann") == {}
    assert orders.client.exists("emqadmin:{orders}:audit") == 0
