"""Lanes, repeatables and the server in a browser: accessible, in bounds, steady while they poll."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from echomq_admin.fleet import discovery, servers
from tests.browser.conftest import PASSWORD
from tests.browser.desk import next_poll
from tests.browser.test_look import NARROW, WIDE, looked_at
from tests.console.scene import A, B, C, G, Scene

LANES = "/q/prod/orders/lanes"
PATHS = [
    LANES,
    f"{LANES}?only=off&q=nothing",
    "/q/prod/orders/repeat",
    "/s/prod",
    "/q/prod/empty/lanes",
]


@pytest.fixture
def lanes(scene: Scene) -> Scene:
    """Lanes in every standing, and repeatables sound and broken."""
    scene.pending(A, group=G)
    scene.pending(B, group="served")
    scene.pending(C, group="held")
    scene.store.rpush(scene.key("ring"), "served", "twice", "twice", "x" * 300)
    scene.store.sadd(scene.key("paused"), "held")
    scene.store.hset(scene.key("gactive"), mapping={"full": 2, "odd": "x"})
    scene.store.hset(scene.key("glimit"), mapping={"full": 2})
    scene.store.zadd(scene.key("repeat"), {"nightly": 1, "never": float("inf")})
    scene.store.hset(
        scene.key("repeat:nightly"), mapping={"every_ms": 5_000, "template": "x" * 300}
    )
    scene.store.hset("emq:{empty}:metrics:completed", "count", 1)
    discovery.discover(servers.server("prod"))
    return scene


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_and_nothing_overflows(desk, lanes, scheme, size):
    browser = desk(color_scheme=scheme, viewport=size)
    browser.sign_in("olena", PASSWORD)
    found = []
    for path in PATHS:
        browser.page.goto(path)
        found += looked_at(browser.page)
    assert found == []


def test_a_typed_filter_narrows_the_list_and_survives_the_polls(page, lanes):
    page.goto(f"{LANES}?sort=-name")
    page.keyboard.press("f")
    page.keyboard.type("hel")
    expect(page.locator("tr[data-row]")).to_have_count(1)
    next_poll(page, 2)
    expect(page.get_by_label("Lanes whose name holds")).to_have_value("hel")
    expect(page.get_by_label("Lanes whose name holds")).to_be_focused()
    assert page.url.endswith("?sort=-name&q=hel")


def test_what_to_do_stays_open_while_the_page_reads_on(page, lanes):
    page.goto(f"{LANES}?only=off&q={G}")
    page.get_by_text("what to do").click()
    next_poll(page, 2)
    expect(page.get_by_text(f"resume_lane --as NAME --group={G}")).to_be_visible()
    lanes.store.rpush(lanes.key("ring"), G)
    expect(page.get_by_text("No lane matches")).to_be_visible()
