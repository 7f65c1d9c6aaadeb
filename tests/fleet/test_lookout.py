"""Looks are taken aside: no server, however slow, holds up those who ask."""

from __future__ import annotations

import threading
import time

import pytest
import redis

from echomq_admin.fleet import lookout, servers, snapshot
from echomq_admin.fleet.discovery import discover
from tests.fleet.stuck import mute, trickling
from tests.valkey import free_port
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db


def timed():
    started = time.monotonic()
    looks = snapshot.snapshots()
    return looks, time.monotonic() - started


def threads():
    return [each for each in threading.enumerate() if each.name.startswith("lookout ")]


def looks_taken(client):
    return client.info("commandstats").get("cmdstat_time", {"calls": 0})["calls"]


def test_stuck_servers_hold_up_the_first_view_once_for_all_and_no_other(client, prod, settings):
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    with mute() as one, mute() as two:
        settings.EMQ_SERVERS += f" s1=redis://127.0.0.1:{one} s2=redis://127.0.0.1:{two}"
        (good, *stuck), first_s = timed()
        assert first_s < 1.5
        assert (good.error, good.queues[0].pending) == (None, 1)
        for look in stuck:
            assert look.error.startswith(f"{look.server} has not answered yet at redis://")
            assert (look.queues, look.stale_since) == ((), None)
        assert timed()[1] < 0.3
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
    monkeypatch.setattr(lookout, "AWAKE_S", 0.6)
    monkeypatch.setattr(snapshot, "FRESH_S", 0.1)
    discover(prod)
    snapshot.snapshot(prod)
    client.config_resetstat()
    wait_for(lambda: looks_taken(client) >= 2)
    wait_for(lambda: not threads())
    client.zadd("emq:{a}:pending", {"x": 0})
    discover(prod)
    assert snapshot.snapshot(prod).queues[0].pending == 1


def test_many_who_ask_at_once_share_one_look_at_a_time(client, prod, monkeypatch):
    monkeypatch.setattr(snapshot, "FRESH_S", 3600.0)
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
