"""Lapsed leases in the counts: how many, since when, and what a sweep would do with the first."""

from __future__ import annotations

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.lapses import LOOKED_AT, Lapse
from echomq_admin.emq.reads import counts, sweep_preview
from tests.emq.reading import CountingClient, Q

A, B, C = "JOB0KHTOWnGLuA", "JOB0KHTOWnGLuB", "JOB0KHTOWnGLuC"


def only(client, lanes=()):
    _, (queue,) = counts(client, {"orders": lanes})
    return queue


def lapsed(client, job_id, **row):
    client.zadd(Q + "active", {job_id: 1})
    client.hset(f"{Q}job:{job_id}", mapping={"state": "active", "attempts": 1} | row)


def test_what_a_sweep_would_do_is_told_for_any_budget(client):
    lapsed(client, A)
    lapsed(client, B, stalled=1)
    lapsed(client, C, stalled="x")
    lapsed(client, "JOB1", attempts="many")
    client.zadd(Q + "active", {"JOB2": 1})
    client.set(Q + "job:JOB3", "x")
    client.zadd(Q + "active", {"JOB3": 1, "JOB4": 9e15})
    queue = only(client)
    assert (queue.active, queue.lapsed, queue.lapsed_ms) == (7, 6, 1)
    assert queue.lapse == Lapse(((0, 2), (1, 1)), orphaned=1, unreadable=2)
    assert [(queue.lapse.recovered(most), queue.lapse.dead(most)) for most in (1, 2, 3)] == [
        (0, 3), (2, 1), (3, 0),
    ]  # fmt: skip


def test_the_counts_say_the_same_as_the_preview_of_a_sweep_and_as_the_sweep(client):
    for at in range(8):
        lapsed(client, f"JOB{at}", stalled=at % 4, group="lost" if at == 7 else "L")
    client.zadd(Q + "active", {"JOB9": 1})
    client.set(Q + "g:lost:pending", "x")
    lapse = only(client, ("L", "lost")).lapse
    told = {
        "recovered": lapse.recovered(2),
        "dead": lapse.dead(2),
        "orphaned": lapse.orphaned,
        "unreadable": lapse.unreadable,
    }
    fates = [row.fate for row in sweep_preview(client, "orders", 2, 100).rows]
    assert told == {verdict: fates.count(verdict) for verdict in told}
    swept = EchoMQ(client).sweep("orders", max_stalled=2)
    assert told == {verdict: len(getattr(swept, verdict)) for verdict in told}


def test_no_more_leases_are_looked_at_than_one_sweep_takes(client, server_port):
    for at in range(LOOKED_AT + 5):
        lapsed(client, f"JOB{at:03}")
    with CountingClient(port=server_port) as counting:
        queue = only(counting)
        assert counting.commands < 2 * LOOKED_AT + 40
    assert (queue.lapsed, queue.lapse) == (LOOKED_AT + 5, Lapse(((0, LOOKED_AT),), more=True))


def test_of_many_queues_those_with_the_most_lapsed_leases_are_looked_at(client):
    for at in range(30):
        client.zadd(f"emq:{{q{at:02}}}:active", {f"JOB{n}": 100 + at for n in range(at + 1)})
    _, queues = counts(client, {f"q{at:02}": () for at in range(30)})
    assert [queue.queue for queue in queues if queue.lapse] == [f"q{at}" for at in range(10, 30)]


def test_of_queues_with_as_many_those_are_looked_at_that_lapsed_first(client):
    for at in range(30):
        client.zadd(f"emq:{{q{at:02}}}:active", {A: 100 - at})
    _, queues = counts(client, {f"q{at:02}": () for at in range(30)})
    assert [queue.lapsed for queue in queues] == [1] * 30
    assert [queue.queue for queue in queues if queue.lapse] == [f"q{at}" for at in range(10, 30)]


def test_a_lease_that_runs_is_not_looked_at(client):
    client.zadd(Q + "active", {A: 9e15, B: "+inf"})
    queue = only(client)
    assert (queue.active, queue.lapsed, queue.lapsed_ms, queue.lapse) == (2, 0, None, None)


def test_deadlines_that_are_no_times_have_lapsed_or_not(client):
    client.zadd(Q + "active", {A: "-inf", B: -1})
    queue = only(client)
    assert (queue.lapsed, queue.lapsed_ms) == (2, float("-inf"))
