"""Ids that two sets hold at once, as scripts that judge too late leave them: a move ends that."""

from __future__ import annotations

import pytest

from echomq_admin.emq import Drained, EchoMQ, Outcome, Reaped, Swept
from tests.emq.orders import FUTURE_MS, PAST_MS, QUEUE, A, G, Orders

WAITING = ("pending", "schedule", "dead")


def _held_by(orders: Orders, *places: str, active: float | None = None) -> None:
    orders.put(places[0], A)
    for place in places[1:]:
        orders.only_id(place, A, score=0)
    if active is not None:
        orders.only_id("active", A, score=active)


def test_a_claim_leaves_a_job_in_active_only(orders: Orders, emq: EchoMQ) -> None:
    _held_by(orders, *WAITING)

    assert emq.claim(QUEUE, 30_000) is not None
    assert orders.where(A) == ["active"]


def test_a_claim_of_a_job_that_is_active_too_counts_its_slot_once(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("lane", A, group=G)
    orders.serve(G)
    orders.only_id("active", A)
    orders.client.hset(orders.key("gactive"), G, 1)

    claim = emq.claim_lane(QUEUE, 30_000)
    assert claim is not None
    assert orders.where(A) == ["active"]
    assert orders.ring() == []
    assert orders.in_flight(G) == 1
    emq.complete(QUEUE, A, claim.attempts)
    assert orders.in_flight(G) is None


@pytest.mark.parametrize(("max_attempts", "place"), [(9, "schedule"), (1, "dead")])
def test_a_retry_leaves_a_job_in_one_set(
    orders: Orders, emq: EchoMQ, max_attempts: int, place: str
) -> None:
    _held_by(orders, *WAITING, active=FUTURE_MS)

    emq.retry(QUEUE, A, 1, 60_000, max_attempts, b"boom")
    assert orders.where(A) == [place]


@pytest.mark.parametrize(
    ("end", "expected", "place"),
    [
        (lambda emq: emq.sweep(QUEUE, 2), Swept(recovered=(A,)), "pending"),
        (lambda emq: emq.sweep(QUEUE, 1), Swept(dead=(A,)), "dead"),
        (lambda emq: emq.reap(QUEUE), Reaped(recovered=(A,)), "pending"),
        (lambda emq: emq.recover_now(QUEUE, A, 1, 2), Outcome.RECOVERED, "pending"),
        (lambda emq: emq.bury(QUEUE, [A], b"x", {A: 1}), {A: Outcome.BURIED}, "dead"),
    ],
    ids=["sweep", "sweep that kills", "reap", "recover now", "bury"],
)
def test_the_end_of_a_lease_leaves_a_job_in_one_set(
    orders: Orders, emq: EchoMQ, end: object, expected: object, place: str
) -> None:
    _held_by(orders, *WAITING, active=PAST_MS)

    assert end(emq) == expected
    assert orders.where(A) == [place]


def test_a_grouped_job_in_flat_pending_goes_back_to_its_lane(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, score=PAST_MS, group=G)
    for place in WAITING:
        orders.only_id(place, A)

    emq.reap(QUEUE)
    assert orders.where(A) == [f"lane {G}"]


@pytest.mark.parametrize("promote", ["promote", "promote_now"])
def test_a_promoted_job_is_in_one_set(orders: Orders, emq: EchoMQ, promote: str) -> None:
    _held_by(orders, "schedule", "dead")
    orders.only_id("schedule", A, score=PAST_MS)

    getattr(emq, promote)(QUEUE, *([[A]] if promote == "promote_now" else []))
    assert orders.where(A) == ["pending"]


def test_a_job_in_flight_is_not_promoted_or_returned_to_dead(orders: Orders, emq: EchoMQ) -> None:
    _held_by(orders, "schedule", active=FUTURE_MS)
    assert emq.promote_now(QUEUE, [A]) == {A: Outcome.NOT_SCHEDULED}
    assert "pending" not in orders.where(A)

    orders.only_id("pending", A)
    before = orders.dump()
    assert emq.return_to_dead(QUEUE, {A: (1, None, None)}) == {A: Outcome.NOT_WAITING}
    assert orders.dump() == before


def test_a_job_in_dead_and_in_a_waiting_set_can_be_returned_to_dead_or_buried(
    orders: Orders, emq: EchoMQ
) -> None:
    _held_by(orders, "pending", "dead")
    assert emq.return_to_dead(QUEUE, {A: (1, b"boom", None)}) == {A: Outcome.RETURNED}
    assert orders.where(A) == ["dead"]

    orders.only_id("pending", A)
    assert emq.bury(QUEUE, [A], b"poison") == {A: Outcome.BURIED}
    assert orders.where(A) == ["dead"]


def test_a_drain_keeps_the_row_of_a_job_that_is_in_flight(orders: Orders, emq: EchoMQ) -> None:
    _held_by(orders, "pending", active=FUTURE_MS)

    assert emq.drain(QUEUE) == Drained(removed=0, more=False)
    assert orders.where(A) == ["active"]
    assert orders.row(A)


def test_a_job_that_is_scheduled_anew_is_in_one_set_though_an_orphan_was_left(
    orders: Orders, emq: EchoMQ
) -> None:
    for place in ("pending", "active", "dead"):
        orders.only_id(place, A)

    assert emq.schedule(QUEUE, A, b"{}", in_ms=60_000)
    assert orders.where(A) == ["schedule"]
