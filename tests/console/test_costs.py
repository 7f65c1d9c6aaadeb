"""What a page asks of the server, whatever lies in the queue."""

from __future__ import annotations

import threading

import pytest
from redis.connection import AbstractConnection

from echomq_admin.fleet import discovery, servers, snapshot
from tests.console.scene import HX

LISTS = ("active", "pending", "scheduled", "dead")
OTHERS = ("lanes", "repeat", "sweep", "job/JOB0KHTOWn0000")
TABS = (*LISTS, *(f"{tab}?at=0&order=desc" for tab in LISTS), *OTHERS)


@pytest.fixture
def trips(monkeypatch) -> list[int]:
    """One entry for each round trip of a page; the shared look has a thread of its own."""
    sent: list[int] = []
    asks = threading.get_ident()
    send = AbstractConnection.send_packed_command

    def counting(connection, command, check_health=True):
        if threading.get_ident() == asks:
            sent.append(1)
        send(connection, command, check_health)

    monkeypatch.setattr(AbstractConnection, "send_packed_command", counting)
    monkeypatch.setattr(snapshot, "FRESH_S", 3600.0)
    return sent


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("count", [1, 300])
def test_a_page_costs_three_round_trips_at_most(scene, browser, trips, tab, count):
    scene.many_dead(count)
    for number in range(count):
        scene.pending(f"JOB0KHTOWn{number:04}")
        scene.active(f"JOB0KHTOWx{number:04}", number * 1_000 - 10_000)
    discovery.discover(servers.server("prod"))
    who = browser()
    who.get(f"/q/prod/orders/{tab}")
    for headers in ({}, HX):
        trips.clear()
        assert who.get(f"/q/prod/orders/{tab}", headers=headers).status_code == 200
        assert len(trips) <= 3


def test_the_overview_asks_nothing_while_the_snapshot_is_fresh(scene, browser, trips):
    scene.many_dead(3)
    discovery.discover(servers.server("prod"))
    who = browser()
    who.get("/")
    trips.clear()
    who.get("/")
    assert trips == []


def test_pages_neither_scan_nor_list_keys(scene, browser):
    scene.many_dead(30)
    who = browser()
    scene.store.config_resetstat()
    for tab in (*TABS, "audit"):
        who.get(f"/q/prod/orders/{tab}")
    used = scene.store.info("commandstats")
    assert not {"cmdstat_keys", "cmdstat_scan", "cmdstat_evalsha", "cmdstat_eval"} & set(used)
