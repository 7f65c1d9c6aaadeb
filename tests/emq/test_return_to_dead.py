"""The undo of a requeue: back to dead while the job still waits, as it was."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, Outcome
from tests.emq.orders import QUEUE, A, B, C, G, Orders


@pytest.mark.parametrize("group", [None, G], ids=["flat", "in a lane"])
@pytest.mark.parametrize("reset_stalls", [True, False])
def test_it_undoes_a_requeue_to_the_last_byte(
    orders: Orders, emq: EchoMQ, group: str | None, reset_stalls: bool
) -> None:
    fields = {} if group is None else {"group": group}
    orders.put("dead", A, attempts=3, stalled=2, last_error=b"\xff\x00 boom", **fields)
    orders.client.hset(orders.key("metrics:failed"), "count", 7)
    before = orders.dump()

    emq.requeue(QUEUE, [A], reset_stalls=reset_stalls)
    assert emq.return_to_dead(QUEUE, {A: (3, b"\xff\x00 boom", 2)}) == {A: Outcome.RETURNED}
    orders.client.delete(orders.key("wake"))
    assert orders.dump() == before


def test_a_job_that_had_neither_error_nor_stalls_gets_none(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A, stalled=5, last_error="other")

    emq.return_to_dead(QUEUE, {A: (1, None, None)})
    assert orders.row(A) == {b"state": b"dead", b"attempts": b"1", b"payload": b"{}"}


def test_an_empty_error_and_no_stalls_are_values_too(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)

    emq.return_to_dead(QUEUE, {A: (1, b"", 0)})
    assert orders.row(A)[b"last_error"] == b""
    assert orders.row(A)[b"stalled"] == b"0"


def test_each_id_answers_for_itself(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)
    orders.put("active", B)
    orders.put("pending", C, attempts=2)
    orders.put("schedule", "JOBx")
    orders.put("dead", "JOBy")
    given = (1, b"boom", None)

    answer = emq.return_to_dead(QUEUE, dict.fromkeys([A, B, C, "JOBx", "JOBy", "JOBz"], given))
    assert answer == {
        A: Outcome.RETURNED,
        B: Outcome.NOT_WAITING,
        C: Outcome.CHANGED,
        "JOBx": Outcome.NOT_WAITING,
        "JOBy": Outcome.NOT_WAITING,
        "JOBz": Outcome.GONE,
    }
    assert orders.ids("dead") == [A, "JOBy"]


def test_a_lane_that_becomes_empty_leaves_the_ring(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, group=G)
    orders.serve("other", G)

    emq.return_to_dead(QUEUE, {A: (1, None, None)})
    assert orders.ring() == ["other"]


def test_the_failed_counter_is_left_alone(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)

    emq.return_to_dead(QUEUE, {A: (1, b"boom", 1)})
    assert orders.count("failed") == 0


def test_1500_jobs_return_in_one_call(orders: Orders, emq: EchoMQ) -> None:
    ids = [f"JOB{n:011d}" for n in range(1500)]
    orders.put("pending", *ids)

    answer = emq.return_to_dead(QUEUE, dict.fromkeys(ids, (1, b"boom", 1)), op_id="op-1")
    assert set(answer.values()) == {Outcome.RETURNED}
    assert orders.ids("dead") == ids
    assert orders.client.exists("emqadmin:{orders}:op:op-1.1") == 1
