"""Discovery finds every queue and lane, remembers them, and forgets what is gone."""

from __future__ import annotations

import threading

import pytest
import redis

from echomq_admin.emq import lane_names
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.discovery import (
    SCAN_COUNT,
    discover,
    known,
    knows,
    lanes_of,
    last_pass,
    trouble,
)
from echomq_admin.fleet.models import KnownLane, KnownQueue, Mark
from tests.valkey import free_port

pytestmark = pytest.mark.django_db


def key(queue, name="pending"):
    return b"emq:{" + queue + b"}:" + name.encode()


def test_a_pass_remembers_queues_and_their_lanes(client, prod):
    client.zadd("emq:{orders}:pending", {"a": 0})
    client.zadd("emq:{orders}:g:A:pending", {"b": 0})
    client.zadd("emq:{orders}:g::pending", {"c": 0})
    client.hset("emq:{mail}:meta", "x", "y")
    done = discover(prod)
    assert known("prod") == {"mail": (), "orders": ("", "A")}
    assert lanes_of("prod", "orders") == ("", "A")
    assert lanes_of("prod", "mail") == lanes_of("other", "orders") == ()
    assert (done.queues, done.lanes, done.keys) == (2, 2, 4)
    assert last_pass("prod") == done
    assert last_pass("other") is None


@pytest.mark.parametrize(
    "queue",
    [b"foo/bar.baz", b"task:email", b"q+name", b"q name", b"a#b", b"a?b", b"a%2Fb", b"..", b"a}b",
     b"a*[b]", b"", b"}", b"{", b"}:", b"\xff\x00", "é".encode(), b"<b>", b"jobs",
     b"emq", b"x" * 65536],
)  # fmt: skip
def test_a_queue_of_any_name_is_found_and_known(client, prod, queue):
    client.zadd(key(queue), {"a": 0})
    client.zadd(key(queue, "g:L:pending"), {"a": 0})
    discover(prod)
    assert known("prod") == {from_wire(queue): ("L",)}
    assert knows(prod, from_wire(queue))


def test_a_lane_of_any_name_is_found(client, prod):
    groups = [b"a:b", b"\xff", b"", b"x" * 65536, b"g:L:pending", b"}:pending"]
    for group in groups:
        client.zadd(b"emq:{orders}:g:" + group + b":pending", {"a": 0})
    discover(prod)
    assert {g.encode("utf-8", "surrogateescape") for g in known("prod")["orders"]} == set(groups)


@pytest.mark.parametrize(
    "name",
    ["active", "schedule", "dead", "ring", "paused", "glimit", "gactive", "gweight", "wake", "meta",
     "metrics:completed", "metrics:failed", "limiter", "repeat", "repeat:nightly", "de:x"],
)  # fmt: skip
def test_any_key_but_a_jobs_makes_a_queue_known(client, prod, name):
    client.set(f"emq:{{orders}}:{name}", "of whatever type")
    discover(prod)
    assert list(known("prod")) == ["orders"]


def test_rows_other_keys_and_the_consoles_own_make_no_queue(client, prod):
    for name in ("emq:{orders}:job:JOBx", "emq:orders:pending", "{emq}:version", "other",
                 "emq:{orders}:nonsense", "emqadmin:{orders}:audit", "emq:{}"):  # fmt: skip
        client.set(name, "x")
    assert discover(prod).queues == 0
    assert known("prod") == {}


def test_what_is_gone_is_forgotten_in_the_same_pass(client, prod):
    for queue in (b"a", b"b", b"c"):
        client.zadd(key(queue, "g:L:pending"), {"x": 0})
    discover(prod)
    client.delete(key(b"a", "g:L:pending"), key(b"b", "g:L:pending"))
    client.set(key(b"b", "meta"), "x")
    discover(prod)
    assert known("prod") == {"b": (), "c": ("L",)}
    assert not knows(prod, "a")


