"""Jobs whose lane key holds another type: sound rows that have nowhere to wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from echomq_admin.emq import EchoMQ, EmqState, Outcome, Reaped, Swept
from tests.emq.orders import PAST_MS, QUEUE, A, G, Orders


@pytest.fixture
def homeless(orders: Orders) -> Orders:
    """The orders, with job A claimed once and its lane a string."""
    orders.client.hset(orders.row_key(A), mapping={"attempts": 1, "group": G, "payload": "{}"})
    orders.client.set(orders.key(f"g:{G}:pending"), "x")
    return orders


@pytest.mark.parametrize(
    ("place", "verb", "expected"),
    [
        ("active", lambda emq: emq.sweep(QUEUE), Swept(unreadable=(A,))),
        ("active", lambda emq: emq.reap(QUEUE), Reaped(unreadable=(A,))),
        ("schedule", lambda emq: emq.promote(QUEUE), 0),
    ],
    ids=["sweep", "reap", "promote"],
)
def test_what_would_give_it_back_moves_it_to_dead(
    homeless: Orders, place: str, verb: Callable[[EchoMQ], Any], expected: Any
) -> None:
    homeless.only_id(place, A, score=PAST_MS)
    assert verb(homeless.emq) == expected
    assert homeless.where(A) == ["dead"]


def test_an_operator_is_told_and_nothing_changes(homeless: Orders, emq: EchoMQ) -> None:
    for place in ("active", "schedule", "dead"):
        homeless.only_id(place, A)
    before = homeless.dump_all()
    assert emq.requeue(QUEUE, [A], actor="ann") == {A: Outcome.UNREADABLE}
    assert emq.promote_now(QUEUE, [A], actor="ann") == {A: Outcome.UNREADABLE}
    with pytest.raises(EmqState, match="lane"):
        emq.recover_now(QUEUE, A, 1, actor="ann")
    assert homeless.dump_all() == before


def test_its_worker_renews_and_completes_it(homeless: Orders, emq: EchoMQ) -> None:
    homeless.only_id("active", A, score=PAST_MS)
    emq.extend(QUEUE, A, 1, 30_000)
    emq.update_payload(QUEUE, A, b"new")
    emq.complete(QUEUE, A, 1)
    assert homeless.where(A) == []
    assert homeless.count("completed") == 1


def test_its_worker_reports_a_failure(homeless: Orders, emq: EchoMQ) -> None:
    homeless.only_id("active", A, score=PAST_MS)
    assert emq.retry(QUEUE, A, 1, 1000, 5, b"boom") is Outcome.SCHEDULED
    assert homeless.where(A) == ["schedule"]


@pytest.mark.parametrize("place", ["pending", "dead"])
def test_it_can_be_buried_or_removed(homeless: Orders, emq: EchoMQ, place: str) -> None:
    homeless.only_id(place, A)
    word = Outcome.BURIED if place == "pending" else Outcome.ALREADY_DEAD
    assert emq.bury(QUEUE, [A], b"poison") == {A: word}
    assert emq.remove(QUEUE, [A]) == {A: Outcome.REMOVED}
    assert homeless.where(A) == []
