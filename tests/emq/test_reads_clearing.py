"""What a drain or an obliterate would delete is what it then deletes."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.reads import drain_look, hoard, lane_state
from tests.emq.reading import CountingClient, Q, add_job


def dumped(client):
    return {key: client.dump(key) for key in client.keys("*")}


def fill(client):
    for at in range(25):
        add_job(client, "pending", f"JOB{at:02}", 0)
    add_job(client, "schedule", "JOBlater", 1e15)
    add_job(client, "dead", "JOBdead", 0)
    add_job(client, "active", "JOBactive", 1e15)
    client.zadd(Q + "g:A:pending", {"JOBlane": 0})
    client.rpush(Q + "ring", "A")
    client.hset(Q + "glimit", "A", 2)
    client.hset(Q + "gweight", mapping={"A": 2, "B": 3})
    client.sadd(Q + "paused", "B")
    client.rpush(Q + "flow:outbox", "signal")
    client.zadd(Q + "repeat", {"daily": 1})


def test_a_drain_deletes_what_was_looked_at(client):
    fill(client)
    before = dumped(client)
    look = drain_look(client, "orders")
    assert (look.pending, look.scheduled, look.fault) == (25, 1, None)
    assert look.first_pending == tuple(f"JOB{at:02}" for at in range(20))
    assert look.first_scheduled == ("JOBlater",)
    assert dumped(client) == before
    drained = EchoMQ(client).drain("orders", include_schedule=True)
    assert drained.removed == look.pending + look.scheduled


def test_a_hoard_counts_by_kind_and_changes_nothing(client, server_port):
    fill(client)
    before = dumped(client)
    with CountingClient(port=server_port) as counting:
        found = hoard(counting, "orders", ())
        assert counting.trips <= 4
    assert found.jobs == {
        "pending": 25,
        "in lanes": 1,
        "scheduled": 1,
        "dead": 1,
        "active": 1,
    }
    assert (found.limits, found.weights, found.paused_lanes, found.signals) == (1, 2, 1, 1)
    assert (found.counts.repeats, found.audit, found.fault) == (1, 0, None)
    assert dumped(client) == before


@pytest.mark.parametrize("key", ["pending", "schedule", "ring", "meta"])
def test_what_makes_the_scripts_refuse_is_said_beforehand(client, key):
    client.set(Q + key, "x")
    assert drain_look(client, "orders").fault.startswith(f"{key} is a string, not a ")
    assert hoard(client, "orders", ()).fault.startswith(f"{key} is a string, not a ")


def test_a_set_that_cannot_be_read_has_no_number(client):
    client.set(Q + "pending", "x")
    look = drain_look(client, "orders")
    assert (look.pending, look.first_pending, look.scheduled) == (None, (), 0)


def test_one_lane_is_looked_at_in_one_trip(client, server_port):
    fill(client)
    with CountingClient(port=server_port) as counting:
        state = lane_state(counting, "orders", "A")
        assert counting.trips == 1
    assert (state.depth, state.limit, state.weight, state.rota) == (1, 2, 2, "on ring")
    assert lane_state(client, "orders", "B").paused
    assert lane_state(client, "orders", "nobody").rota == "empty"


def test_a_look_before_a_drain_counts_the_jobs_that_flow_parents_wait_for(client):
    for at in range(600):
        add_job(client, "pending", f"JOB{at:03}", 0)
    client.hset(Q + "job:JOBwaits", "state", "awaiting_children")
    client.hset(Q + "job:JOBdone", "state", "active")
    client.hset(Q + "job:JOB000", "parent", "JOBwaits")
    client.hset(Q + "job:JOB001", "parent", "JOBdone")
    client.hset(Q + "job:JOB599", "parent", "JOBwaits")
    add_job(client, "schedule", "JOBlater", 1e15)
    client.hset(Q + "job:JOBlater", mapping={"parent": "JOBfar", "parent_queue": "other"})
    look = drain_look(client, "orders")
    assert (look.pending_children, look.scheduled_children, look.is_cut) == (1, 1, True)
    assert EchoMQ(client).drain("orders", True).stranded == 3


def test_a_parent_of_megabytes_is_not_read_before_a_drain(client):
    add_job(client, "pending", "JOBa", 0)
    assert not drain_look(client, "orders").is_cut
    client.hset(Q + "job:JOBa", "parent", "x" * 2_000_000)
    look = drain_look(client, "orders")
    assert (look.pending_children, look.is_cut) == (0, True)
