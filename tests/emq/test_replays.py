"""A call with a name happens once: its second run moves nothing and answers the same."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, EmqError, EmqReplay, EmqStale, EmqState, Outcome
from tests.emq.orders import QUEUE, A, B, Orders
from tests.emq.verbs import CALLS, Call, name_of

DAY_MS = 24 * 3600 * 1000
KEPT = b"emqadmin:{orders}:op:op-1"
every_verb = pytest.mark.parametrize("call", CALLS, ids=name_of)


@every_verb
def test_a_second_call_under_one_op_id_moves_nothing_and_answers_the_same(
    orders: Orders, call: Call
) -> None:
    call.prepare(orders)
    before = orders.dump()
    first = call.run(orders, actor="ann", op_id="op-1")
    after = orders.dump_all()
    assert orders.dump() != before

    assert call.run(orders, actor="ann", op_id="op-1") == first
    assert call.run(orders, op_id="op-1") == first
    assert orders.dump_all() == after


@every_verb
def test_another_verb_under_the_same_op_id_is_refused(orders: Orders, call: Call) -> None:
    call.prepare(orders)
    call.run(orders, op_id="op-1")
    after = orders.dump_all()
    other = next(other for other in CALLS if other.verb != call.verb)

    with pytest.raises(EmqReplay):
        other.run(orders, actor="ann", op_id="op-1")
    assert orders.dump_all() == after


@every_verb
def test_a_reply_is_kept_for_a_day(orders: Orders, call: Call) -> None:
    call.prepare(orders)
    call.run(orders, op_id="op-1")

    assert DAY_MS - 60_000 < orders.client.pttl(KEPT) <= DAY_MS


@every_verb
def test_without_an_op_id_nothing_is_kept(orders: Orders, call: Call) -> None:
    call.prepare(orders)
    call.run(orders, actor="ann")

    assert orders.client.keys("emqadmin:*") == [b"emqadmin:{orders}:audit"]


def test_a_call_that_moved_nothing_is_kept_too(orders: Orders, emq: EchoMQ) -> None:
    assert emq.claim(QUEUE, 30_000, op_id="op-1") is None
    orders.put("pending", A)

    assert emq.claim(QUEUE, 30_000, op_id="op-1") is None
    assert orders.where(A) == ["pending"]


def test_an_error_is_not_kept(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, attempts=2)
    with pytest.raises(EmqStale):
        emq.complete(QUEUE, A, 1, op_id="op-1")
    assert orders.client.exists(KEPT) == 0

    emq.complete(QUEUE, A, 2, op_id="op-1")
    emq.complete(QUEUE, A, 2, op_id="op-1")
    assert orders.count("completed") == 1


def test_an_op_id_belongs_to_one_queue(orders: Orders, emq: EchoMQ) -> None:
    assert emq.pause(QUEUE, op_id="op-1")
    assert emq.pause("letters", op_id="op-1")


def test_a_replay_with_other_ids_moves_none_of_them(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, B)
    assert emq.requeue(QUEUE, [A], op_id="op-1") == {A: Outcome.REQUEUED}
    after = orders.dump_all()

    emq.requeue(QUEUE, [A, B], op_id="op-1")
    assert orders.dump_all() == after


def test_a_late_double_click_does_not_requeue_a_job_that_died_again(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("dead", A)
    emq.requeue(QUEUE, [A], op_id="op-1")
    emq.bury(QUEUE, [A], b"again")

    assert emq.requeue(QUEUE, [A], op_id="op-1") == {A: Outcome.REQUEUED}
    assert orders.where(A) == ["dead"]


def test_each_call_of_a_loop_has_its_own_name(orders: Orders, emq: EchoMQ) -> None:
    ids = [f"JOB{n:011d}" for n in range(2500)]
    orders.put("dead", *ids)
    first = emq.requeue(QUEUE, ids, actor="ann", op_id="op-1")

    assert set(first.values()) == {Outcome.REQUEUED}
    assert set(orders.client.keys("emqadmin:{orders}:op:*")) == {KEPT, KEPT + b".1", KEPT + b".2"}
    after = orders.dump_all()
    assert emq.requeue(QUEUE, ids, actor="ann", op_id="op-1") == first
    assert orders.dump_all() == after


def test_a_loop_that_broke_off_goes_on_where_it_was(orders: Orders, emq: EchoMQ) -> None:
    ids = [f"JOB{n:011d}" for n in range(1500)]
    orders.put("dead", *ids)
    emq.requeue(QUEUE, ids[:1000], op_id="op-1")
    orders.put("dead", ids[0])

    assert set(emq.requeue(QUEUE, ids, op_id="op-1").values()) == {Outcome.REQUEUED}
    assert orders.ids("dead") == [ids[0]]


def test_a_long_sweep_names_its_calls(orders: Orders, emq: EchoMQ) -> None:
    ids = tuple(f"JOB{n:011d}" for n in range(1200))
    orders.put("active", *ids, score=1)
    first = emq.sweep(QUEUE, 2, 5000, op_id="op-1")

    assert first.recovered == ids
    assert orders.client.exists(KEPT, KEPT + b".1") == 2
    assert emq.sweep(QUEUE, 2, 5000, op_id="op-1") == first
    assert all(int(orders.row(job)[b"stalled"]) == 1 for job in ids[::100])


@pytest.mark.parametrize("kept", [b"\xc1", b"", b"not a reply"])
def test_a_kept_reply_that_cannot_be_read_refuses_the_call(
    orders: Orders, emq: EchoMQ, kept: bytes
) -> None:
    orders.put("dead", A)
    orders.client.set(KEPT, kept)
    before = orders.dump_all()

    with pytest.raises(EmqError) as refusal:
        emq.requeue(QUEUE, [A], op_id="op-1")
    assert isinstance(refusal.value, EmqState | EmqReplay)
    assert orders.dump_all() == before
