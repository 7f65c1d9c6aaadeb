"""What a page asks of the server, whatever lies in the queue."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from redis.connection import AbstractConnection

from echomq_admin.console.acting.views import VERBS
from echomq_admin.fleet import discovery, servers, snapshot
from echomq_admin.ledger.endings.models import EndingKind
from echomq_admin.operations.services import Call, perform
from tests.console.scene import HX, A, B, G
from tests.ledger.endings.made import NOON, ending

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


def test_a_page_of_the_audit_costs_three_round_trips_wherever_it_is_opened(scene, browser, trips):
    scene.pending(A)
    for at in range(90):
        fields = {"op": "pause", "t": 1, "n": 0, "jobs": b"\x90"}
        scene.store.xadd(scene.admin + b"audit", fields, f"{1_704_067_200_000 + at}-0")
    discovery.discover(servers.server("prod"))
    who = browser()
    who.get("/q/prod/orders/audit")
    ways = ("", "?at=1704067200050", "?cursor=o1704067200050-0", "?cursor=n1704067200050-0")
    for way in ways:
        trips.clear()
        assert who.get(f"/q/prod/orders/audit{way}").status_code == 200
        assert len(trips) == 3, way


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_a_confirmation_costs_three_round_trips_at_most(scene, browser, trips, verb):
    scene.active(A, 30_000, group=G, dedup_id="order-17")
    scene.store.set(scene.key("de:order-17"), A)
    scene.pending(B, group=G)
    discovery.discover(servers.server("prod"))
    who, query = browser("admin"), f"?only=0:0:{A}&group={G}&n=3"
    who.get(f"/q/prod/orders/{verb}{query}")
    trips.clear()
    assert who.get(f"/q/prod/orders/{verb}{query}").status_code == 200
    # Every kind of key of a queue, and a payload, are asked for their size before they are read.
    assert len(trips) <= (4 if verb in {"obliterate", "update_payload"} else 3)


@pytest.mark.parametrize("count", [1, 150])
def test_the_order_of_deaths_costs_three_round_trips_at_most(scene, browser, trips, count):
    for number, job_id in enumerate(scene.many_dead(count)):
        ending(job_id, EndingKind.DEAD, scene.now_ms() - number * 1_000, attempts=3)
    discovery.discover(servers.server("prod"))
    who, url = browser(), "/q/prod/orders/dead?order=died"
    who.get(url)
    for more in ("", "&at=0", f"&cursor=o{scene.now_ms()}.9", "&cursor=n0.0"):
        trips.clear()
        assert who.get(url + more).status_code == 200
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


DEAD, WAITS, HELD = "JOB0KHTOWna0000", "JOB0KHTOWnb0000", "JOB0KHTOWnc0000"
# The query of each confirmation, and how many round trips to the server it takes at most.
ACTS = {
    "requeue": (f"job=3:0:{DEAD}", 1),
    "promote_now": (f"job=0:0:{WAITS}", 1),
    "recover_now": (f"job=1:0:{HELD}", 1),
    "extend": (f"job=1:0:{HELD}", 1),
    "bury": (f"job=0:0:{WAITS}", 1),
    "remove": (f"job=3:0:{DEAD}", 1),
    "restore": (f"job=0:0:{WAITS}", 0),
    "update_payload": (f"job=3:0:{DEAD}", 3),
    "pause_lane": (f"group={G}", 1),
    "resume_lane": (f"group={G}", 1),
    "limit_lane": (f"group={G}", 1),
    "pause": ("", 0),
    "resume": ("", 0),
    "promote": ("", 0),
    "drain": ("", 2),
    "obliterate": ("", 4),
}
# The pages beside: round trips, and queries of the database.
PAGES = {
    "/q/prod/orders/reap": (2, 10),
    f"/q/prod/orders/reap_group?group={G}": (2, 10),
    f"/q/prod/orders/job/{DEAD}/trail": (1, 12),
    f"/q/prod/orders/job/{DEAD}/history": (3, 20),
    "/trail": (0, 13),
    "/stalls": (0, 17),
    "/stalls?server=prod&queue=orders&kind=dead&lane=room&q=boom": (0, 20),
    "/stalls/shape": (0, 17),
    "/trail?server=prod&queue=orders": (0, 13),
    "/trash": (0, 8),
    "/trash?server=prod&queue=orders": (0, 8),
}
OF_AN_ACT = 9
BOUNDS = PAGES | {
    f"/q/prod/orders/{verb}?{query}": (most, OF_AN_ACT) for verb, (query, most) in ACTS.items()
}


def full(scene, count: int) -> None:
    """Jobs of every kind, and a trail of what was done to some."""
    for number in range(count):
        scene.dead(f"JOB0KHTOWna{number:04}")
        scene.pending(f"JOB0KHTOWnb{number:04}")
        scene.active(f"JOB0KHTOWnc{number:04}", number * 1_000 - 10_000)
        scene.pending(f"JOB0KHTOWnd{number:04}", group=G)
        scene.dead(f"JOB0KHTOWne{number:04}")
    discovery.discover(servers.server("prod"))


def done_before(who, count: int) -> None:
    """The trail and the trash hold something."""
    admin = User.objects.get(username="admin-olena")
    for number in range(count):
        perform(admin, Call("remove", "prod", "orders", [f"JOB0KHTOWne{number:04}"]))


@pytest.mark.parametrize("url", BOUNDS)
@pytest.mark.parametrize("count", [1, 30])
def test_what_acts_and_what_remembers_is_bounded_whatever_lies_there(
    scene, browser, trips, url, count
):
    full(scene, count)
    who = browser("admin")
    done_before(who, count)
    most_trips, most_queries = BOUNDS[url]
    who.get(url)
    trips.clear()
    with CaptureQueriesContext(connection) as queries:
        assert who.get(url).status_code == 200
    assert len(trips) <= most_trips
    assert len(queries) <= most_queries


@pytest.mark.parametrize("count", [1, 60])
def test_a_long_history_costs_no_more_than_a_short_one(scene, browser, trips, count):
    who = browser("admin")
    admin = User.objects.get(username="admin-olena")
    for number in range(count):
        ending(A, at_ms=NOON + number, attempts=number + 1, error=b"%d" % number)
    for _ in range(count):
        scene.dead(A, attempts=count)
        perform(admin, Call("requeue", "prod", "orders", [A]))
    discovery.discover(servers.server("prod"))
    url = f"/q/prod/orders/job/{A}/history"
    who.get(url)
    for headers in ({}, HX | {"HX-Target": "history"}):
        trips.clear()
        with CaptureQueriesContext(connection) as queries:
            assert who.get(url, headers=headers).status_code == 200
        assert len(trips) <= 3
        assert len(queries) <= 26


def test_every_confirmation_has_its_bound():
    assert set(ACTS) == set(VERBS)
