"""A queue that is observed, one whose dead are looked through, and a lead that a busy machine does
not lose."""

from __future__ import annotations

import pytest
import redis

from echomq_admin.emq.reads import server_now_ms
from echomq_admin.fleet.discovery import discover
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.observing import lead as leads
from echomq_admin.ledger.observing.found import Finder
from echomq_admin.ledger.observing.lead import Lead
from echomq_admin.ledger.observing.models import Watched
from tests.emq.orders import Orders
from tests.ledger.observing.fleet import Fleet, Q


@pytest.fixture(autouse=True)
def _still_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What bounds a write on PostgreSQL bounds the rest of a test that is one transaction."""
    monkeypatch.setattr(leads, "_STILL_MS", 60_000)


@pytest.fixture
def fleet(client: redis.Redis, prod: Server) -> Fleet:
    made = Fleet(client, prod)
    made.know(Q)
    made.beat()
    return made


@pytest.fixture
def orders(client: redis.Redis, prod: Server) -> Orders:
    orders = Orders(client)
    client.hset(orders.key("metrics:completed"), "count", 1)
    discover(prod)
    return orders


@pytest.fixture
def lead() -> Lead:
    lead = Lead("prod")
    assert lead.hold()
    return lead


@pytest.fixture
def finder(prod: Server, lead: Lead) -> Finder:
    return Finder(prod, lead.term)


@pytest.fixture
def watched(orders: Orders) -> Watched:
    now = server_now_ms(orders.client)
    return Watched.objects.create(place=names.place("prod", "orders"), since_ms=now, seen_ms=now)
