"""All viewers share one look a second, and keep the last good one when a server fails."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.utils import timezone

from echomq_admin.fleet import servers, sight, snapshot
from echomq_admin.fleet.discovery import discover
from echomq_admin.fleet.snapshot import refresh
from tests.valkey import free_port, valkey
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db


def look(server):
    return snapshot.snapshot(server)


def pending(found):
    return {queue.queue: queue.pending for queue in found.queues}


def test_a_snapshot_holds_every_known_queue_by_name(client, prod):
    client.zadd("emq:{b}:pending", {"x": 0})
    client.zadd("emq:{a}:g:L:pending", {"x": 0, "y": 0})
    discover(prod)
    found = look(prod)
    assert [(q.queue, q.pending, q.lanes_pending) for q in found.queues] == [
        ("a", 0, 2), ("b", 1, 0),
    ]  # fmt: skip
    assert (found.server, found.error, found.stale_since) == ("prod", None, None)
    assert found.facts.version.startswith("valkey")
    assert found.now_ms > 0


def test_a_hundred_views_within_a_second_cost_one_look(client, prod):
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    client.config_resetstat()
    for _ in range(100):
        look(prod)
    assert client.info("commandstats")["cmdstat_hexists"]["calls"] <= 2


def test_after_a_change_of_our_own_the_next_look_is_new(client, prod):
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    look(prod)
    client.zadd("emq:{a}:pending", {"y": 0})
    refresh(prod)
    assert pending(look(prod)) == {"a": 2}


def test_a_look_is_renewed_by_itself(client, prod):
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    look(prod)
    client.zadd("emq:{a}:pending", {"y": 0})
    wait_for(lambda: pending(look(prod)) == {"a": 2})


def test_a_server_that_fails_keeps_its_last_rows_marked_stale_and_recovers(settings):
    port = free_port()
    settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{port}"
    prod = servers.server("prod")
    with valkey(port=port):
        prod.client.zadd("emq:{a}:pending", {"x": 0})
        discover(prod)
        good = look(prod)
    started = timezone.now()
    refresh(prod)
    bad = look(prod)
    assert bad.error.startswith(f"prod cannot be read at redis://127.0.0.1:{port}/0: ")
    assert bad.queues == good.queues
    assert bad.stale_since < started
    assert bad.age_s >= good.age_s
    with valkey(port=port):
        wait_for(lambda: look(prod).error is None)
        assert pending(look(prod)) == {"a": 0}
        assert look(prod).stale_since is None


def test_a_server_that_never_answered_has_an_error_and_no_rows(settings):
    settings.EMQ_SERVERS = f"prod=redis://:s3cret@127.0.0.1:{free_port()}"
    found = look(servers.server("prod"))
    assert (found.queues, found.now_ms, found.facts, found.stale_since) == ((), None, None, None)
    assert "s3cret" not in found.error


def test_one_bad_server_leaves_the_others_alone(client, prod, settings):
    client.zadd("emq:{a}:pending", {"x": 0})
    settings.EMQ_SERVERS = f"bad=redis://127.0.0.1:{free_port()} {settings.EMQ_SERVERS}"
    bad, good = servers.servers()
    discover(good)
    assert look(bad).error
    assert (look(good).error, pending(look(good))) == (None, {"a": 1})


def test_a_key_of_the_wrong_type_costs_one_cell_of_one_queue(client, prod):
    for queue in "abcde":
        client.zadd(f"emq:{{{queue}}}:pending", {"x": 0})
    client.delete("emq:{c}:pending")
    client.set("emq:{c}:pending", "x")
    client.hset("emq:{b}:metrics:completed", "count", "abc")
    discover(prod)
    found = look(prod)
    assert pending(found) == {"a": 1, "b": 1, "c": None, "d": 1, "e": 1}
    assert [queue.completed for queue in found.queues] == [0, None, 0, 0, 0]
    assert found.error is None


def test_what_discovery_finds_and_loses_is_told_at_once(client, prod, monkeypatch):
    client.zadd("emq:{old}:pending", {"x": 0})
    discover(prod)
    look(prod)
    client.delete("emq:{old}:pending")
    client.zadd("emq:{new}:pending", {"x": 0})
    discover(prod)
    monkeypatch.setattr(snapshot, "FRESH_S", 0.0)
    assert pending(look(prod)) == {"new": 1}


def test_a_queue_that_is_known_and_not_read_is_counted_beside_the_others(client, prod):
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    found = look(prod)
    seen = sight.Sight(prod)
    seen.keep(5.0, 1, list(found.queues), {"a": ()}, found.facts)
    told = seen.told(6.0, 0.0, {"b": ()})
    assert (told.queues, told.unread, told.known, told.age_s) == ((), 1, 1, 1.0)


def test_the_age_of_a_queue_does_not_depend_on_the_clock_of_the_server(client, prod):
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    found = look(prod)
    (counts,) = found.queues
    seen = sight.Sight(prod)
    seen.keep(5.0, counts.now_ms, [counts], {"a": (), "b": ()}, found.facts)
    later = replace(counts, queue="b", now_ms=counts.now_ms + 3_600_000)
    seen.keep(7.0, later.now_ms, [later], {"a": (), "b": ()}, found.facts)
    told = seen.told(8.0, 0.0, {"a": (), "b": ()})
    assert [told.age_of(queue) for queue in told.queues] == [3.0, 1.0]


def test_a_queue_that_is_only_empty_between_two_jobs_is_no_history(client, prod):
    client.hset("emq:{old}:metrics:completed", "count", 7)
    client.hset("emq:{busy}:metrics:completed", "count", 7)
    discover(prod)
    assert [look(prod).is_history(queue) for queue in look(prod).queues] == [True, True]
    client.hincrby("emq:{busy}:metrics:completed", "count", 1)
    refresh(prod)
    found = look(prod)
    assert {q.queue: found.is_history(q) for q in found.queues} == {"old": True, "busy": False}


def test_a_queue_that_stays_quiet_is_history_again(client, prod, monkeypatch):
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    assert not look(prod).is_history(look(prod).queues[0])
    client.zrem("emq:{a}:pending", "x")
    refresh(prod)
    assert not look(prod).is_history(look(prod).queues[0])
    monkeypatch.setattr(sight, "QUIET_S", 0.0)
    wait_for(lambda: look(prod).is_history(look(prod).queues[0]))
