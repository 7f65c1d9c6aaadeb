"""Rows that nobody can work on: set aside untouched, told, and always removable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from echomq_admin.emq import EchoMQ, EmqState, Outcome, Reaped, Swept
from tests.emq.orders import PAST_MS, QUEUE, A, B, G, Orders

Spoil = Callable[[Orders, str], None]


def _is_a_string(orders: Orders, job: str) -> None:
    orders.client.set(orders.row_key(job), "x")


def _is_a_list(orders: Orders, job: str) -> None:
    orders.client.rpush(orders.row_key(job), "x")


def _attempts(value: str) -> Spoil:
    return lambda orders, job: orders.client.hset(
        orders.row_key(job), mapping={"attempts": value, "payload": "p", "state": "?"}
    )


SPOILT: dict[str, Spoil] = {
    "a string": _is_a_string,
    "a list": _is_a_list,
    "attempts abc": _attempts("abc"),
    "attempts empty": _attempts(""),
    "attempts 1.5": _attempts("1.5"),
    "attempts with a space": _attempts(" 1"),
    "attempts beyond 64 bits": _attempts("99999999999999999999"),
    "attempts 0x10": _attempts("0x10"),
}
spoilt = pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)


@spoilt
@pytest.mark.parametrize(
    ("place", "verb", "expected"),
    [
        ("active", lambda emq: emq.sweep(QUEUE), Swept(unreadable=(A,))),
        ("active", lambda emq: emq.reap(QUEUE), Reaped(unreadable=(A,))),
        ("schedule", lambda emq: emq.promote(QUEUE), 0),
        ("pending", lambda emq: emq.claim(QUEUE, 30_000), None),
    ],
    ids=["sweep", "reap", "promote", "claim"],
)
def test_what_walks_a_set_moves_an_unreadable_row_to_dead_untouched(
    orders: Orders, spoil: Spoil, place: str, verb: Callable[[EchoMQ], Any], expected: Any
) -> None:
    spoil(orders, A)
    row = orders.dump()[orders.row_key(A)]
    orders.only_id(place, A, score=PAST_MS if place != "pending" else 0)

    assert verb(orders.emq) == expected
    assert orders.where(A) == ["dead"]
    assert orders.score("dead", A) == 0
    assert orders.dump()[orders.row_key(A)] == row
    assert orders.count("failed") == 0


@spoilt
def test_a_walk_goes_on_behind_an_unreadable_row(orders: Orders, emq: EchoMQ, spoil: Spoil) -> None:
    spoil(orders, A)
    orders.only_id("pending", A)
    orders.put("pending", B)

    claim = emq.claim(QUEUE, 30_000)
    assert claim is not None
    assert claim.job_id == B


def test_a_lane_claim_sets_an_unreadable_row_aside_and_goes_on(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, B, group=G)
    orders.client.delete(orders.row_key(A))
    _is_a_string(orders, A)
    orders.serve(G)

    claim = emq.claim_lane(QUEUE, 30_000)
    assert claim is not None
    assert claim.job_id == B
    assert orders.where(A) == ["dead"]
    assert orders.ring() == []


def test_reap_group_sets_aside_what_does_not_say_its_lane(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", B, score=PAST_MS, group="other", attempts="abc")
    _is_a_string(orders, A)
    orders.only_id("active", A, score=PAST_MS)

    assert emq.reap_group(QUEUE, G) == Reaped(unreadable=(A,))
    assert orders.where(B) == ["active"], "it is another lane's"


def test_a_grouped_job_set_aside_gives_its_lane_slot_back(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, score=PAST_MS, group=G, attempts="abc")
    orders.put("lane", B, group=G)
    orders.client.hset(orders.key("gactive"), G, 1)
    orders.client.hset(orders.key("glimit"), G, 1)

    assert emq.sweep(QUEUE) == Swept(unreadable=(A,))
    assert orders.in_flight(G) is None
    assert orders.ring() == [G]
    assert orders.wakes() == 1


@spoilt
def test_verbs_on_named_jobs_answer_unreadable_and_change_nothing(
    orders: Orders, emq: EchoMQ, spoil: Spoil
) -> None:
    spoil(orders, A)
    for place in ("pending", "active", "schedule", "dead"):
        orders.only_id(place, A)
    before = orders.dump_all()

    asked = {"actor": "ann"}
    assert emq.requeue(QUEUE, [A], {A: 1}, **asked) == {A: Outcome.UNREADABLE}
    assert emq.promote_now(QUEUE, [A], **asked) == {A: Outcome.UNREADABLE}
    assert emq.bury(QUEUE, [A], b"poison", force=True, **asked) == {A: Outcome.UNREADABLE}
    assert emq.return_to_dead(QUEUE, {A: (1, None, None)}, **asked) == {A: Outcome.UNREADABLE}
    assert orders.dump_all() == before


@spoilt
def test_verbs_on_one_job_refuse_an_unreadable_row(
    orders: Orders, emq: EchoMQ, spoil: Spoil
) -> None:
    spoil(orders, A)
    orders.only_id("active", A)
    before = orders.dump_all()

    for call in (
        lambda: emq.complete(QUEUE, A, 1, actor="ann"),
        lambda: emq.retry(QUEUE, A, 1, 0, 3, b"boom", actor="ann"),
        lambda: emq.extend(QUEUE, A, 1, 30_000, actor="ann"),
        lambda: emq.recover_now(QUEUE, A, 1, actor="ann"),
        lambda: emq.update_payload(QUEUE, A, b"x", actor="ann"),
    ):
        with pytest.raises(EmqState):
            call()
    assert orders.dump_all() == before


@spoilt
def test_an_unreadable_row_can_be_removed(orders: Orders, emq: EchoMQ, spoil: Spoil) -> None:
    spoil(orders, A)
    orders.only_id("dead", A)

    assert emq.remove(QUEUE, [A]) == {A: Outcome.REMOVED}
    assert orders.where(A) == []
    assert orders.row_key(A) not in orders.dump()


def test_removing_a_grouped_job_whose_row_became_a_string_takes_it_out_of_its_lane(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("lane", A, group=G)
    orders.client.delete(orders.row_key(A))
    _is_a_string(orders, A)
    orders.serve(G)

    assert emq.remove(QUEUE, [A]) == {A: Outcome.REMOVED}
    assert orders.dump() == {}


def test_an_existing_row_of_any_kind_stops_a_producer(orders: Orders, emq: EchoMQ) -> None:
    for spoil in SPOILT.values():
        orders.client.flushdb()
        spoil(orders, A)
        before = orders.dump()
        assert not emq.enqueue(QUEUE, A, b"{}")
        assert not emq.schedule(QUEUE, A, b"{}", in_ms=0)
        assert orders.dump() == before


def test_absent_attempts_count_as_none_yet(orders: Orders, emq: EchoMQ) -> None:
    orders.client.hset(orders.row_key(A), mapping={"payload": "p"})
    orders.only_id("dead", A)

    assert emq.requeue(QUEUE, [A], {A: 0}) == {A: Outcome.REQUEUED}
    claim = emq.claim(QUEUE, 30_000)
    assert claim is not None
    assert claim.attempts == 1


def test_a_job_without_a_payload_is_claimed_with_an_empty_one(orders: Orders, emq: EchoMQ) -> None:
    orders.client.hset(orders.row_key(A), mapping={"state": "pending", "attempts": 0})
    orders.only_id("pending", A)

    claim = emq.claim(QUEUE, 30_000)
    assert claim is not None
    assert claim.payload == b""
