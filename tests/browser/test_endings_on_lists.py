"""What the ledger adds to the lists of a queue and to the overview, before a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet import discovery, servers
from echomq_admin.ledger.endings.models import EndingKind, Place, Source
from echomq_admin.ledger.observing import flights
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.models import Watched
from echomq_admin.ledger.samples.packing import SLOT_MS
from tests.browser.conftest import PASSWORD
from tests.browser.test_look import NARROW, WIDE, looked_at
from tests.console.scene import A, B, C, Scene
from tests.ledger.endings.made import ending
from tests.ledger.samples.made import keep, sample

PATHS = (
    "/",
    "/q/prod/orders/active",
    "/q/prod/orders/dead",
    "/q/prod/orders/dead?order=died",
    "/q/prod/orders/dead?order=died&at=1000",
    "/q/prod/orders/chart",
    "/q/prod/orders/chart?hours=48",
    "/q/prod/empty/chart",
)


@pytest.fixture
def remembered(scene, transactional_db) -> Scene:
    """Dead jobs with and without a known death, leases with and without renewals, samples."""
    now = scene.now_ms()
    sources = (Source.SCRIPT, Source.OBSERVER, Source.FOUND)
    for at, job_id in enumerate(scene.many_dead(30)[:-3]):
        within = {"within_ms": 9_000 * (at % 2), "attempts": 3}
        ending(job_id, EndingKind.DEAD, now - at * 60_000, source=sources[at % 3], **within)
    leases = {}
    for at, job_id in enumerate((A, B, C)):
        scene.active(job_id, 3_600_000)
        score = scene.store.zscore(scene.key("active"), job_id)
        renewed_ms = (now - 2_000, now - 60_000, None)[at]
        leases[to_wire(job_id)] = Lease(
            1, 0, score, None, None, now - 90_000, 3 * (at < 2), renewed_ms
        )
    place = Place.objects.get(server="prod", queue=b"orders")
    Watched.objects.create(
        place=place, since_ms=1, seen_ms=now + 600_000, flights=flights.pack(leases)
    )
    slots = range(now // SLOT_MS - 300, now // SLOT_MS + 1)
    keep(
        sample(slot, pending=slot % 40, dead=max(0, slot - slots[0] - 270), completed=slot)
        for slot in slots
        if slot % 100
    )
    scene.store.hset("emq:{empty}:metrics:completed", "count", 1)
    discovery.discover(servers.server("prod"))
    return scene


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_and_nothing_overflows(desk, user, remembered, scheme, size):
    browser = desk(color_scheme=scheme, viewport=size)
    browser.sign_in("olena", PASSWORD)
    found = []
    for path in PATHS:
        browser.page.goto(path)
        found += looked_at(browser.page)
    assert found == []


def test_a_person_goes_from_growing_dead_to_those_that_died_last_and_back(page, remembered):
    page.goto("/")
    page.get_by_role("link", name="dead +").click()
    expect(page.get_by_text("recently died first")).to_be_visible()
    expect(page.get_by_text("3 dead jobs have no known time of death")).to_be_visible()
    page.get_by_role("link", name="by mint time", exact=True).click()
    expect(page.get_by_text("newest minted first")).to_be_visible()
    page.get_by_role("link", name="Died", exact=True).click()
    expect(page.get_by_text("recently died first")).to_be_visible()


def test_a_time_of_death_is_typed_and_opens_the_list_there(page, remembered):
    page.goto("/q/prod/orders/dead?order=died")
    page.locator("#at").fill("10 min ago")
    page.get_by_role("button", name="Go", exact=True).click()
    expect(page.get_by_text("opened at the jobs that died by")).to_be_visible()
    expect(page.get_by_text("recently died first")).to_be_visible()


def test_the_chart_is_one_step_away_and_its_spans_too(page, remembered):
    page.goto("/q/prod/orders/active")
    page.get_by_role("link", name="chart").click()
    expect(page.get_by_role("heading", name="The last hour")).to_be_visible()
    page.get_by_role("link", name="48 h").click()
    expect(page.get_by_role("heading", name="The last 48 hours")).to_be_visible()
    page.get_by_text("As a table").click()
    expect(page.get_by_role("columnheader", name="Failed a minute")).to_be_visible()
