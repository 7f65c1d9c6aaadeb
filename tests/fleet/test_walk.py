"""A pass goes in slices: it can be left and gone on with, shared, and begun anew."""

from __future__ import annotations

import threading

import pytest
import redis
from django.db import connection, transaction

from echomq_admin.agent import Agent
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.discovery import carry_on, discover, known, last_pass
from echomq_admin.fleet.models import KnownQueue, Pass, Walk
from tests.locking import LOCKED, locked
from tests.valkey import free_port, valkey
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """A slice ends with the first queue or two that it found."""
    monkeypatch.setattr(discovery, "SCAN_COUNT", 10)
    monkeypatch.setattr(discovery, "SLICE_KEYS", 1)


class After(threading.Event):
    """Is set after so many slices, as an agent that is told to stop."""

    def __init__(self, slices: int):
        super().__init__()
        self.left = slices

    def wait(self, timeout=None):
        self.left -= 1
        if self.left <= 0:
            self.set()
        return self.is_set()


def queues(client, *names, lane="L"):
    for name in names:
        client.zadd(f"emq:{{{name}}}:g:{lane}:pending", {"x": 0})


HUNDRED = [f"q{at:03}" for at in range(100)]


def walk():
    return Walk.objects.get(server="prod")


def scans(client):
    return client.info("commandstats").get("cmdstat_scan", {"calls": 0})["calls"]


def test_a_queue_is_known_as_soon_as_a_slice_found_it(client, prod):
    queues(client, *HUNDRED)
    assert discover(prod, After(1)) is None
    assert 0 < len(known("prod")) < 100
    assert set(known("prod").values()) == {("L",)}
    assert last_pass("prod") is None


def test_another_agent_goes_on_where_one_was_ended(client, prod):
    queues(client, *HUNDRED)
    discover(prod)
    client.config_resetstat()
    whole = (discover(prod), scans(client))[1]
    client.config_resetstat()
    assert discover(prod, After(3)) is None
    servers.forget()
    left = walk().cursor
    done = carry_on(servers.server("prod"))
    assert left not in {"", "0"}
    assert scans(client) <= whole + 1
    assert (done.queues, done.lanes, done.keys) == (100, 100, 100)
    assert set(known("prod")) == set(HUNDRED)


def test_a_pass_in_two_parts_forgets_what_neither_saw_and_nothing_else(client, prod):
    queues(client, *HUNDRED, "gone")
    queues(client, "q000", lane="ended")
    discover(prod)
    client.delete("emq:{gone}:g:L:pending", "emq:{q000}:g:ended:pending")
    discover(prod, After(3))
    assert {"gone", "q000"} <= set(known("prod"))
    carry_on(prod)
    assert known("prod") == dict.fromkeys(HUNDRED, ("L",))


def test_a_command_begins_anew_what_an_agent_had_half_done(client, prod):
    queues(client, *HUNDRED)
    discover(prod, After(5))
    seen = set(known("prod"))
    client.delete(*(f"emq:{{{name}}}:g:L:pending" for name in seen))
    discover(prod)
    assert set(known("prod")) == set(HUNDRED) - seen


def test_a_cursor_of_another_run_of_the_server_is_worth_nothing(settings):
    with valkey(port=free_port()) as port, redis.Redis(port=port) as client:
        settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{port}"
        queues(client, *HUNDRED)
        discover(servers.server("prod"), After(5))
        before = walk()
    with valkey(port=port) as port, redis.Redis(port=port) as client:
        queues(client, *HUNDRED[:50], "new")
        done = carry_on(servers.server("prod"))
    assert before.cursor
    assert walk().number == before.number + 1
    assert walk().run_id != before.run_id
    assert (done.queues, done.keys) == (51, 51)
    assert set(known("prod")) == {*HUNDRED[:50], "new"}


def test_a_cursor_of_another_database_of_the_server_is_worth_nothing(client, prod, settings):
    queues(client, *HUNDRED)
    discover(prod, After(3))
    before = walk()
    settings.EMQ_SERVERS = settings.EMQ_SERVERS.removesuffix("/0") + "/1"
    done = carry_on(servers.server("prod"))
    assert (done.queues, walk().number) == (0, before.number + 1)
    assert known("prod") == {}


def test_of_two_who_take_the_same_slice_the_second_one_is_dropped(client, prod):
    queues(client, *HUNDRED)
    discover(prod, After(2))
    here, same = walk(), walk()
    discovery._keep(here, discovery._read(prod, here, threading.Event()), 1)
    won = walk()
    late = discovery._read(prod, same, threading.Event())
    late.found[b"late"].add(b"L")
    late.cursor = 0
    discovery._keep(same, late, 1)
    assert (walk().cursor, walk().keys) == (won.cursor, won.keys)
    assert "late" not in known("prod")
    assert last_pass("prod") is None
    assert carry_on(prod).keys == 100


