"""Sizes of all queues in three round trips; one bad key breaks only its own cell."""

from __future__ import annotations

import time
from dataclasses import asdict

import pytest
import redis

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.reads import counts, exists, server_now_ms
from tests.emq.reading import CountingClient, Q
from tests.valkey import free_port, valkey
from tests.waiting import wait_for


def only(client, lanes=()):
    _, (queue,) = counts(client, {"orders": lanes})
    return queue


def test_every_size_is_counted(client):
    now = server_now_ms(client)
    client.zadd(Q + "pending", {"a": 0, "b": 0})
    client.zadd(Q + "active", {"c": now - 1, "d": now + 60_000, "e": now - 9_000})
    client.zadd(Q + "schedule", {"f": now})
    client.zadd(Q + "dead", {"g": 0})
    client.hset(Q + "metrics:completed", "count", 7)
    client.hset(Q + "metrics:failed", "count", 3)
    queue = only(client)
    assert (queue.queue, queue.pending, queue.active, queue.lapsed) == ("orders", 2, 3, 2)
    assert (queue.scheduled, queue.dead, queue.completed, queue.failed) == (1, 1, 7, 3)
    assert (queue.paused, queue.lanes, queue.lanes_pending, queue.faults) == (False, 0, 0, ())


def test_jobs_in_known_lanes_are_counted_beside_the_flat_ones(client):
    client.zadd(Q + "g:A:pending", {"a": 0, "b": 0})
    client.zadd(b"emq:{orders}:g:\xff:pending", {"c": 0})
    queue = only(client, ("A", "\udcff", "emptied"))
    assert (queue.pending, queue.lanes_pending, queue.lanes) == (0, 3, 3)


def test_a_lane_that_is_on_the_ring_is_counted_before_discovery_knows_it(client):
    emq = EchoMQ(client)
    for job_id, lane in (("JOB1", "known"), ("JOB2", "new"), ("JOB3", "new")):
        emq.enqueue("orders", job_id, "{}", group=lane)
    _, [queue] = counts(client, {"orders": ["known"]})
    assert (queue.lanes_pending, queue.lanes) == (3, 2)


def test_nothing_at_all_is_zero(client):
    queue = only(client)
    assert (queue.pending, queue.active, queue.lapsed, queue.completed) == (0, 0, 0, 0)


@pytest.mark.parametrize("value", ["1", "0", ""])
def test_any_value_of_the_field_pauses_the_queue(client, value):
    client.hset(Q + "meta", "paused", value)
    assert only(client).paused is True


# Where nothing waits and nothing has lapsed there is nothing to tell.
NOTHING = {"oldest_ms", "lapsed_ms", "lapse"}


@pytest.mark.parametrize(
    ("key", "cells", "wanted"),
    [
        ("pending", {"pending"}, "sorted set"),
        ("active", {"active", "lapsed"}, "sorted set"),
        ("schedule", {"scheduled", "due"}, "sorted set"),
        ("dead", {"dead"}, "sorted set"),
        ("repeat", {"repeats"}, "sorted set"),
        ("meta", {"paused"}, "hash"),
        ("metrics:completed", {"completed"}, "hash"),
        ("metrics:failed", {"failed"}, "hash"),
        ("ring", {"off_ring"}, "list"),
    ],
)
def test_a_key_of_the_wrong_type_breaks_only_its_own_cell(client, key, cells, wanted):
    client.set(Q + key, "x")
    queue = only(client, ("A",))
    unknown = {name for name, value in asdict(queue).items() if value is None}
    assert unknown == cells | NOTHING
    assert queue.faults == (f"{key} is a string, not a {wanted}",)


def test_a_lane_of_the_wrong_type_breaks_the_number_of_those_in_lanes(client):
    client.set(Q + "g:A:pending", "x")
    client.zadd(Q + "g:B:pending", {"b": 0})
    client.rpush(Q + "ring", "B")
    queue = only(client, ("A", "B"))
    assert (queue.lanes_pending, queue.waiting, queue.lanes, queue.off_ring) == (None, None, 2, 0)
    assert queue.faults == ("1 of 2 lanes: the key holds another type",)


@pytest.mark.parametrize("key", ["glimit", "gactive", "paused"])
def test_what_tells_of_lanes_and_has_the_wrong_type_leaves_only_the_ring_unknown(client, key):
    client.set(Q + key, "x")
    client.zadd(Q + "g:A:pending", {"a": 0})
    queue = only(client, ("A",))
    assert (queue.lanes_pending, queue.off_ring) == (1, None)
    assert f"{key}: the key holds another type" in queue.faults[0]


def test_every_key_of_the_wrong_type_at_once_is_still_an_answer(client):
    for key in ("pending", "active", "schedule", "dead", "repeat", "meta", "ring", "paused",
                "glimit", "gactive", "gweight", "metrics:completed", "metrics:failed",
                "g:A:pending"):  # fmt: skip
        client.set(Q + key, "x")
    queue = only(client, ("A",))
    assert (queue.waiting, queue.active, queue.lapsed, queue.repeats) == (None,) * 4
    assert len(queue.faults) == 10


