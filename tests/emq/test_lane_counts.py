"""What waits in lanes: the oldest job, the lanes that the ring has lost; and when nothing waits."""

from __future__ import annotations

import pytest

from echomq_admin.emq import ids, lane_counts
from echomq_admin.emq.reads import counts
from tests.emq.reading import CountingClient, Q

MINTED = 1_790_000_000_000
A, B, C = (ids.mint("JOB", MINTED + at) for at in range(3))


def only(client, lanes=()):
    _, (queue,) = counts(client, {"orders": lanes})
    return queue


def test_the_oldest_job_is_the_first_of_pending_or_of_any_lane(client):
    client.zadd(Q + "pending", {B: 0, C: 0})
    assert only(client).oldest_ms == MINTED + 1
    client.zadd(Q + "g:L:pending", {A: 0})
    assert only(client, ("L",)).oldest_ms == MINTED


def test_ids_that_carry_no_instant_are_left_aside(client):
    client.zadd(Q + "pending", {"\udcff".encode("utf-8", "surrogateescape"): 0})
    assert only(client).oldest_ms is None
    client.zadd(Q + "g:L:pending", {A: 0})
    assert only(client, ("L",)).oldest_ms == MINTED


def test_a_queue_is_history_when_nothing_is_left_to_do(client):
    client.hset(Q + "metrics:completed", "count", 7)
    assert only(client).is_history
    client.zadd(Q + "repeat", {"daily": 1})
    assert (only(client).is_history, only(client).repeats) == (False, 1)
    client.set(Q + "dead", "x")
    assert not only(client).is_history


@pytest.mark.parametrize("key", ["pending", "active", "schedule", "dead", "g:L:pending"])
def test_a_queue_with_a_job_anywhere_is_no_history(client, key):
    client.zadd(Q + key, {A: 9e12})
    assert not only(client, ("L",)).is_history


def test_lanes_that_should_be_served_and_are_not_on_the_ring_are_counted(client):
    for lane in ("on", "off", "paused", "full", "empty", "held"):
        if lane != "empty":
            client.zadd(f"{Q}g:{lane}:pending", {A: 0})
    client.rpush(Q + "ring", "on")
    client.sadd(Q + "paused", "paused")
    client.hset(Q + "glimit", mapping={"full": 2, "off": 3, "held": "x"})
    client.hset(Q + "gactive", mapping={"full": 2, "off": 2, "held": 9})
    queue = only(client, ("on", "off", "paused", "full", "empty", "held"))
    assert (queue.off_ring, queue.lanes, queue.lanes_pending, queue.faults) == (2, 6, 5, ())


def test_a_lane_that_comes_back_between_two_looks_was_never_off_the_ring(client, server_port):
    client.zadd(Q + "g:L:pending", {A: 0})
    with CountingClient(port=server_port) as counting:
        counting.before_trip = lambda trip: trip == 3 and client.rpush(Q + "ring", "L")
        assert only(counting, ("L",)).off_ring == 0
    client.delete(Q + "ring")
    assert only(client, ("L",)).off_ring == 1


def test_a_ring_of_a_hundred_thousand_is_read_in_part_and_what_is_not_seen_is_unknown(client):
    client.rpush(Q + "ring", *(f"other{at}" for at in range(100_000)))
    client.zadd(Q + "g:L:pending", {A: 0})
    before = client.info("stats")["total_net_output_bytes"]
    queue = only(client, ("L",))
    assert client.info("stats")["total_net_output_bytes"] - before < 100_000
    assert (queue.off_ring, queue.lanes_pending) == (None, 1)
    assert "the ring is longer than 1,000" in queue.faults[0]


def test_of_too_many_lanes_the_first_are_counted_and_the_sum_is_unknown(client, monkeypatch):
    monkeypatch.setattr(lane_counts, "MOST_LANES", 3)
    for at in range(5):
        client.zadd(f"{Q}g:L{at}:pending", {A: 0})
        client.rpush(Q + "ring", f"L{at}")
    queue = only(client, [f"L{at}" for at in range(5)])
    assert (queue.lanes, queue.lanes_pending, queue.waiting, queue.off_ring) == (
        5,
        None,
        None,
        None,
    )
    assert queue.faults == ("at least 3 wait in lanes: 3 of 5 are counted",)
    assert queue.oldest_ms == MINTED


def test_two_thousand_lanes_are_counted(client):
    pipe = client.pipeline(transaction=False)
    for at in range(2_000):
        pipe.zadd(f"{Q}g:L{at}:pending", {ids.mint("JOB", MINTED + at): 0})
    pipe.execute()
    queue = only(client, [f"L{at}" for at in range(2_000)])
    assert (queue.lanes, queue.lanes_pending, queue.off_ring) == (2_000, 2_000, 2_000)
    assert queue.oldest_ms == MINTED


def test_a_queue_whose_name_is_of_four_kilobytes_is_counted(client):
    name = "x" * 4_096
    client.zadd(f"emq:{{{name}}}:pending", {A: 0})
    _, [queue] = counts(client, {name: ()})
    assert (queue.queue, queue.pending) == (name, 1)
