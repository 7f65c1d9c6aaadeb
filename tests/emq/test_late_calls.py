"""A worker that wakes up late: its job was taken from it, and exactly one owner is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from echomq_admin.emq import Claim, EchoMQ, EmqError, EmqStale, EmqState, Gone
from tests.emq.orders import FUTURE_MS, QUEUE, A, G, Orders

TOKEN = 1
Take = Callable[[Orders], Any]


def _swept(orders: Orders, max_stalled: int) -> None:
    orders.lapse(A)
    orders.emq.sweep(QUEUE, max_stalled)


def _claimed_again(orders: Orders) -> Claim | None:
    _swept(orders, 2)
    return orders.emq.claim(QUEUE, 30_000) or orders.emq.claim_lane(QUEUE, 30_000)


def _reaped(orders: Orders) -> None:
    orders.lapse(A)
    orders.emq.reap(QUEUE)


def _requeued(orders: Orders) -> None:
    _swept(orders, 1)
    orders.emq.requeue(QUEUE, [A])


def _removed(orders: Orders) -> None:
    orders.emq.remove(QUEUE, [A], force=True)


WAITING = {"complete": None, "retry": EmqState, "extend": EmqState}
CLAIMED = {"complete": EmqStale, "retry": EmqStale, "extend": EmqStale}
REMOVED = {"complete": Gone, "retry": EmqStale, "extend": Gone}
# how the job was taken from the worker: (what takes it, what each late call then answers)
TAKEN: dict[str, tuple[Take, dict[str, Any]]] = {
    "recovered": (lambda orders: _swept(orders, 2), WAITING),
    "dead": (lambda orders: _swept(orders, 1), WAITING),
    "recovered and claimed again": (_claimed_again, CLAIMED),
    "reaped": (_reaped, WAITING),
    "reaped with its lane": (lambda o: (o.lapse(A), o.emq.reap_group(QUEUE, G)), WAITING),
    "recovered now": (lambda orders: orders.emq.recover_now(QUEUE, A, TOKEN, 2), WAITING),
    "dead now": (lambda orders: orders.emq.recover_now(QUEUE, A, TOKEN, 1), WAITING),
    "buried": (lambda o: o.emq.bury(QUEUE, [A], b"poison", {A: TOKEN}), WAITING),
    "dead and requeued": (_requeued, WAITING),
    "removed": (_removed, REMOVED),
}
LATE_ARGS = {"complete": (), "retry": (0, 5, b"late"), "extend": (30_000,)}


@pytest.mark.parametrize("group", [None, G], ids=["flat", "in a lane"])
@pytest.mark.parametrize("late", LATE_ARGS)
@pytest.mark.parametrize("taken", TAKEN)
def test_a_late_call_leaves_exactly_one_owner(
    orders: Orders, taken: str, late: str, group: str | None
) -> None:
    if group is None and taken == "reaped with its lane":
        taken = "reaped"
    take, answers = TAKEN[taken]
    claim = _first_claim(orders, group)
    take(orders)
    before = orders.dump()

    answer = _call(orders, late, claim.attempts)

    assert answer == answers[late]
    if answer is None:
        assert orders.where(A) == []
        assert orders.row(A) == {}
        assert orders.count("completed") == 1
    else:
        assert orders.dump() == before
    _one_owner(orders, group)


def _first_claim(orders: Orders, group: str | None) -> Claim:
    orders.emq.enqueue(QUEUE, A, b"{}", group)
    claim = orders.emq.claim(QUEUE, 30_000) or orders.emq.claim_lane(QUEUE, 30_000)
    assert claim is not None
    return claim


def _call(orders: Orders, late: str, token: int) -> Any:
    try:
        return getattr(orders.emq, late)(QUEUE, A, token, *LATE_ARGS[late])
    except EmqError as refusal:
        return type(refusal)


def _one_owner(orders: Orders, group: str | None) -> None:
    """At most one worker can hold the job, whoever asks, and counters agree with that."""
    held = orders.where(A)
    assert len(held) == (1 if orders.row(A) else 0)
    in_flight = orders.in_flight(G)
    assert in_flight == (1 if group and held == ["active"] else None)
    claims = [orders.emq.claim(QUEUE, 30_000), orders.emq.claim_lane(QUEUE, 30_000)]
    owners = [claim for claim in claims if claim] + [job for job in held if job == "active"]
    assert len(owners) <= 1
    assert orders.emq.claim_lane(QUEUE, 30_000) is None


def test_a_late_complete_takes_the_job_out_of_every_set_and_lane(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("lane", A, group=G)
    for place in ("pending", "active", "schedule", "dead"):
        orders.only_id(place, A)
    orders.client.hset(orders.key("gactive"), G, 1)
    orders.serve(G)

    emq.complete(QUEUE, A, TOKEN)

    assert orders.dump() == {orders.key("metrics:completed"): {b"count": b"1"}}


def test_a_late_complete_of_a_job_that_waits_for_its_back_off_ends_it(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("schedule", A)
    emq.complete(QUEUE, A, TOKEN)

    assert orders.where(A) == []


def test_a_lease_that_lapsed_but_was_not_swept_is_still_the_workers(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("active", A)
    orders.lapse(A)

    emq.extend(QUEUE, A, TOKEN, 60_000)
    assert orders.now_ms() < (orders.score("active", A) or 0) < FUTURE_MS
    orders.lapse(A)
    assert emq.retry(QUEUE, A, TOKEN, 0, 5, b"late") == "scheduled"
