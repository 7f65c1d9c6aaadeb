"""Looks are taken aside: no server, however slow, holds up those who ask."""

from __future__ import annotations

import threading
import time

import pytest
import redis

from echomq_admin.emq.reads import counts
from echomq_admin.fleet import lookout, pace, rounds, servers, snapshot
from echomq_admin.fleet.discovery import discover
from tests.fleet.stuck import mute, trickling
from tests.valkey import free_port
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db


# An answer may take longer than a page waits for it.
SLOW = "read_ms=60000"


def timed():
    started = time.monotonic()
    looks = snapshot.snapshots()
    return looks, time.monotonic() - started


def threads():
    return [each for each in threading.enumerate() if each.name.startswith("lookout ")]


def looks_taken(client):
    """How often the server was asked whether its only queue is paused."""
    return client.info("commandstats").get("cmdstat_hexists", {"calls": 0})["calls"]


def test_stuck_servers_hold_up_the_first_view_once_for_all_and_no_other(
    client, prod, settings, monkeypatch
):
    monkeypatch.setattr(lookout, "PATIENCE_S", 4.0)
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    with mute() as one, mute() as two:
        settings.EMQ_SERVERS += (
            f" s1=redis://127.0.0.1:{one}?{SLOW} s2=redis://127.0.0.1:{two}?{SLOW}"
        )
        (good, *stuck), first_s = timed()
        assert first_s < 7.5
        assert (good.error, good.queues[0].pending) == (None, 1)
        for look in stuck:
            assert look.error.startswith(f"{look.server} has not answered yet at redis://")
            assert (look.queues, look.stale_since) == ((), None)
        assert timed()[1] < 3
        one_look = snapshot.snapshot(servers.server("s1"))
        assert "has not answered yet" in one_look.error


def test_a_server_that_falls_silent_is_told_with_the_time_of_its_last_look(client, settings, prod):
    settings.EMQ_SERVERS += "?read_ms=300"
    prod = servers.server("prod")
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    good = snapshot.snapshot(prod)
    client.client_pause(5_000, all=True)
    try:
        bad = wait_for(lambda: (look := snapshot.snapshot(prod)).error and look)
    finally:
        client.client_unpause()
    assert bad.queues == good.queues
    assert bad.stale_since is not None
    assert bad.age_s > 0
    wait_for(lambda: snapshot.snapshot(prod).error is None)


def test_a_look_under_way_for_longer_than_one_answer_may_take_is_an_error_already(
    prod, monkeypatch
):
    good = snapshot.snapshot(prod)
    over = threading.Event()
    monkeypatch.setattr(type(prod), "patience_s", 0.2)
    monkeypatch.setattr(lookout, "counts", lambda *_args: over.wait(20) and (1, []))
    try:
        late = wait_for(lambda: (look := snapshot.snapshot(prod)).error and look)
    finally:
        over.set()
    assert "has not answered yet" in late.error
    assert (late.facts, late.stale_since is None) == (good.facts, False)
    wait_for(lambda: snapshot.snapshot(prod).error is None)


def test_a_server_that_only_trickles_is_given_up(settings):
    with trickling() as port:
        settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{port}?read_ms=200"
        prod = servers.server("prod")
        assert timed()[1] < 1.5
        wait_for(lambda: "did not answer in time" in snapshot.snapshot(prod).error, 10)


def test_looks_go_on_by_themselves_and_end_when_nobody_asks(client, prod, monkeypatch):
    monkeypatch.setattr(lookout, "AWAKE_S", 600.0)
    monkeypatch.setattr(snapshot, "FRESH_S", 0.1)
    client.zadd("emq:{a}:dead", {"x": 0})
    discover(prod)
    snapshot.snapshot(prod)
    client.config_resetstat()
    wait_for(lambda: looks_taken(client) >= 2)
    monkeypatch.setattr(lookout, "AWAKE_S", 0.1)
    wait_for(lambda: not threads())
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    assert snapshot.snapshot(prod).queues[0].pending == 1


