"""Names of any bytes: queues, groups and ids make the round trip, and only they are touched."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, EmqKind, Outcome
from tests.emq.keys import dump
from tests.emq.orders import PAST_MS, QUEUE, A, Orders

ODD_QUEUES = [
    "foo/bar.baz", "task:email", "q+name", "q name", "a#b", "a?b", "a%2Fb", "é", "..", "a}b",
    "a*[b]", "", "}", "\udcff\x00", "emq", "x" * 129, "a}:pending",
]  # fmt: skip
ODD_IDS = [
    "user/234", "a%2Fb", "a b", "ü", "..", "?x=1#y", "", "x" * 4096, "JOB\udcff\x00/",
    "CMD0KHTOWnGLuA", "JOBzzzzzzzzzzz", "-1", "\n",
]  # fmt: skip
odd_queues = pytest.mark.parametrize("queue", ODD_QUEUES, ids=ascii)


@pytest.mark.parametrize("queue", [name for name in ODD_QUEUES if name != ".."], ids=ascii)
def test_producers_may_not_use_a_name_outside_the_grammar(
    orders: Orders, emq: EchoMQ, queue: str
) -> None:
    with pytest.raises(ValueError, match="name"):
        emq.enqueue(queue, A, b"{}")
    with pytest.raises(ValueError, match="name"):
        emq.enqueue(queue, A, b"{}", "group")
    with pytest.raises(ValueError, match="name"):
        emq.schedule(queue, A, b"{}", in_ms=1)
    assert orders.dump_all() == {}


@pytest.mark.parametrize("queue", ["a", "A-z_0.9", "x" * 128, "emq2", ".", "-"])
def test_producers_may_use_a_name_of_the_grammar(emq: EchoMQ, queue: str) -> None:
    assert emq.enqueue(queue, A, b"{}")


@odd_queues
def test_a_queue_of_any_name_is_worked_on_and_only_that_queue(orders: Orders, queue: str) -> None:
    for name in {*ODD_QUEUES} - {queue}:
        Orders(orders.client, name).put("pending", A)
    others = dump(orders.client)
    odd = Orders(orders.client, queue)
    odd.put("pending", A)

    emq = odd.emq
    claim = emq.claim(queue, 30_000, actor="ann")
    assert claim is not None
    emq.extend(queue, A, claim.attempts, 60_000)
    odd.lapse(A)
    assert emq.sweep(queue, 1).dead == (A,)
    assert emq.requeue(queue, [A]) == {A: Outcome.REQUEUED}
    assert emq.pause(queue)
    assert emq.obliterate(queue) is False
    assert dump(orders.client) == others


@pytest.mark.parametrize("job", ODD_IDS, ids=lambda job: ascii(job[:20]))
def test_an_id_of_any_bytes_is_acted_on_and_only_that_id(
    orders: Orders, emq: EchoMQ, job: str
) -> None:
    orders.put("dead", job, *({*ODD_IDS} - {job}))
    neighbours = {
        name: value for name, value in orders.dump().items() if name != orders.row_key(job)
    }

    assert emq.requeue(QUEUE, [job], {job: 1}, actor="ann") == {job: Outcome.REQUEUED}
    assert orders.where(job) == ["pending"]
    claim = emq.claim(QUEUE, 30_000)
    assert claim is not None
    assert claim.job_id == job
    orders.lapse(job)
    assert emq.sweep(QUEUE, 2).recovered == (job,)
    assert emq.bury(QUEUE, [job], b"again") == {job: Outcome.BURIED}
    assert emq.return_to_dead(QUEUE, {job: (2, None, None)}) == {job: Outcome.NOT_WAITING}
    after = {name: value for name, value in orders.dump().items() if name != orders.row_key(job)}
    assert after == neighbours | {orders.key("dead"): after[orders.key("dead")]}
    assert emq.remove(QUEUE, [job]) == {job: Outcome.REMOVED}
    assert sorted(orders.ids("dead")) == sorted({*ODD_IDS} - {job})


@pytest.mark.parametrize("group", ["", "a b", "\udcff\x00", "a:pending", "*", "g:x", "é" * 500])
def test_a_group_of_any_bytes_has_its_own_lane(orders: Orders, emq: EchoMQ, group: str) -> None:
    assert emq.enqueue(QUEUE, A, b"{}", group)
    assert orders.ids("lane", group) == [A]
    assert orders.ring() == [group]

    claim = emq.claim_lane(QUEUE, 30_000)
    assert claim is not None
    assert claim.group == group
    assert orders.in_flight(group) == 1
    orders.lapse(A)
    assert emq.reap_group(QUEUE, group).recovered == (A,)
    assert emq.pause_lane(QUEUE, group)
    emq.limit_lane(QUEUE, group, 3)
    assert emq.claim_lane(QUEUE, 30_000) is None
    assert emq.resume_lane(QUEUE, group)
    assert emq.claim_lane(QUEUE, 30_000) is not None


@pytest.mark.parametrize("job", ["CMD0KHTOWnGLuA", "job0KHTOWnGLuA", "", "JO", "\udcff"])
def test_producers_may_only_create_jobs(orders: Orders, emq: EchoMQ, job: str) -> None:
    for call in (
        lambda: emq.enqueue(QUEUE, job, b"{}"),
        lambda: emq.enqueue(QUEUE, job, b"{}", "group"),
        lambda: emq.schedule(QUEUE, job, b"{}", at_ms=PAST_MS),
    ):
        with pytest.raises(EmqKind):
            call()
    assert orders.dump() == {}


@pytest.mark.parametrize("payload", [b"", b"\x80\x04\x95\xff", b"{" * 2000, b"x" * 3_000_000])
def test_a_payload_of_any_bytes_stays_as_it_is(orders: Orders, emq: EchoMQ, payload: bytes) -> None:
    emq.enqueue(QUEUE, A, payload)
    claim = emq.claim(QUEUE, 30_000)
    assert claim is not None
    assert claim.payload == payload
    emq.retry(QUEUE, A, 1, 0, 1, payload)
    emq.requeue(QUEUE, [A])
    assert orders.row(A)[b"payload"] == payload


def test_text_is_written_as_utf_8_and_odd_bytes_as_they_came(orders: Orders, emq: EchoMQ) -> None:
    emq.enqueue(QUEUE, A, "é\udcff")
    assert orders.row(A)[b"payload"] == "é".encode() + b"\xff"


def test_actor_and_op_id_may_be_any_text(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A)
    name = "Ännchen <b>\udcff\n"

    emq.requeue(QUEUE, [A], actor=name, op_id=name)
    ((_, entry),) = orders.client.xrange("emqadmin:{orders}:audit")
    assert entry[b"actor"] == entry[b"op_id"] == name.encode("utf-8", "surrogateescape")