def test_a_slice_of_the_pass_before_is_dropped(client, prod):
    queues(client, *HUNDRED)
    discover(prod, After(1))
    old = walk()
    read = discovery._read(prod, old, threading.Event())
    discovery._begin(prod)
    discovery._keep(old, read, 1)
    assert (walk().number, walk().cursor) == (old.number + 1, "0")


@pytest.mark.django_db(transaction=True)
def test_walkers_at_the_same_time_share_a_pass_and_miss_nothing(client, prod):
    queues(client, *HUNDRED, "gone")
    discover(prod)
    client.delete("emq:{gone}:g:L:pending")
    failures = []

    def again(move):
        try:
            for _ in range(3):
                move(prod)
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    moves = (discover, carry_on, carry_on)
    threads = [threading.Thread(target=again, args=(move,)) for move in moves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert known("prod") == dict.fromkeys(HUNDRED, ("L",))
    assert (last_pass("prod").queues, last_pass("prod").lanes) == (100, 100)
    assert Pass.objects.count() == 1


@pytest.mark.parametrize("left", [0, 1])
def test_a_pass_over_an_empty_server_ends_and_forgets(client, prod, left):
    queues(client, *HUNDRED[:left], "gone")
    discover(prod)
    client.flushall()
    done = carry_on(prod)
    assert (done.queues, done.lanes, done.keys, walk().cursor) == (0, 0, 0, "")
    assert known("prod") == {}


def test_job_rows_are_walked_over_and_none_is_remembered(client, prod, monkeypatch):
    monkeypatch.setattr(discovery, "SCAN_COUNT", 1000)
    monkeypatch.setattr(discovery, "SLICE_S", 0.01)
    for start in range(0, 300_000, 10_000):
        client.mset({f"emq:{{orders}}:job:JOB{at}": "x" for at in range(start, start + 10_000)})
    client.zadd("emq:{task:email}:pending", {"a": 0})
    client.config_resetstat()
    done = discover(prod)
    assert (done.queues, done.keys) == (1, 1)
    assert list(known("prod")) == ["task:email"]
    assert len(bytes(walk().seen_queues)) <= 8
    assert "cmdstat_keys" not in client.info("commandstats")


def user(client, url, *rights):
    client.execute_command("ACL", "SETUSER", "looker", "reset", "on", ">pw", "~*", *rights)
    return url.replace("//", "//looker:pw@")


def test_a_server_that_does_not_tell_its_run_is_walked_in_one_slice(
    client, server_url, settings, request
):
    settings.EMQ_SERVERS = f"prod={user(client, server_url, '+@read', '+ping')}"
    request.addfinalizer(lambda: client.execute_command("ACL", "DELUSER", "looker"))
    queues(client, *HUNDRED)
    done = discover(servers.server("prod"), After(1))
    assert done.queues == 100
    assert walk().run_id == ""


def test_a_user_who_may_not_scan_is_told_what_is_missing(client, server_url, settings, request):
    url = user(client, server_url, "+@all", "-scan")
    settings.EMQ_SERVERS = f"prod={url}"
    request.addfinalizer(lambda: client.execute_command("ACL", "DELUSER", "looker"))
    prod = servers.server("prod")
    with pytest.raises(redis.exceptions.NoPermissionError) as refused:
        discover(prod)
    said = discovery.trouble(prod, refused.value)
    assert said.startswith("The queues of prod cannot be discovered at redis://127.0.0.1:")
    assert "scan" in said
    assert said.endswith("(+scan).")
    assert "pw" not in said


@pytest.mark.django_db(transaction=True)
def test_an_agent_outlives_a_database_that_is_locked_for_a_while(client, prod, caplog):
    caplog.set_level("INFO", "echomq_admin.agent")
    queues(client, *HUNDRED)
    discover(prod, After(3))
    before = walk()
    agent = Agent([prod], 0.05)

    def said():
        lead = "what prod has cannot be remembered: "
        return [line for line in caplog.messages if line.startswith(lead)]

    try:
        with locked():
            agent.start()
            wait_for(said)
        wait_for(lambda: last_pass("prod"))
    finally:
        agent.stop()
    assert [LOCKED in line for line in said()] == [True]
    assert walk().number >= before.number
    assert set(known("prod")) == set(HUNDRED)


@pytest.mark.django_db(transaction=True)
def test_a_write_that_is_rolled_back_leaves_no_trace_in_what_is_kept(client, prod):
    queues(client, "a")
    discover(prod)
    queues(client, "b")
    with transaction.atomic():
        discover(prod)
        assert set(known("prod")) == {"a", "b"}
        transaction.set_rollback(True)
    assert set(known("prod")) == {"a"}
    discover(prod)
    assert set(known("prod")) == {"a", "b"}


def test_an_unchanged_fleet_costs_one_query(client, prod, django_assert_num_queries):
    queues(client, *HUNDRED)
    discover(prod)
    known("prod")
    discover(prod)
    with django_assert_num_queries(1):
        known("prod")
    queues(client, "new")
    discover(prod)
    assert "new" in known("prod")
    assert KnownQueue.objects.count() == 101
