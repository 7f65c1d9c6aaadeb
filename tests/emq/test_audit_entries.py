"""The audit entry: written by the script that moved, telling just what moved."""

from __future__ import annotations

import contextlib
from typing import Any

import msgpack
import pytest

from echomq_admin.emq import EchoMQ, EmqError, Outcome
from tests.emq.keys import text
from tests.emq.orders import FUTURE_MS, PAST_MS, QUEUE, A, B, C, G, Orders
from tests.emq.verbs import CALLS, WORKER_CALLS, Call, name_of

AUDIT = "emqadmin:{orders}:audit"
every_verb = pytest.mark.parametrize("call", CALLS, ids=name_of)


def entries(orders: Orders) -> list[dict[str, Any]]:
    """The entries of the stream, oldest first, packed values unpacked."""
    packed = {"jobs", "detail"}
    read = []
    for _, raw in orders.client.xrange(AUDIT):
        fields = {text(name): value for name, value in raw.items()}
        unpacked = {
            name: msgpack.unpackb(fields[name], raw=True) for name in packed & fields.keys()
        }
        read.append(fields | unpacked)
    return read


def only(orders: Orders) -> dict[str, Any]:
    (entry,) = entries(orders)
    return entry


@every_verb
def test_a_call_that_changed_something_leaves_one_entry_in_the_servers_time(
    orders: Orders, call: Call
) -> None:
    call.prepare(orders)
    before = orders.now_ms()
    call.run(orders, actor="ann", op_id="op-1")
    after = orders.now_ms()

    entry = only(orders)
    assert entry["op"] == call.verb.encode()
    assert (entry["op_id"], entry["actor"]) == (b"op-1", b"ann")
    assert before <= int(entry["t"]) <= after
    assert int(entry["n"]) == len(entry["jobs"])
    assert all(len(job) == 8 for job in entry["jobs"])


@every_verb
def test_without_an_actor_there_is_no_entry(orders: Orders, call: Call) -> None:
    call.prepare(orders)
    call.run(orders, op_id="op-1")

    assert entries(orders) == []


CREATES = {"enqueue", "schedule", "restore", "limit_lane"}
STILL = tuple(call for call in CALLS if call.verb not in CREATES)


@pytest.mark.parametrize("call", STILL, ids=name_of)
def test_a_call_that_moved_nothing_leaves_no_entry(orders: Orders, call: Call) -> None:
    with contextlib.suppress(EmqError):
        call.run(orders, actor="ann")
    after = orders.dump_all()
    if call.verb in {"pause", "pause_lane"}:
        assert call.run(orders, actor="ann") is False
        assert orders.dump_all() == after
    else:
        assert entries(orders) == []


def test_what_is_there_already_is_no_change(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)
    orders.client.hset(orders.key("glimit"), G, 3)

    emq.enqueue(QUEUE, A, b"{}", actor="ann")
    emq.limit_lane(QUEUE, G, 3, actor="ann")
    emq.limit_lane(QUEUE, "other", None, actor="ann")
    assert entries(orders) == []


def test_a_job_is_told_with_all_that_was_known_of_it(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, score=PAST_MS, attempts=3, stalled=1, group=G, last_error=b"\xff boom")

    emq.sweep(QUEUE, 2, actor="ann")
    assert only(orders)["jobs"] == [
        [A.encode(), b"dead", 3, 2, PAST_MS, G.encode(), b"\xff boom", False]
    ]


def test_what_is_not_known_is_false(orders: Orders, emq: EchoMQ) -> None:
    orders.client.hset(orders.row_key(A), mapping={"payload": "p"})
    orders.only_id("dead", A)
    orders.only_id("active", B, score=PAST_MS)

    emq.requeue(QUEUE, [A], actor="ann")
    emq.sweep(QUEUE, actor="ann")
    requeued, swept = entries(orders)
    assert requeued["jobs"] == [[A.encode(), b"requeued", *[False] * 6]]
    assert swept["jobs"] == [[B.encode(), b"orphaned", False, False, PAST_MS, *[False] * 3]]


def test_only_jobs_that_moved_are_told(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, attempts=2, last_error="boom")
    orders.put("pending", B)
    orders.only_id("dead", C)

    emq.requeue(QUEUE, [A, B, C], actor="ann")
    assert [(job[0], job[1]) for job in only(orders)["jobs"]] == [(A.encode(), b"requeued")]


def test_dropping_a_job_from_dead_while_it_is_active_is_told(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A)
    orders.only_id("dead", A)

    emq.requeue(QUEUE, [A], actor="ann")
    assert [job[:2] for job in only(orders)["jobs"]] == [[A.encode(), b"not_dead"]]


