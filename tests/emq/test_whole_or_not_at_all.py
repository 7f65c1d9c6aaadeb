"""A call that cannot be carried out changes nothing: numbers, rights, forged replies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack
import pytest
import redis
from redis.exceptions import NoPermissionError

from echomq_admin.emq import EchoMQ, EmqState
from tests.emq.orders import PAST_MS, QUEUE, A, B, Orders

NAN: Any = float("nan")
Act = Callable[[EchoMQ], object]


@pytest.mark.parametrize(
    "act",
    [
        lambda emq: emq.claim(QUEUE, NAN),
        lambda emq: emq.extend(QUEUE, B, 1, NAN),
        lambda emq: emq.retry(QUEUE, B, 1, NAN, 5, b"x"),
        lambda emq: emq.retry(QUEUE, B, 1, 5, None, b"x"),
        lambda emq: emq.schedule(QUEUE, "JOBnew", b"x", at_ms=NAN),
        lambda emq: emq.schedule(QUEUE, "JOBnew", b"x", in_ms=2**60),
        lambda emq: emq.limit_lane(QUEUE, "g", 2.5),
        lambda emq: emq.drain(QUEUE, budget=10**19),
        lambda emq: emq.obliterate(QUEUE, budget=10**30),
        lambda emq: emq.reap_group(QUEUE, "g", limit=10**19),
        lambda emq: emq.sweep(QUEUE, max_stalled=NAN),
    ],
)
def test_a_number_that_is_none_is_refused_before_anything_is_sent(orders: Orders, act: Act) -> None:
    orders.put("pending", A)
    orders.put("active", B, score=PAST_MS, attempts=1)
    before = orders.dump_all()
    with pytest.raises(ValueError, match="must be an integer"):
        act(orders.emq)
    assert orders.dump_all() == before


@pytest.mark.parametrize("denied", ["xadd", "set", "hset", "zrem", "unlink", "lrem"])
def test_a_user_who_lacks_one_right_moves_nothing(
    orders: Orders, server_port: int, denied: str
) -> None:
    orders.put("dead", A)
    orders.put("active", B, score=PAST_MS, attempts=1)
    orders.client.acl_setuser(
        "short", enabled=True, nopass=True, keys=["*"], commands=["+@all", f"-{denied}"]
    )
    before = orders.dump_all()
    with redis.Redis(port=server_port, username="short", password="x") as limited:
        emq = EchoMQ(limited)
        for act in (
            lambda: emq.requeue(QUEUE, [A], actor="ann", op_id="1"),
            lambda: emq.sweep(QUEUE, actor="ann", op_id="2"),
            lambda: emq.remove(QUEUE, [A], actor="ann", op_id="3"),
        ):
            with pytest.raises(NoPermissionError, match="nothing was changed"):
                act()
    orders.client.acl_deluser("short")
    assert orders.dump_all() == before


@pytest.mark.parametrize(
    "kept",
    [
        b"",
        b"\xc0",
        msgpack.packb("requeue"),
        msgpack.packb("requeue") + msgpack.packb(5),
        msgpack.packb("requeue") + msgpack.packb([0, "JOB"]),
        msgpack.packb("requeue") + msgpack.packb([0, "JOB", "no such word"]),
        msgpack.packb("requeue") + msgpack.packb({"a": 1}),
    ],
)
def test_a_forged_reply_is_refused_as_one_that_cannot_be_read(orders: Orders, kept: bytes) -> None:
    orders.put("dead", A)
    orders.client.set(f"emqadmin:{{{QUEUE}}}:op:x", kept)
    before = orders.dump_all()
    with pytest.raises(EmqState, match="cannot be read"):
        orders.emq.requeue(QUEUE, [A], actor="ann", op_id="x")
    assert orders.dump_all() == before


def test_a_job_whose_id_ends_like_a_side_key_is_left_alone(orders: Orders, emq: EchoMQ) -> None:
    for job_id in ("JOBx", "JOBx:logs", "JOBx:lock"):
        emq.enqueue(QUEUE, job_id, b"{}")
    assert emq.remove(QUEUE, ["JOBx"]) == {"JOBx": "removed"}
    assert orders.where("JOBx:logs") == ["pending"]
    assert orders.row_key("JOBx:lock") in orders.dump()


def test_attempts_run_up_to_what_a_score_holds(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A, attempts=2**53 - 2)
    claim = emq.claim(QUEUE, 60_000)
    assert claim is not None
    assert claim.attempts == 2**53 - 1
    orders.client.delete(orders.key("active"))
    orders.only_id("pending", A)
    assert emq.claim(QUEUE, 60_000) is None
    assert orders.where(A) == ["dead"]


def test_a_due_job_that_is_in_flight_is_not_promoted_a_second_time(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("active", A, score=PAST_MS, attempts=1)
    orders.only_id("schedule", A, score=PAST_MS)
    assert emq.promote(QUEUE, actor="ann") == 0
    assert orders.where(A) == ["active"]


def test_draining_a_job_leaves_the_row_of_one_whose_id_ends_like_its_logs(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("pending", "JOBx")
    orders.put("active", "JOBx:logs", score=PAST_MS, attempts=1)
    assert emq.drain(QUEUE).removed == 1
    assert orders.row_key("JOBx:logs") in orders.dump()


def test_a_job_that_is_its_own_flow_parent_is_obliterated_once(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A, state="awaiting_children", parent=A)
    emq.pause(QUEUE)
    assert not emq.obliterate(QUEUE, actor="ann")
    [(_, entry)] = orders.client.xrevrange(f"emqadmin:{{{QUEUE}}}:audit", count=1)
    assert entry[b"n"] == b"1"


def test_errors_of_megabytes_are_told_as_cut_and_bounded(orders: Orders, emq: EchoMQ) -> None:
    ids = [f"JOB{n:03}" for n in range(20)]
    for job_id in ids:
        orders.put("dead", job_id, last_error="x" * 300_000)
    emq.requeue(QUEUE, ids, actor="ann")
    [(_, entry)] = orders.client.xrevrange(f"emqadmin:{{{QUEUE}}}:audit", count=1)
    jobs = msgpack.unpackb(entry[b"jobs"], raw=True)
    assert all(job[7] is True for job in jobs)
    assert sum(len(job[6]) for job in jobs) <= 65_536