def test_many_who_ask_at_once_share_one_look_at_a_time(client, prod, monkeypatch):
    monkeypatch.setattr(snapshot, "FRESH_S", 3600.0)
    client.zadd("emq:{a}:dead", {"x": 0})
    discover(prod)
    lookout_of = snapshot._lookout(prod)
    lookout_of.ask()
    client.config_resetstat()
    askers = [threading.Thread(target=lookout_of.tell) for _ in range(50)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(threads()) == 1
    assert looks_taken(client) <= 1


def test_after_a_change_the_next_snapshot_is_new_though_looks_are_rare(client, prod, monkeypatch):
    monkeypatch.setattr(snapshot, "FRESH_S", 3600.0)
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    for size in range(2, 12):
        snapshot.snapshot(prod)
        client.zadd("emq:{a}:pending", {f"y{size}": 0})
        snapshot.refresh(prod)
        assert snapshot.snapshot(prod).queues[0].pending == size


@pytest.fixture
def large(client, prod, monkeypatch):
    """Five queues of which a look reads two beside those that somebody looks at."""
    monkeypatch.setattr(snapshot, "FRESH_S", 0.2)
    monkeypatch.setattr(rounds, "BUDGET", 30)
    for queue in "abcde":
        client.zadd(f"emq:{{{queue}}}:pending", {"x": 0})
    discover(prod)
    return prod


def ages(look):
    return {sizes.queue: look.age_of(sizes) for sizes in look.queues}


def test_the_first_look_at_a_large_fleet_is_waited_for_until_every_queue_is_read(large):
    look = snapshot.snapshot(large)
    assert [sizes.pending for sizes in look.queues] == [1] * 5
    assert (look.unread, look.error) == (0, None)


def test_in_a_large_fleet_every_queue_has_its_turn(client, large):
    snapshot.snapshot(large)
    for queue in "abcde":
        client.zadd(f"emq:{{{queue}}}:pending", {"y": 0})
    wait_for(lambda: [q.pending for q in snapshot.snapshot(large).queues] == [2] * 5)


def test_what_somebody_looks_at_is_read_by_every_look(large, monkeypatch):
    snapshot.snapshot(large)
    read = []

    def noting(client, queues, heard):
        read.append(set(queues))
        return counts(client, queues, heard)

    snapshot.live(large, ["e"])
    monkeypatch.setattr(lookout, "counts", noting)
    wait_for(lambda: len(read) > 5)
    assert all("e" in queues for queues in read)
    assert set().union(*read) == set("abcde")
    assert all(len(queues) < 5 for queues in read)


def test_a_queue_that_is_opened_is_read_at_once_though_looks_are_rare(client, prod, monkeypatch):
    client.zadd("emq:{a}:pending", {"x": 0})
    client.zadd("emq:{b}:pending", {"x": 0})
    discover(prod)
    monkeypatch.setattr(rounds, "BUDGET", 1)
    snapshot.snapshot(prod)
    monkeypatch.setattr(pace.Pace, "oldest", lambda _self, now, _looks, _every_s: now - 0.05)
    monkeypatch.setattr(snapshot, "FRESH_S", 3600.0)
    snapshot.refresh(prod)
    snapshot.live(prod, ["a"])
    client.zadd("emq:{b}:pending", {"y": 0})
    assert snapshot.live(prod, ["b"]).counts_of("b").pending == 2


def test_fifty_viewers_of_the_same_queues_cost_no_more_than_one(client, prod, monkeypatch):
    for number in range(20):
        client.zadd(f"emq:{{q{number}}}:pending", {"x": 0})
    discover(prod)
    monkeypatch.setattr(snapshot, "FRESH_S", 3600.0)
    snapshot.snapshot(prod)
    queues = [f"q{number}" for number in range(20)]
    prod_lookout = snapshot._lookout(prod)
    prod_lookout.ask(queues)
    client.config_resetstat()
    viewers = [threading.Thread(target=prod_lookout.tell, args=(queues,)) for _ in range(50)]
    for viewer in viewers:
        viewer.start()
    for viewer in viewers:
        viewer.join()
    assert commands(client) == 0


def commands(client):
    stats = client.info("commandstats")
    return sum(
        x["calls"]
        for name, x in stats.items()
        if not name.startswith(("cmdstat_info", "cmdstat_config"))
    )


def test_a_queue_nobody_knows_is_not_waited_for(client, prod, monkeypatch):
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    snapshot.snapshot(prod)
    monkeypatch.setattr(lookout, "PATIENCE_S", 60.0)
    started = time.monotonic()
    assert snapshot.live(prod, ["nowhere"]).counts_of("nowhere") is None
    assert time.monotonic() - started < 30


def test_a_queue_that_is_gone_is_told_no_more(client, prod):
    for queue in "ab":
        client.zadd(f"emq:{{{queue}}}:pending", {"x": 0})
    discover(prod)
    assert len(snapshot.snapshot(prod).queues) == 2
    client.delete("emq:{a}:pending")
    discover(prod)
    snapshot.refresh(prod)
    assert [sizes.queue for sizes in snapshot.snapshot(prod).queues] == ["b"]


def test_the_age_of_a_queue_is_that_of_its_own_reading(large):
    look = snapshot.live(large, ["a"])
    late = wait_for(lambda: (now := snapshot.live(large, ["a"])).now_ms > look.now_ms + 250 and now)
    assert ages(late)["a"] < max(ages(late).values())


def test_forgetting_the_servers_ends_their_threads_and_connections(client, prod, settings):
    with mute() as port:
        settings.EMQ_SERVERS += f" stuck=redis://127.0.0.1:{port}"
        snapshot.snapshots()
        assert len(threads()) == 2
        servers.forget()
        wait_for(lambda: not threads())
    assert not [one for one in client.client_list() if one["name"] == "echomq-admin"]
    assert not snapshot._lookouts


def test_what_nobody_foresaw_is_told_and_logged_once(prod, monkeypatch, caplog):
    def broken(*_args):
        raise RuntimeError("no such thing")

    monkeypatch.setattr(lookout, "counts", broken)
    assert "no such thing" in snapshot.snapshot(prod).error
    snapshot.refresh(prod)
    snapshot.snapshot(prod)
    assert len([line for line in caplog.messages if "the look at prod failed" in line]) == 1


@pytest.mark.parametrize("trouble", [UnicodeError("idna"), OverflowError("too large")])
def test_an_address_that_cannot_work_is_trouble_of_its_own_server(prod, monkeypatch, trouble):
    def raising(*_args):
        raise trouble

    monkeypatch.setattr(lookout, "counts", raising)
    assert snapshot.snapshot(prod).error.endswith(": its address cannot work.")


def test_the_facts_come_with_the_look(prod, monkeypatch):
    look = snapshot.snapshot(prod)
    monkeypatch.setattr(servers, "read_facts", lambda _client: 1 / 0)
    prod._facts = None
    assert servers.read_only_reason(prod, "orders", look.facts) is None


def test_a_server_that_is_gone_is_told_at_once(settings):
    settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{free_port()}"
    (look,), took_s = timed()
    assert "refused" in look.error
    assert took_s < 0.9
    assert issubclass(redis.ConnectionError, servers.TROUBLE)
