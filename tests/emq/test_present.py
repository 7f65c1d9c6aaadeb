"""Where a job is now, as its history asks: in two small round trips, whatever lies there."""

from __future__ import annotations

import pytest
import redis

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.present import Present, present
from tests.emq.reading import CountingClient, Q

ID = "JOB0KHTOWnGLuA"


def look(client: redis.Redis, job_id: str = ID) -> Present:
    return present(client, "orders", job_id)


def test_a_job_that_is_nowhere_is_not_here(client):
    found = look(client)
    assert (found.is_here, found.is_active, found.attempts) == (False, False, None)
    assert found.held == frozenset()
    assert found.deadline_ms is None


def test_a_lease_is_told_with_its_deadline_by_the_clock_of_the_server(client):
    queue = EchoMQ(client)
    queue.enqueue("orders", ID, "{}")
    queue.claim("orders", 60_000)
    found = look(client)
    assert (found.is_here, found.is_active, found.attempts) == (True, True, 1)
    assert 0 < found.deadline_ms - found.now_ms <= 60_000


@pytest.mark.parametrize("name", ["dead", "schedule", "pending"])
def test_an_id_that_only_a_set_holds_is_here(client, name):
    client.zadd(Q + name, {ID: 5})
    found = look(client)
    assert (found.held, found.is_here, found.has_row) == ({name}, True, False)
    assert found.attempts is None


def test_a_row_in_no_set_is_here(client):
    client.hset(Q + "job:" + ID, "state", "awaiting_children")
    found = look(client)
    assert (found.is_here, found.attempts) == (True, 0)


@pytest.mark.parametrize("attempts", ["", "many", "1.5", "9" * 30, "x" * 1_000_000, b"\xff"])
def test_attempts_that_are_no_number_are_not_known(client, attempts):
    client.hset(Q + "job:" + ID, "attempts", attempts)
    found = look(client)
    assert (found.is_here, found.attempts) == (True, None)


@pytest.mark.parametrize("score", ["inf", "-inf", "1e300"])
def test_a_score_that_is_no_date_is_no_deadline(client, score):
    client.zadd(Q + "active", {ID: score})
    found = look(client)
    assert (found.is_active, found.deadline_ms) == (True, None)


def test_keys_of_another_type_hold_nothing_that_can_be_read(client):
    for name in ("active", "dead", "schedule", "pending", "job:" + ID):
        client.set(Q + name, "x")
    found = look(client)
    assert (found.held, found.has_row, found.attempts) == (frozenset(), True, None)
    assert "dead: the key holds another type" in found.fault
    assert not found.is_unknown


def test_a_job_that_may_be_where_nobody_may_look_is_not_known_to_be_gone(client, server_port):
    client.acl_setuser("low", enabled=True, nopass=True, keys=["*"],
                       commands=["+time", "+exists", "+hstrlen"])  # fmt: skip
    try:
        with redis.Redis(port=server_port, username="low", password="any") as poor:
            found = look(poor)
    finally:
        client.acl_deluser("low")
    assert (found.is_here, found.is_unknown) == (False, True)
    assert "zscore" in found.fault


def test_a_job_waits_in_the_lane_that_its_row_names(client):
    client.hset(Q + "job:" + ID, mapping={"state": "pending", "group": b"\xffvip"})
    assert look(client).held == set()
    client.zadd(b"emq:{orders}:g:\xffvip:pending", {ID: 0})
    assert look(client).held == {"lane"}


def test_the_parent_of_a_flow_waits_for_its_children(client):
    client.hset(Q + "job:" + ID, "state", "awaiting_children")
    assert look(client).awaits
    client.hset(Q + "job:" + ID, "state", "pending")
    assert not look(client).awaits


def test_it_takes_two_round_trips_at_most(client, server_port):
    client.hset(Q + "job:" + ID, "attempts", 3)
    with CountingClient(port=server_port) as counting:
        assert look(counting).attempts == 3
        assert counting.trips == 2


def test_an_id_of_any_bytes_is_looked_for(client):
    client.zadd(Q + "dead", {b"\xff\x00}": 0})
    assert look(client, "\udcff\x00}").held == {"dead"}
