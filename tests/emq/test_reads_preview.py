"""The preview says what the sweep then does, row for row, and changes nothing."""

from __future__ import annotations

import random

import pytest

from echomq_admin.emq import EchoMQ, EmqState
from echomq_admin.emq.reads import (
    reap_group_preview,
    reap_preview,
    server_now_ms,
    sweep_preview,
)
from tests.emq.reading import CountingClient, Q, add_job


def fates(preview):
    return {row.lease.job.job_id: row.fate for row in preview.rows}


def swept(client, max_stalled, limit):
    result = EchoMQ(client).sweep("orders", max_stalled, limit)
    return {
        job_id: word
        for word in ("recovered", "dead", "orphaned", "unreadable")
        for job_id in getattr(result, word)
    }


def seed_everything(client, dice, count=120):
    """Lapsed leases of every kind, at few different deadlines, and some that are live."""
    client.set(Q + "g:BROKEN:pending", "no set")
    client.zadd(Q + "g:FULL:pending", {"other": 0})
    counters = ["0", "1", "2", "7", "-1", "abc", "01", "", "1" * 20, None]
    for at in range(count):
        job_id = f"JOB{dice.randrange(10**6):06d}{at}"
        add_job(client, "active", job_id, dice.choice([-5, 1, 2, 3, 1e308]))
        row = {
            "attempts": dice.choice([*counters[:4], *counters]),
            "stalled": dice.choice(counters),
            "group": dice.choice([None, None, "A", "FULL", "BROKEN"]),
            "payload": dice.choice(["{}", None]),
        }
        shape = dice.choice(["row"] * 8 + ["none", "string", "foreign"])
        key = f"{Q}job:{job_id}"
        if shape == "string":
            client.set(key, "x")
        elif shape == "foreign":
            client.hset(key, "data", "{}")
        elif shape == "row" and any(value is not None for value in row.values()):
            client.hset(key, mapping={name: v for name, v in row.items() if v is not None})


@pytest.mark.parametrize("max_stalled", [1, 2, 3])
@pytest.mark.parametrize("limit", [1, 17, 100, 500])
def test_a_sweep_does_what_its_preview_said(client, max_stalled, limit):
    seed_everything(client, random.Random(max_stalled * 1000 + limit))
    preview = sweep_preview(client, "orders", max_stalled, limit)
    assert len(preview.rows) == min(limit, preview.lapsed)
    assert swept(client, max_stalled, limit) == fates(preview)


def reaped(result):
    return {
        job_id: word
        for word in ("recovered", "orphaned", "unreadable")
        for job_id in getattr(result, word)
    }


@pytest.mark.parametrize("limit", [1, 17, 100, 500])
def test_a_reap_does_what_its_preview_said(client, limit):
    seed_everything(client, random.Random(limit))
    preview = reap_preview(client, "orders", limit)
    assert len(preview.rows) == preview.looked == min(limit, preview.lapsed)
    assert reaped(EchoMQ(client).reap("orders", limit)) == fates(preview)


@pytest.mark.parametrize("group", ["A", "BROKEN", "FULL", "nobody"])
@pytest.mark.parametrize("limit", [1, 17, 100, 500])
def test_a_reap_of_a_lane_does_what_its_preview_said(client, group, limit):
    seed_everything(client, random.Random(limit))
    preview = reap_group_preview(client, "orders", group, limit)
    assert preview.looked == min(limit, preview.lapsed)
    assert reaped(EchoMQ(client).reap_group("orders", group, limit)) == fates(preview)


def test_previews_of_reaps_change_nothing_and_take_three_trips(client, server_port):
    seed_everything(client, random.Random(2))
    before = {key: client.dump(key) for key in client.keys("*")}
    for look in (
        lambda counting: reap_preview(counting, "orders", 100),
        lambda counting: reap_group_preview(counting, "orders", "A", 100),
    ):
        with CountingClient(port=server_port) as counting:
            look(counting)
            assert counting.trips <= 3
    assert {key: client.dump(key) for key in client.keys("*")} == before


def test_reaps_without_a_limit_are_refused(client):
    with pytest.raises(ValueError, match="at least 1"):
        reap_preview(client, "orders", 0)
    with pytest.raises(ValueError, match="at least 1"):
        reap_group_preview(client, "orders", "A", 0)


def test_the_longest_past_deadline_comes_first_then_the_id(client):
    for job_id, deadline in [("b", 5), ("a", 5), ("z", 1), ("live", 1e15)]:
        add_job(client, "active", job_id, deadline, state="active", attempts=1)
    preview = sweep_preview(client, "orders", 1, 100)
    assert list(fates(preview)) == ["z", "a", "b"]
    assert (preview.lapsed, preview.cut, preview.fault) == (3, False, None)


def test_the_limit_cuts_the_rows_but_not_the_count(client):
    client.zadd(Q + "active", {f"JOB{at}": 1 for at in range(30)})
    preview = sweep_preview(client, "orders", 1, 10)
    assert (len(preview.rows), preview.lapsed, preview.cut) == (10, 30, False)


def test_a_limit_beyond_what_a_preview_reads_is_said(client):
    client.zadd(Q + "active", {f"JOB{at}": 1 for at in range(1100)})
    preview = sweep_preview(client, "orders", 1, 5000)
    assert (len(preview.rows), preview.lapsed, preview.cut) == (1000, 1100, True)


def test_a_preview_changes_nothing_and_takes_three_trips(client, server_port):
    seed_everything(client, random.Random(1))
    before = {key: client.dump(key) for key in client.keys("*")}
    with CountingClient(port=server_port) as counting:
        sweep_preview(counting, "orders", 2, 100)
        assert counting.trips <= 3
    assert {key: client.dump(key) for key in client.keys("*")} == before


@pytest.mark.parametrize(
    "key",
    ["pending", "schedule", "dead", "ring", "paused", "glimit", "gactive", "wake", "meta",
     "metrics:completed", "metrics:failed"],
)  # fmt: skip
def test_what_makes_the_sweep_refuse_is_said_beforehand(client, key):
    client.zadd(Q + "active", {"JOBx": 1})
    client.set(Q + key, "x")
    assert sweep_preview(client, "orders", 1, 100).fault.startswith(f"{key} is a string, not a ")
    with pytest.raises(EmqState):
        EchoMQ(client).sweep("orders")


def test_an_active_set_that_is_none_has_no_count(client):
    client.set(Q + "active", "x")
    preview = sweep_preview(client, "orders", 1, 100)
    assert (preview.lapsed, preview.rows) == (None, ())
    assert preview.fault == "active is a string, not a sorted set"


def test_remaining_times_are_those_of_the_servers_now(client):
    deadline = server_now_ms(client) - 4_000
    add_job(client, "active", "JOBx", deadline, state="active")
    (row,) = (preview := sweep_preview(client, "orders", 1, 100)).rows
    assert row.lease.remaining_ms == deadline - preview.now_ms <= -4_000
    assert row.lease.phase == "lapsed"


@pytest.mark.parametrize(("max_stalled", "limit"), [(0, 100), (1, 0)])
def test_arguments_that_no_sweep_takes_are_refused(client, max_stalled, limit):
    with pytest.raises(ValueError, match="at least 1"):
        sweep_preview(client, "orders", max_stalled, limit)