NAMED = {
    "gactive": lambda client, at: client.hset(at, "L", 1),
    "glimit": lambda client, at: client.hset(at, "L", 3),
    "gweight": lambda client, at: client.hset(at, "L", 2),
    "paused": lambda client, at: client.sadd(at, "L"),
    "ring": lambda client, at: client.rpush(at, "L"),
}


@pytest.mark.parametrize("name", NAMED)
def test_an_empty_lane_is_known_while_anything_names_it(client, prod, name):
    NAMED[name](client, key(b"q\xff", name))
    done = discover(prod)
    assert known("prod") == {from_wire(b"q\xff"): ("L",)}
    assert (done.queues, done.lanes) == (1, 1)
    client.delete(key(b"q\xff", name))
    client.set(key(b"q\xff", "meta"), "x")
    discover(prod)
    assert known("prod") == {from_wire(b"q\xff"): ()}


def test_a_lane_stays_known_while_its_jobs_are_claimed_and_come_back(client, prod):
    client.zadd(key(b"orders", "g:L:pending"), {"a": 0})
    discover(prod)
    before = KnownLane.objects.get().pk
    client.delete(key(b"orders", "g:L:pending"))
    client.hset(key(b"orders", "gactive"), "L", 1)
    discover(prod)
    assert KnownLane.objects.get().pk == before


def test_what_cannot_be_names_of_lanes_names_none_and_ends_no_pass(client, prod):
    for name in NAMED:
        client.set(key(b"mistyped", name), "x")
    client.hset(key(b"long", "glimit"), "x" * 100_000, 1)
    client.sadd(key(b"long", "paused"), "p")
    discover(prod)
    assert known("prod") == {"long": ("p",), "mistyped": ()}


@pytest.mark.parametrize("name", ["gactive", "glimit", "gweight", "paused"])
def test_a_key_that_names_very_many_lanes_is_gone_over_in_steps(client, prod, monkeypatch, name):
    lanes = [f"l{at:04}" for at in range(lane_names.MOST_NAMES + 1)]
    if name == "paused":
        client.sadd(key(b"many", name), *lanes)
    else:
        client.hset(key(b"many", name), mapping=dict.fromkeys(lanes, 1))
    discover(prod)
    assert known("prod") == {"many": tuple(lanes)}
    monkeypatch.setattr(lane_names, "MOST_WALKED", 10)
    assert discover(prod).lanes == 10


def test_of_a_very_long_ring_the_beginning_is_read(client, prod):
    client.rpush(key(b"many", "ring"), *range(lane_names.MOST_NAMES + 1))
    assert discover(prod).lanes == lane_names.MOST_NAMES


def test_a_right_that_is_missing_hides_names_and_ends_no_pass(client, prod, settings, request):
    client.hset(key(b"a", "glimit"), mapping={f"l{at}": 1 for at in range(5_001)})
    client.hset(key(b"b", "glimit"), "L", 1)
    client.zadd(key(b"b", "g:M:pending"), {"x": 0})
    client.acl_setuser("blind", enabled=True, passwords="+pw", keys=["*"],
                       commands=["+@all", "-hscan", "-hrandfield"])  # fmt: skip
    request.addfinalizer(lambda: client.acl_deluser("blind"))
    settings.EMQ_SERVERS = settings.EMQ_SERVERS.replace("redis://", "redis://blind:pw@")
    discover(servers.server("prod"))
    assert known("prod") == {"a": (), "b": ("M",)}


def test_each_key_that_names_lanes_is_read_once_a_pass(client, prod):
    for at in range(50):
        for name, put in NAMED.items():
            put(client, key(b"q%d" % at, name))
    client.config_resetstat()
    assert discover(prod).lanes == 50
    stats = client.info("commandstats")
    assert stats["cmdstat_hrandfield"]["calls"] == 150
    assert stats["cmdstat_lrange"]["calls"] == stats["cmdstat_srandmember"]["calls"] == 50


