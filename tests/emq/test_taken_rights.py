"""A user who lacks a right moves nothing: each script asks for all that it calls, reads too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import redis
from redis.exceptions import ResponseError

from echomq_admin.emq import EchoMQ, EmqState
from echomq_admin.emq.kept import Kept, read
from echomq_admin.emq.scripts import LUA, SCRIPTS
from tests.emq.orders import FUTURE_MS, PAST_MS, QUEUE, A, B, C, G, Orders

CALLED = re.compile(r"redis\.p?call\('([A-Z]+)'")
FRAME = (LUA / "lib" / "call.lua").read_text()
# leave(), which keeps the reply.
KEEPS = "redis.call('SET', KEPT, "
# What the frame itself asks for under the console's own names.
RECORD = {"GET", "SET", "XADD", "XINFO"}
D, E = "JOB0KHTOWnGLuD", "JOB0KHTOWnGLuE"


def needed(source: str) -> set[str]:
    """What a script asks for by needs()."""
    lists = re.findall(r"^\s*needs\(([^.)]*)\)", source, re.MULTILINE)
    return {name for one in lists for name in re.findall(r"'([A-Z]+)'", one)}


def called(name: str) -> set[str]:
    return set(CALLED.findall(SCRIPTS[name].source))


COMMANDS = sorted(set().union(*map(called, SCRIPTS)))


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_a_script_asks_for_every_command_that_it_calls_and_no_other(name: str) -> None:
    source = SCRIPTS[name].source
    assert FRAME in source
    beyond = set(CALLED.findall(source.replace(FRAME, "").replace(KEEPS, "")))
    asked = needed(source)
    assert beyond <= asked
    assert set(CALLED.findall(FRAME)) <= asked | RECORD
    assert asked <= called(name)


def test_no_script_calls_a_command_that_is_not_spelled_out() -> None:
    for script in SCRIPTS.values():
        assert len(re.findall(r"redis\.p?call\(", script.source)) == len(
            CALLED.findall(script.source)
        )


def _fill(orders: Orders) -> Kept:
    """A queue in which every script has something to move; answers a job that was removed."""
    client, key = orders.client, orders.key
    client.flushdb()
    orders.put("dead", E, last_error="boom")
    orders.client.rpush(key(f"job:{E}:logs"), "line")
    kept = read(client, QUEUE, [E], most=10**6, most_in_all=10**6)[E]
    assert isinstance(kept, Kept)
    orders.emq.remove(QUEUE, [E])
    orders.put("dead", A, group=G, last_error="boom")
    orders.put("active", B, score=PAST_MS, attempts=1, group=G)
    orders.put("schedule", C, score=PAST_MS, group=G)
    orders.put("pending", D)
    orders.put("lane", "JOBl", group=G)
    orders.only_id("lane", A, C, group="other")
    orders.serve(G, "other")
    client.hset(key("gactive"), G, 1)
    client.hset(key("meta"), "concurrency", 3)
    client.set(key("de:daily"), A)
    return kept


def _acts(kept: Kept) -> dict[str, Callable[[EchoMQ], object]]:
    """A call of every script, by its name."""
    who = {"actor": "ann", "op_id": "x"}
    return {
        "bury": lambda emq: emq.bury(QUEUE, [D, C], b"poison", **who),
        "claim": lambda emq: emq.claim(QUEUE, 1000, **who),
        "claim_lane": lambda emq: emq.claim_lane(QUEUE, 1000, **who),
        "complete": lambda emq: emq.complete(QUEUE, B, 1, **who),
        "drain": lambda emq: emq.drain(QUEUE, True, **who),
        "enqueue": lambda emq: emq.enqueue(QUEUE, "JOBnew", b"{}", G, **who),
        "extend": lambda emq: emq.extend(QUEUE, B, 1, 1000, **who),
        "limit_lane": lambda emq: emq.limit_lane(QUEUE, G, 1, **who),
        "obliterate": lambda emq: emq.obliterate(QUEUE, force=True, **who),
        "pause": lambda emq: emq.pause(QUEUE, **who),
        "pause_lane": lambda emq: emq.pause_lane(QUEUE, G, **who),
        "promote": lambda emq: emq.promote(QUEUE, **who),
        "promote_now": lambda emq: emq.promote_now(QUEUE, [C], **who),
        "reap": lambda emq: emq.reap(QUEUE, **who),
        "reap_group": lambda emq: emq.reap_group(QUEUE, G, **who),
        "recover_now": lambda emq: emq.recover_now(QUEUE, B, 1, 5, **who),
        "remove": lambda emq: emq.remove(QUEUE, [A], dedup_id="daily", **who),
        "requeue": lambda emq: emq.requeue(QUEUE, [A], **who),
        "restore": lambda emq: emq.restore(QUEUE, {E: kept}, **who),
        "resume": lambda emq: emq.resume(QUEUE, **who),
        "resume_lane": lambda emq: emq.resume_lane(QUEUE, G, **who),
        "retry": lambda emq: emq.retry(QUEUE, B, 1, 1000, 5, b"boom", **who),
        "return_to_dead": lambda emq: emq.return_to_dead(QUEUE, {D: (1, b"boom", None)}, **who),
        "schedule": lambda emq: emq.schedule(QUEUE, "JOBnew", b"{}", at_ms=FUTURE_MS, **who),
        "sweep": lambda emq: emq.sweep(QUEUE, 5, **who),
        "update_payload": lambda emq: emq.update_payload(QUEUE, B, b"new", **who),
    }


@contextmanager
def _user_without(command: str, orders: Orders, port: int) -> Iterator[EchoMQ]:
    rights = ["+@all", f"-{command.lower()}"]
    orders.client.acl_setuser("short", enabled=True, nopass=True, keys=["*"], commands=rights)
    try:
        with redis.Redis(port=port, username="short", password="x") as limited:
            yield EchoMQ(limited)
    finally:
        orders.client.acl_deluser("short")


def _prepare(orders: Orders, name: str) -> None:
    if name in {"resume", "obliterate"}:
        orders.client.hset(orders.key("meta"), "paused", 1)
    if name == "resume_lane":
        orders.client.sadd(orders.key("paused"), G)


@pytest.mark.parametrize("command", COMMANDS)
def test_without_one_right_every_script_that_needs_it_is_refused_and_changes_nothing(
    orders: Orders, server_port: int, command: str
) -> None:
    names = [name for name in SCRIPTS if command in called(name)]
    with _user_without(command, orders, server_port) as emq:
        for name in names:
            acts = _acts(_fill(orders))
            assert acts.keys() == SCRIPTS.keys()
            _prepare(orders, name)
            before = orders.dump_all()
            with pytest.raises(ResponseError, match=r"(?i)noperm|may not run|no permission|ACL"):
                acts[name](emq)
            assert orders.dump_all() == before, name


@pytest.mark.parametrize("name", ["requeue", "remove", "sweep", "complete"])
def test_with_every_right_these_calls_move_something(orders: Orders, name: str) -> None:
    acts = _acts(_fill(orders))
    before = orders.dump_all()
    acts[name](orders.emq)
    assert orders.dump_all() != before


@pytest.mark.parametrize("is_gone", [False, True])
def test_an_audit_whose_ids_are_used_up_is_refused_before_anything_moves(
    orders: Orders, is_gone: bool
) -> None:
    last = "18446744073709551615-18446744073709551615"
    audit = f"emqadmin:{{{QUEUE}}}:audit"
    acts = _acts(_fill(orders))
    for name, act in acts.items():
        _fill(orders)
        orders.client.xadd(audit, {"a": "b"}, id=last)
        if is_gone:
            orders.client.xdel(audit, last)
        _prepare(orders, name)
        before = orders.dump_all()
        with pytest.raises(EmqState, match="used up its ids"):
            act(orders.emq)
        assert orders.dump_all() == before, name


def test_without_an_actor_nobody_asks_the_audit(orders: Orders) -> None:
    _fill(orders)
    orders.client.xadd(
        f"emqadmin:{{{QUEUE}}}:audit", {"a": "b"}, id="18446744073709551615-18446744073709551615"
    )
    assert orders.emq.requeue(QUEUE, [A]) == {A: "requeued"}
