"""Ids in a lane that their row does not name: a move ends that, and settles the lane."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from echomq_admin.emq import EchoMQ, EmqState, Outcome
from tests.emq.orders import FUTURE_MS, QUEUE, A, B, C, G, Orders

H = "GRP0KHTOWnGLuH"
Move = Callable[[EchoMQ], object]
MOVES: dict[str, tuple[str, Move, list[str]]] = {
    "requeue": ("dead", lambda emq: emq.requeue(QUEUE, [A], {A: 1}, actor="ann"), ["pending"]),
    "promote_now": ("schedule", lambda emq: emq.promote_now(QUEUE, [A], actor="ann"), ["pending"]),
    "bury": ("pending", lambda emq: emq.bury(QUEUE, [A], b"poison", actor="ann"), ["dead"]),
    "bury of a dead job": ("dead", lambda emq: emq.bury(QUEUE, [A], b"x", actor="ann"), ["dead"]),
    "return_to_dead": (
        "pending",
        lambda emq: emq.return_to_dead(QUEUE, {A: (1, b"boom", None)}, actor="ann"),
        ["dead"],
    ),
    "recover_now": (
        "active",
        lambda emq: emq.recover_now(QUEUE, A, 1, 5, actor="ann"),
        ["pending"],
    ),
    "recover_now that kills": (
        "active",
        lambda emq: emq.recover_now(QUEUE, A, 1, 1, actor="ann"),
        ["dead"],
    ),
    "remove": ("pending", lambda emq: emq.remove(QUEUE, [A], actor="ann"), []),
    "forced remove": ("active", lambda emq: emq.remove(QUEUE, [A], force=True, actor="ann"), []),
}


def _name(orders: Orders, how: str, group: str) -> None:
    """The queue names the lane by one of its own keys."""
    key, client = orders.key, orders.client
    if how == "ring":
        orders.serve(group)
    elif how == "paused":
        client.sadd(key("paused"), group)
    else:
        client.hset(key(how), group, 9)


@pytest.mark.parametrize("how", ["ring", "paused", "glimit", "gactive", "gweight"])
@pytest.mark.parametrize("move", MOVES)
def test_a_move_takes_the_id_out_of_another_lane_that_the_queue_names(
    orders: Orders, emq: EchoMQ, move: str, how: str
) -> None:
    place, act, expected = MOVES[move]
    orders.put(place, A)
    orders.only_id("lane", A, group=H)
    _name(orders, how, H)

    act(emq)
    assert orders.where(A) == expected
    assert orders.ring() == []
    assert emq.claim_lane(QUEUE, 1000) is None


@pytest.mark.parametrize("move", MOVES)
def test_a_grouped_job_leaves_every_lane_but_its_own(
    orders: Orders, emq: EchoMQ, move: str
) -> None:
    place, act, expected = MOVES[move]
    own = [f"lane {G}" if name == "pending" else name for name in expected]
    orders.put("lane" if place == "pending" else place, A, group=G)
    orders.only_id("lane", A, group=H)
    orders.put("lane", B, group=H)
    orders.put("lane", C, group="other")
    orders.serve(H, "other")

    act(emq)
    assert orders.where(A) == own
    assert orders.ids("lane", H) == [B]
    assert orders.ids("lane", "other") == [C]
    assert orders.ring() == [H, "other", G] if f"lane {G}" in own else [H, "other"]


def test_an_id_in_pending_dead_a_lane_and_active_is_told_and_ends_in_one_place(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("pending", A, state="active")
    orders.only_id("dead", A)
    orders.only_id("lane", A, group=G)
    orders.serve(G)
    assert emq.requeue(QUEUE, [A], actor="ann") == {A: Outcome.REQUEUED}
    assert orders.where(A) == ["pending"]

    orders.only_id("lane", A, group=G)
    orders.serve(G)
    orders.only_id("dead", A)
    orders.only_id("active", A, score=FUTURE_MS)
    assert emq.requeue(QUEUE, [A], actor="ann") == {A: Outcome.NOT_DEAD}
    assert orders.where(A) == ["active", f"lane {G}", "pending"]
    assert emq.remove(QUEUE, [A], force=True, actor="ann") == {A: Outcome.REMOVED}
    assert orders.where(A) == []
    assert orders.ring() == []


def test_a_refused_call_leaves_the_other_lane_as_it_is(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A)
    orders.only_id("lane", A, group=H)
    orders.serve(H)
    before = orders.dump()

    assert emq.remove(QUEUE, [A], actor="ann") == {A: Outcome.ACTIVE}
    assert emq.requeue(QUEUE, [A], actor="ann") == {A: Outcome.NOT_DEAD}
    assert emq.bury(QUEUE, [A], b"x", {A: 7}, actor="ann") == {A: Outcome.CHANGED}
    orders.client.zrem(orders.key("active"), A)
    with pytest.raises(EmqState):
        emq.recover_now(QUEUE, A, 1, actor="ann")
    orders.only_id("active", A)
    assert orders.dump() == before


@pytest.mark.parametrize("broken", ["lane", "weights"])
def test_keys_of_a_wrong_type_among_the_lanes_are_passed_over(
    orders: Orders, emq: EchoMQ, broken: str
) -> None:
    orders.put("dead", A)
    orders.client.set(orders.key("g:odd:pending" if broken == "lane" else "gweight"), "x")
    orders.only_id("lane", A, group=H)
    orders.serve("odd", H)
    assert emq.requeue(QUEUE, [A], actor="ann") == {A: Outcome.REQUEUED}
    assert orders.where(A) == ["pending"]


def test_the_looks_of_one_call_are_bounded(orders: Orders, emq: EchoMQ) -> None:
    jobs = [f"JOB{n:011d}" for n in range(1000)]
    orders.put("dead", *jobs)
    groups = [f"g{n:04}" for n in range(101)]
    for group in groups:
        orders.put("lane", f"JOB-{group}", group=group)
    orders.only_id("lane", jobs[0], group=groups[99])
    orders.only_id("lane", jobs[1], group=groups[100])
    orders.serve(*groups)

    assert set(emq.requeue(QUEUE, jobs, actor="ann").values()) == {Outcome.REQUEUED}
    assert orders.where(jobs[0]) == ["pending"]
    assert orders.where(jobs[1]) == [f"lane {groups[100]}", "pending"]
