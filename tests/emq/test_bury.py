"""Bury: an operator takes a poison job out of the way, with the reason on record."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, Outcome
from tests.emq.orders import QUEUE, A, B, C, G, Orders


@pytest.mark.parametrize("place", ["pending", "schedule"])
def test_a_waiting_job_is_buried_with_the_reason_as_its_error(
    orders: Orders, emq: EchoMQ, place: str
) -> None:
    orders.put(place, A, attempts=2, stalled=1, last_error="old")

    assert emq.bury(QUEUE, [A], b"\xff poison") == {A: Outcome.BURIED}
    assert orders.where(A) == ["dead"]
    assert orders.score("dead", A) == 0
    assert orders.row(A) == {
        b"state": b"dead", b"attempts": b"2", b"payload": b"{}", b"stalled": b"1",
        b"last_error": b"\xff poison",
    }  # fmt: skip


def test_a_reason_may_be_text(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)

    emq.bury(QUEUE, [A], "Gift für alle")
    assert orders.row(A)[b"last_error"] == "Gift für alle".encode()


def test_a_job_is_buried_from_its_lane_and_the_lane_settles(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, group=G)
    orders.serve(G)

    assert emq.bury(QUEUE, [A], b"poison") == {A: Outcome.BURIED}
    assert orders.where(A) == ["dead"]
    assert orders.ring() == []


def test_the_failed_counter_counts_what_workers_report_only(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)

    emq.bury(QUEUE, [A], b"poison")
    assert orders.count("failed") == 0


def test_an_active_job_needs_its_token_or_force(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, B, attempts=3, group=G)
    orders.client.hset(orders.key("gactive"), G, 2)
    before = orders.dump()

    assert emq.bury(QUEUE, [A], b"poison") == {A: Outcome.ACTIVE}
    assert emq.bury(QUEUE, [A], b"poison", {B: 3}) == {A: Outcome.ACTIVE}
    assert emq.bury(QUEUE, [A], b"poison", {A: 2}) == {A: Outcome.CHANGED}
    assert orders.dump() == before

    assert emq.bury(QUEUE, [A], b"poison", {A: 3}) == {A: Outcome.BURIED}
    assert orders.in_flight(G) == 1
    assert emq.bury(QUEUE, [B], b"poison", force=True) == {B: Outcome.BURIED}
    assert orders.in_flight(G) is None


def test_force_never_overrides_a_token_that_is_no_more(orders: Orders, emq: EchoMQ) -> None:
    for place in ("active", "pending"):
        orders.put(place, A, attempts=3)
        assert emq.bury(QUEUE, [A], b"poison", {A: 2}, force=True) == {A: Outcome.CHANGED}
        emq.remove(QUEUE, [A], force=True)


def test_a_child_is_buried_only_by_force(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A, parent=C)
    orders.put("pending", B, parent=C, parent_queue="letters")
    orders.client.hset(orders.row_key(C), mapping={"state": "awaiting_children"})

    assert emq.bury(QUEUE, [A, B], b"poison") == {A: Outcome.CHILD, B: Outcome.CHILD}
    assert emq.bury(QUEUE, [A, B], b"poison", force=True) == {
        A: Outcome.BURIED,
        B: Outcome.BURIED,
    }


def test_a_parent_that_waits_for_its_children_is_never_buried_unasked(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.client.hset(
        orders.row_key(A), mapping={"state": "awaiting_children", "attempts": 0, "payload": "p"}
    )
    before = orders.dump()

    assert emq.bury(QUEUE, [A], b"poison")[A] != Outcome.BURIED
    assert orders.dump() == before


def test_each_id_answers_for_itself(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, last_error="boom")
    orders.put("pending", B)

    assert emq.bury(QUEUE, [A, B, C], b"poison") == {
        A: Outcome.ALREADY_DEAD,
        B: Outcome.BURIED,
        C: Outcome.GONE,
    }
    assert orders.row(A)[b"last_error"] == b"boom"


def test_a_buried_job_leaves_every_other_waiting_set(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, group=G)
    orders.only_id("pending", A)
    orders.only_id("schedule", A)

    assert emq.bury(QUEUE, [A], b"poison") == {A: Outcome.BURIED}
    assert orders.where(A) == ["dead"]
