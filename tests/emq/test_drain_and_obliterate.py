"""What deletes many jobs: within a budget, saying whether there is more."""

from __future__ import annotations

import msgpack
import pytest

from echomq_admin.emq import Drained, EchoMQ, EmqState
from tests.emq.keys import dump
from tests.emq.orders import QUEUE, A, B, C, G, Orders

TEN = [f"JOB{n:011d}" for n in range(10)]


def test_a_drain_deletes_pending_jobs_with_row_and_logs_and_nothing_else(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("active", A)
    orders.put("dead", B)
    orders.put("lane", C, group=G)
    orders.put("schedule", "JOBs")
    orders.serve(G)
    before = orders.dump()
    orders.put("pending", *TEN)
    orders.client.rpush(orders.key(f"job:{TEN[0]}:logs"), "line")

    assert emq.drain(QUEUE) == Drained(removed=10, more=False)
    assert orders.dump() == before


def test_a_drain_takes_scheduled_jobs_when_asked(orders: Orders, emq: EchoMQ) -> None:
    orders.put("schedule", A, group=G)
    orders.put("pending", B)

    assert emq.drain(QUEUE, include_schedule=True) == Drained(removed=2, more=False)
    assert orders.dump() == {}


def test_a_drain_stops_at_its_budget_and_says_so(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", *TEN[:6])
    orders.put("schedule", *TEN[6:])

    assert emq.drain(QUEUE, budget=4) == Drained(removed=4, more=True)
    assert emq.drain(QUEUE, budget=2) == Drained(removed=2, more=False)
    assert emq.drain(QUEUE, True, budget=3) == Drained(removed=3, more=True)
    assert emq.drain(QUEUE, True, budget=3) == Drained(removed=1, more=False)
    assert emq.drain(QUEUE, True) == Drained(removed=0, more=False)


def test_a_drain_over_both_sets_shares_one_budget(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", *TEN[:3])
    orders.put("schedule", *TEN[3:])

    assert emq.drain(QUEUE, True, budget=5) == Drained(removed=5, more=True)
    assert orders.ids("schedule") == TEN[5:]

    orders.put("pending", *TEN[:3])
    assert emq.drain(QUEUE, True, budget=3) == Drained(removed=3, more=True)
    assert orders.ids("schedule") == TEN[5:]


def test_a_drain_deletes_orphans_too(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("pending", A)

    assert emq.drain(QUEUE) == Drained(removed=1, more=False)
    assert orders.dump() == {}


def _everything(orders: Orders) -> None:
    """A queue with every kind of key that its own keys lead to."""
    key, client = orders.key, orders.client
    orders.put("pending", A)
    orders.put("schedule", *TEN[:4])
    orders.put("dead", *TEN[4:], parent=C, last_error="boom")
    for group, job in (
        ("ring", "JOBr"),
        ("paused", "JOBp"),
        ("counted", "JOBc"),
        ("named", "JOBn"),
    ):
        orders.put("lane", job, group=group)
    orders.serve("ring")
    client.sadd(key("paused"), "paused", "paused and empty")
    client.hset(key("gactive"), "counted", 1)
    client.hset(key("glimit"), "limited and empty", 1)
    client.hset(key("gweight"), "weighed", 2)
    orders.put("lane", "JOBw", group="weighed")
    client.hset(orders.row_key(C), mapping={"state": "awaiting_children"})
    for side in ("logs", "dependencies"):
        client.rpush(key(f"job:{C}:{side}"), "x")
        client.rpush(key(f"job:{A}:{side}"), "x")
    client.set(key(f"job:{A}:lock"), "x")
    client.hset(key("meta"), mapping={"paused": 1, "concurrency": 5})
    client.hset(key("metrics:completed"), "count", 5)
    client.hset(key("metrics:failed"), "count", 5)
    client.set(key("limiter"), 1)
    client.zadd(key("repeat"), {"nightly": 1})
    client.hset(key("repeat:nightly"), "every_ms", 1)
    client.rpush(key("flow:outbox"), "x")
    client.rpush(key("wake"), "1")


@pytest.mark.parametrize("budget", [1, 3, 1000])
def test_nothing_of_an_obliterated_queue_is_left_but_the_audit_stream(
    orders: Orders, emq: EchoMQ, budget: int
) -> None:
    _everything(orders)
    calls = 1
    while emq.obliterate(QUEUE, lanes=["named"], budget=budget, actor="ann"):
        assert orders.client.hexists(orders.key("meta"), "paused"), "it stays paused to the end"
        calls += 1
        assert calls < 100

    assert (calls == 1) == (budget == 1000)
    assert list(orders.dump_all()) == [b"emqadmin:{orders}:audit"]


@pytest.mark.parametrize("budget", [1, 5])
def test_a_step_of_obliterate_deletes_no_more_jobs_than_its_budget(
    orders: Orders, emq: EchoMQ, budget: int
) -> None:
    orders.put("pending", *TEN)
    emq.pause(QUEUE)

    assert emq.obliterate(QUEUE, budget=budget) is True
    assert len(orders.ids("pending")) >= 10 - budget


def test_obliterate_needs_a_paused_queue(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)
    before = orders.dump()

    with pytest.raises(EmqState, match="paused"):
        emq.obliterate(QUEUE, force=True)
    assert orders.dump() == before


def test_obliterate_spares_active_jobs_unless_forced(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, group=G)
    orders.client.hset(orders.key("gactive"), G, 1)
    emq.pause(QUEUE)
    before = orders.dump()

    with pytest.raises(EmqState, match="active"):
        emq.obliterate(QUEUE)
    assert orders.dump() == before
    assert emq.obliterate(QUEUE, force=True) is False
    assert orders.dump() == {}


def test_other_queues_are_left_alone(orders: Orders, emq: EchoMQ) -> None:
    neighbours = [Orders(orders.client, name) for name in ("order", "orders2", "*", "orders}:x")]
    for other in neighbours:
        other.put("pending", A)
        other.client.hset(other.key("meta"), "paused", 1)
    kept = dump(orders.client)
    _everything(orders)

    emq.obliterate(QUEUE, lanes=["named"])
    assert dump(orders.client) == kept


@pytest.mark.parametrize("value", ["0", "", "1", "false"])
def test_any_value_of_the_field_means_paused(orders: Orders, emq: EchoMQ, value: str) -> None:
    orders.put("pending", A)
    orders.put("lane", B, group=G)
    orders.serve(G)
    orders.client.hset(orders.key("meta"), "paused", value)

    before = orders.dump()
    assert emq.claim(QUEUE, 30_000) is None
    assert emq.claim_lane(QUEUE, 30_000) is None
    assert emq.pause(QUEUE) is False
    assert orders.dump() == before
    assert emq.resume(QUEUE) is True
    assert emq.resume(QUEUE) is False
    assert emq.claim(QUEUE, 30_000) is not None


def test_a_drain_deletes_side_keys_but_for_the_marker_of_a_worker(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("pending", A)
    for side in ("dependencies", "processed", "failed", "unsuccessful"):
        orders.client.hset(orders.key(f"job:{A}:{side}"), "x", "y")
    orders.client.set(orders.key(f"job:{A}:lock"), "x")

    assert emq.drain(QUEUE) == Drained(removed=1, more=False)
    assert list(orders.dump()) == [orders.key(f"job:{A}:lock")]


def test_a_drain_says_how_many_of_its_jobs_a_flow_parent_waits_for(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.client.hset(orders.row_key("JOBwaits"), "state", "awaiting_children")
    orders.client.hset(orders.row_key("JOBdone"), "state", "active")
    orders.put("pending", A, parent="JOBwaits")
    orders.put("schedule", B, parent="JOBfar", parent_queue="other")
    orders.put("pending", C, parent="JOBdone")
    orders.put("pending", *TEN[:2])

    named = {"actor": "ann", "op_id": "x"}
    for _ in "ab":
        assert emq.drain(QUEUE, True, **named) == Drained(removed=5, more=False, stranded=2)


def test_a_reply_of_a_drain_that_was_kept_before_this_still_reads(
    orders: Orders, emq: EchoMQ
) -> None:
    kept = msgpack.packb("drain") + msgpack.packb([7, 1])
    orders.client.set(f"emqadmin:{{{QUEUE}}}:op:x", kept)
    assert emq.drain(QUEUE, op_id="x") == Drained(removed=7, more=True)
