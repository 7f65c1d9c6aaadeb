"""Sizes of all queues in two round trips; one bad key breaks only its own cell."""

from __future__ import annotations

import time

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


@pytest.mark.parametrize(
    ("key", "cells"),
    [
        ("pending", {"pending"}),
        ("active", {"active", "lapsed"}),
        ("schedule", {"scheduled"}),
        ("dead", {"dead"}),
        ("meta", {"paused"}),
        ("metrics:completed", {"completed"}),
        ("metrics:failed", {"failed"}),
        ("g:A:pending", {"lanes_pending"}),
    ],
)
def test_a_key_of_the_wrong_type_breaks_only_its_own_cell(client, key, cells):
    client.set(Q + key, "x")
    queue = only(client, ("A",))
    unknown = {name for name, value in vars(queue).items() if value is None}
    assert unknown == cells
    wanted = "hash" if key.startswith("me") else "sorted set"
    lane = ("1 of 1 lanes: the key holds another type",)
    assert queue.faults == (lane if key[0] == "g" else (f"{key} is a string, not a {wanted}",))


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


def test_all_queues_take_two_round_trips(client, server_port):
    with CountingClient(port=server_port) as counting:
        _, queues = counts(counting, {f"q{at}": ("A", "B") for at in range(300)})
        assert counting.trips == 2
    assert [queue.queue for queue in queues] == [f"q{at}" for at in range(300)]


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
            assert "no permissions" in queue.faults[0].lower()
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