ENDINGS = {
    "complete": (lambda emq: emq.complete(QUEUE, A, 1, actor="ann"), b"completed"),
    "retry": (lambda emq: emq.retry(QUEUE, A, 1, 0, 3, b"x", actor="ann"), b"scheduled"),
    "extend": (lambda emq: emq.extend(QUEUE, A, 1, 30_000, actor="ann"), b"extended"),
    "bury": (lambda emq: emq.bury(QUEUE, [A], b"x", {A: 1}, actor="ann"), b"buried"),
    "remove": (lambda emq: emq.remove(QUEUE, [A], force=True, actor="ann"), b"removed"),
    "recover_now": (lambda emq: emq.recover_now(QUEUE, A, 1, 2, actor="ann"), b"recovered"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_lease_that_ended_is_told_by_its_deadline(
    orders: Orders, emq: EchoMQ, ending: str
) -> None:
    orders.put("active", A)
    end, outcome = ENDINGS[ending]

    end(emq)
    (job,) = only(orders)["jobs"]
    assert (job[1], job[4]) == (outcome, FUTURE_MS)


def test_a_stall_count_is_told_as_it_is_after_a_sweep_and_as_it_was_elsewhere(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("active", A, stalled=4)
    orders.put("dead", B, stalled=4)

    emq.recover_now(QUEUE, A, 1, 9, actor="ann")
    emq.requeue(QUEUE, [B], reset_stalls=True, actor="ann")
    assert [entry["jobs"][0][3] for entry in entries(orders)] == [5, 4]


def test_what_the_caller_asked_for_is_told_beside_it(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, score=PAST_MS)
    orders.put("lane", B, group=G)

    emq.sweep(QUEUE, 2, 50, actor="ann")
    emq.limit_lane(QUEUE, G, 7, actor="ann")
    emq.requeue(QUEUE, [A], actor="ann")
    emq.bury(QUEUE, [A], b"\xff poison", actor="ann")
    swept, limited, buried = entries(orders)
    assert swept["detail"] == {b"max_stalled": 2, b"limit": 50}
    assert limited["detail"] == {b"group": G.encode(), b"n": 7}
    assert (limited["n"], limited["jobs"]) == (b"0", [])
    assert buried["detail"][b"reason"] == b"\xff poison"


def test_the_errors_of_one_entry_share_64_kb_and_say_that_they_were_cut(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("dead", A, last_error="a" * 50_000)
    orders.put("dead", B, last_error="short")
    orders.put("dead", C, last_error="c" * 50_000)

    emq.requeue(QUEUE, [A, B, C], actor="ann")
    errors = {text(job[0]): (job[6], job[7]) for job in only(orders)["jobs"]}
    assert errors[B] == (b"short", False)
    assert errors[A][1] or errors[C][1]
    assert all(
        ("a" if job == A else "c" if job == C else "short").encode() in errors[job][0]
        for job in errors
    )
    assert sum(len(error) for error, _ in errors.values()) <= 65_536
    assert sum(len(error) for error, _ in errors.values()) > 40_000


def test_a_thousand_long_errors_still_fit_one_entry(orders: Orders, emq: EchoMQ) -> None:
    ids = [f"JOB{n:011d}" for n in range(1000)]
    orders.put("dead", *ids, last_error="x" * 5000)

    emq.requeue(QUEUE, ids, actor="ann")
    jobs = only(orders)["jobs"]
    assert len(jobs) == 1000
    assert all(job[7] for job in jobs)
    assert sum(len(job[6]) for job in jobs) <= 65_536
    assert orders.client.memory_usage(AUDIT, samples=0) < 400_000


def test_an_error_that_fits_is_whole(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, last_error=b"\x00" * 65_536)

    emq.requeue(QUEUE, [A], actor="ann")
    (job,) = only(orders)["jobs"]
    assert (len(job[6]), job[7]) == (65_536, False)


@pytest.mark.parametrize("call", WORKER_CALLS, ids=name_of)
def test_workers_are_on_record_only_when_they_say_who_they_are(orders: Orders, call: Call) -> None:
    call.prepare(orders)
    call.run(orders)
    assert orders.client.keys("emqadmin:*") == []


def test_the_stream_is_cut_only_far_beyond_what_anybody_copies(orders: Orders, emq: EchoMQ) -> None:
    pipe = orders.client.pipeline(transaction=False)
    for n in range(100_500):
        pipe.xadd(AUDIT, {"n": 0}, id=f"1-{n + 1}")
    pipe.execute()
    emq.pause(QUEUE, actor="ann")

    assert 100_000 <= orders.client.xlen(AUDIT) <= 100_501
    last = orders.client.xrevrange(AUDIT, count=1)[0][1]
    assert last[b"op"] == b"pause"


def test_a_refused_call_leaves_no_entry(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A)

    assert emq.remove(QUEUE, [A], actor="ann") == {A: Outcome.ACTIVE}
    assert entries(orders) == []