def test_a_pass_touches_only_its_own_server(client, prod, settings, server_url):
    client.set(key(b"a"), "x")
    settings.EMQ_SERVERS += f" other={server_url}"
    discover(servers.server("prod"))
    discover(servers.server("other"))
    client.flushall()
    discover(servers.server("prod"))
    assert (known("prod"), known("other")) == ({}, {"a": ()})


def test_a_pass_that_is_stopped_or_fails_changes_nothing(client, prod, settings):
    client.set(key(b"a"), "x")
    before = discover(prod)
    client.flushall()
    stop = threading.Event()
    stop.set()
    assert discover(prod, stop) is None
    settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{free_port()}"
    with pytest.raises(redis.ConnectionError):
        discover(servers.server("prod"))
    assert known("prod") == {"a": ()}
    assert last_pass("prod") == before


def test_a_quiet_pass_leaves_the_rows_and_their_mark_alone(client, prod):
    client.zadd(key(b"a", "g:L:pending"), {"x": 0})
    discover(prod)
    before = KnownQueue.objects.get(), KnownLane.objects.get(), Mark.objects.get().mark
    discover(prod)
    assert (KnownQueue.objects.get(), KnownLane.objects.get(), Mark.objects.get().mark) == before


def test_thousands_of_queues_and_lanes_come_and_go(client, prod):
    pipe = client.pipeline(transaction=False)
    for at in range(2500):
        pipe.zadd(f"emq:{{q{at}}}:g:L{at}:pending", {"x": 0})
        pipe.zadd(f"emq:{{orders}}:g:L{at}:pending", {"x": 0})
    pipe.execute()
    assert (discover(prod).queues, len(known("prod")["orders"])) == (2501, 2500)
    client.flushall()
    discover(prod)
    assert (known("prod"), KnownLane.objects.count()) == ({}, 0)


def test_job_rows_cost_a_pass_no_more_than_their_share_of_scan_calls(client, prod):
    pipe = client.pipeline(transaction=False)
    for at in range(20_000):
        pipe.set(f"emq:{{orders}}:job:JOB{at}", "x")
    pipe.execute()
    client.zadd(key(b"task:email"), {"a": 0})
    client.config_resetstat()
    done = discover(prod)
    stats = client.info("commandstats")
    assert done.keys == 1
    assert stats["cmdstat_scan"]["calls"] <= 2 * 20_001 / SCAN_COUNT + 2
    assert not {"cmdstat_keys", "cmdstat_eval", "cmdstat_evalsha"} & stats.keys()


def test_a_queue_not_yet_discovered_is_looked_up_and_nothing_is_written(client, prod):
    client.zadd(key(b"new"), {"a": 0})
    assert knows(prod, "new")
    assert not knows(prod, "other")
    assert KnownQueue.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_passes_at_the_same_time_leave_what_the_server_has(client, prod):
    failures = []

    def pass_again(lanes):
        try:
            for at in range(5):
                client.zadd(key(b"q%d" % (at % 3), f"g:{lanes}:pending"), {"x": 0})
                discover(prod)
                client.delete(key(b"q%d" % (at % 3), f"g:{lanes}:pending"))
        except Exception as error:
            failures.append(error)
        finally:
            from django.db import connection

            connection.close()

    threads = [threading.Thread(target=pass_again, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    client.zadd(key(b"last", "g:L:pending"), {"x": 0})
    discover(prod)
    assert known("prod") == {"last": ("L",)}


@pytest.mark.parametrize("said", ["unknown command 'SCAN', with args beginning with: '0'",
                                  "unknown command `scan`"])  # fmt: skip
def test_a_server_without_scan_is_told_with_what_to_do(prod, said):
    sentence = trouble(prod, redis.ResponseError(said))
    assert sentence.startswith("The queues of prod cannot be discovered at redis://")
    assert "add the queues by name" in sentence


def test_a_channel_is_no_key_of_a_queue(client, prod):
    client.set("emq:{ghost}:events", "x")
    discover(prod)
    assert known("prod") == {}
    assert not knows(prod, "ghost")