@pytest.mark.parametrize("value", ["abc", "", b"\xff", "1.5", "a" * 3_000_000])
def test_a_count_that_is_no_integer_is_unknown(client, value):
    client.hset(Q + "metrics:completed", "count", value)
    queue = only(client)
    assert (queue.completed, queue.failed) == (None, 0)
    assert queue.faults == ("completed: the count is no integer",)


def test_a_count_of_megabytes_is_not_fetched(client):
    client.hset(Q + "metrics:completed", "count", "1" * 3_000_000)
    before = client.info("stats")["total_net_output_bytes"]
    only(client)
    assert client.info("stats")["total_net_output_bytes"] - before < 20_000


def test_all_queues_take_three_round_trips_at_most(client, server_port):
    client.zadd("emq:{q7}:active", {"JOB1": 1})
    client.zadd("emq:{q8}:g:A:pending", {"JOB1": 0})
    with CountingClient(port=server_port) as counting:
        _, queues = counts(counting, {f"q{at}": ("A", "B") for at in range(300)})
        assert counting.trips == 3
    assert (queues[7].lapsed, queues[8].off_ring) == (1, 1)
    assert [queue.queue for queue in queues] == [f"q{at}" for at in range(300)]


def test_a_lane_in_the_waiting_is_looked_at_only_as_far_as_it_matters(client, server_port):
    """Two commands a lane, and none more for a lane that is served or empty; four that measure
    what tells of lanes before it is read."""
    for at in range(10):
        client.zadd(f"emq:{{orders}}:g:L{at}:pending", {"JOB1": 0})
        client.rpush(Q + "ring", f"L{at}")
    with CountingClient(port=server_port) as counting:
        counts(counting, {"orders": ()})
        bare = counting.commands
        counts(counting, {"orders": [f"L{at}" for at in range(10)]})
        assert counting.commands - bare <= bare + 4


def test_no_queue_is_no_trouble(client):
    now, queues = counts(client, {})
    assert queues == []
    assert abs(now - time.time() * 1000) < 60_000


@pytest.mark.parametrize(
    "key", ["pending", "schedule", "meta", "metrics:failed", "glimit", "ring", "limiter", "repeat"]
)
def test_a_queue_exists_by_any_of_its_fixed_keys(client, key):
    assert not exists(client, "orders")
    client.set(Q + key, "of whatever type")
    assert exists(client, "orders")


def test_a_queue_of_which_only_the_audit_is_left_exists(client):
    client.xadd("emqadmin:{orders}:audit", {"op": "obliterate"})
    assert exists(client, "orders")


@pytest.mark.parametrize("queue", ["<img src=x>", "", "}", "a b", "\udcff", "*", "[o]rders"])
def test_a_queue_of_any_name_is_looked_up_and_nothing_is_made(client, queue):
    client.zadd(Q + "pending", {"a": 0})
    assert not exists(client, queue)
    assert client.dbsize() == 1
    client.set(b"emq:{" + queue.encode("utf-8", "surrogateescape") + b"}:meta", "x")
    assert exists(client, queue)


def test_a_user_who_may_not_ask_gets_the_refusal(client, server_port):
    client.acl_setuser("blind", enabled=True, nopass=True, commands=["+ping", "+time"])
    try:
        with redis.Redis(port=server_port, username="blind", password="x") as blind:
            queue = only(blind)
            assert queue.pending is None
            assert queue.faults[0] == "pending: no permission to run zcard"
            assert not any("blind" in fault for fault in queue.faults)
            with pytest.raises(redis.ResponseError):
                exists(blind, "orders")
    finally:
        client.acl_deluser("blind")


def test_a_user_who_may_only_read_sees_everything(client, server_port):
    client.zadd(Q + "active", {"a": 1})
    client.acl_setuser(
        "reader", enabled=True, nopass=True, keys=["*"], commands=["+@read", "+time", "+ping"]
    )
    try:
        with redis.Redis(port=server_port, username="reader", password="x") as reader:
            assert exists(reader, "orders")
            assert (only(reader).lapsed, only(reader).faults) == (1, ())
    finally:
        client.acl_deluser("reader")


def clustered():
    return valkey("--cluster-enabled", "yes", "--cluster-port", str(free_port()))


def test_keys_of_another_cluster_node_are_unknown_here():
    with clustered() as left, clustered() as right:
        near, far = redis.Redis(port=left), redis.Redis(port=right)
        near.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 8191)
        far.execute_command("CLUSTER", "ADDSLOTSRANGE", 8192, 16383)
        bus = far.config_get("cluster-port")["cluster-port"]
        near.execute_command("CLUSTER", "MEET", "127.0.0.1", right, bus)
        wait_for(lambda: near.cluster("info")["cluster_state"] == "ok", 60)
        _, queues = counts(near, dict.fromkeys(("a", "b", "c", "d", "e", "f"), ()))
        near.close()
        far.close()
    here = [queue for queue in queues if queue.pending == 0]
    elsewhere = [queue for queue in queues if queue.pending is None]
    assert here
    assert elsewhere
    assert all("another node of the cluster" in queue.faults[0] for queue in elsewhere)
