"""Where several outcomes fit, the first of a fixed order is the answer."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, EmqStale, EmqState, Gone, Outcome
from tests.emq.orders import QUEUE, A, C, Orders

WRONG = {A: 9}


def _spoil(orders: Orders) -> None:
    orders.client.hset(orders.row_key(A), mapping={"attempts": "abc", "parent": C})


def _child(orders: Orders, place: str) -> None:
    orders.put(place, A, parent=C, parent_queue="letters")


def test_unreadable_comes_before_everything(orders: Orders, emq: EchoMQ) -> None:
    _spoil(orders)
    assert emq.requeue(QUEUE, [A], WRONG) == {A: Outcome.UNREADABLE}
    assert emq.promote_now(QUEUE, [A], WRONG) == {A: Outcome.UNREADABLE}
    assert emq.return_to_dead(QUEUE, {A: (9, None, None)}) == {A: Outcome.UNREADABLE}
    assert emq.bury(QUEUE, [A], b"x", WRONG) == {A: Outcome.UNREADABLE}


def test_gone_comes_before_the_wrong_set(emq: EchoMQ) -> None:
    assert emq.requeue(QUEUE, [A], WRONG) == {A: Outcome.GONE}
    assert emq.promote_now(QUEUE, [A], WRONG) == {A: Outcome.GONE}
    assert emq.return_to_dead(QUEUE, {A: (9, None, None)}) == {A: Outcome.GONE}
    assert emq.bury(QUEUE, [A], b"x", WRONG) == {A: Outcome.GONE}
    assert emq.remove(QUEUE, [A], WRONG) == {A: Outcome.GONE}


def test_the_wrong_set_comes_before_a_changed_job(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A)
    assert emq.requeue(QUEUE, [A], WRONG) == {A: Outcome.NOT_DEAD}
    assert emq.promote_now(QUEUE, [A], WRONG) == {A: Outcome.NOT_SCHEDULED}
    assert emq.return_to_dead(QUEUE, {A: (9, None, None)}) == {A: Outcome.NOT_WAITING}
    emq.remove(QUEUE, [A], force=True)
    _child(orders, "dead")
    assert emq.bury(QUEUE, [A], b"x", WRONG) == {A: Outcome.ALREADY_DEAD}


@pytest.mark.parametrize("force", [False, True])
def test_changed_comes_before_active_locked_and_child(
    orders: Orders, emq: EchoMQ, force: bool
) -> None:
    _child(orders, "active")
    orders.client.set(orders.key(f"job:{A}:lock"), "x")

    assert emq.bury(QUEUE, [A], b"x", WRONG, force) == {A: Outcome.CHANGED}
    assert emq.remove(QUEUE, [A], WRONG, force) == {A: Outcome.CHANGED}


def test_active_comes_before_locked_and_locked_before_child(orders: Orders, emq: EchoMQ) -> None:
    _child(orders, "active")
    orders.client.set(orders.key(f"job:{A}:lock"), "x")
    assert emq.bury(QUEUE, [A], b"x") == {A: Outcome.ACTIVE}
    assert emq.remove(QUEUE, [A]) == {A: Outcome.ACTIVE}

    orders.client.zrem(orders.key("active"), A)
    _child(orders, "pending")
    assert emq.remove(QUEUE, [A]) == {A: Outcome.LOCKED}
    orders.client.delete(orders.key(f"job:{A}:lock"))
    assert emq.remove(QUEUE, [A]) == {A: Outcome.CHILD}
    assert emq.bury(QUEUE, [A], b"x") == {A: Outcome.CHILD}


def test_force_overrides_active_locked_and_child_at_once(orders: Orders, emq: EchoMQ) -> None:
    _child(orders, "active")
    orders.client.set(orders.key(f"job:{A}:lock"), "x")

    assert emq.remove(QUEUE, [A], {A: 1}, force=True) == {A: Outcome.REMOVED}
    assert orders.dump() == {}


def test_ids_without_a_token_are_not_fenced(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, attempts=5)
    assert emq.requeue(QUEUE, [A], {}) == {A: Outcome.REQUEUED}


def test_verbs_on_one_job_tell_a_missing_row_from_a_lost_lease(orders: Orders, emq: EchoMQ) -> None:
    with pytest.raises(Gone):
        emq.recover_now(QUEUE, A, 9)
    _child(orders, "active")
    with pytest.raises(EmqStale):
        emq.recover_now(QUEUE, A, 9)
    orders.client.zrem(orders.key("active"), A)
    with pytest.raises(EmqState):
        emq.recover_now(QUEUE, A, 9)
