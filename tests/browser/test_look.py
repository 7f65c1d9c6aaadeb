"""Every page in light and dark, wide and narrow: accessible, in bounds, within the policy."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Group
from playwright.sync_api import Page

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import discovery, servers
from tests.browser.conftest import PASSWORD
from tests.console.scene import A, B, C, Scene

PATHS = [
    "/",
    "/?q=nothing",
    *("/find", "/find?q=JOB0", "/find?q=or", "/find?q=13:45"),
    *(
        f"/q/prod/orders/{tab}"
        for tab in ("active", "pending", "scheduled", "dead", "audit", "sweep")
    ),
    *(f"/q/prod/empty/{tab}" for tab in ("active", "pending", "dead", "audit", "sweep")),
    "/q/prod/nowhere/dead",
]
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}


@pytest.fixture
def everything(scene) -> Scene:
    """A queue in which every state of every page appears."""
    scene.active(A, -30_000, stalled=1)
    scene.active(B, 4_000, group="room-1")
    scene.active(C, 60_000)
    scene.store.zadd(scene.key("active"), {"JOB0KHTOWnGLuE": 1})
    scene.pending("JOB0KHTOWnGLuF", payload='{"id":1}' * 40)
    scene.pending("JOB0KHTOWnGLuG", group="room-1")
    scene.pending("x" * 500)
    for job_id in scene.many_dead(30)[:8]:
        scene.store.hset(scene.key(f"job:{job_id}"), "last_error", "line one\nline two " * 20)
    scene.dead("JOB0KHTOWnGLuH", payload=b"\x80\x04")
    scene.store.zadd(scene.key("dead"), {"user/1": 0})
    scene.row("JOB0KHTOWnGLuS", state="scheduled", last_error="boom")
    scene.store.zadd(scene.key("schedule"), {"JOB0KHTOWnGLuS": scene.now_ms() + 60_000})
    queue = EchoMQ(scene.store)
    queue.requeue("orders", ["JOB0KHTOWnGLuH"], actor="olena")
    queue.pause("orders", actor="olena")
    queue.resume("orders", actor="olena")
    scene.store.hset("emq:{paused}:meta", "paused", 1)
    scene.store.hset("emq:{empty}:metrics:completed", "count", 1)
    scene.store.set("emq:{broken}:dead", "x")
    discovery.discover(servers.server("prod"))
    return scene


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_and_nothing_overflows(desk, user, everything, scheme, size):
    user.groups.set([Group.objects.get(name="admin")])
    browser = desk(color_scheme=scheme, viewport=size)
    browser.expects_failures = True
    page = browser.page
    page.goto("/login/")
    found = looked_at(page)
    browser.sign_in("olena", PASSWORD)
    for path in PATHS:
        page.goto(path)
        found += looked_at(page)
    page.goto("/q/prod/orders/dead")
    page.locator('input[name="job"]').nth(2).check()
    page.get_by_role("button", name="Requeue 1 ticked…").click()
    page.locator("#dialog .ask").wait_for()
    found += looked_at(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Remove 1 ticked…").click()
    page.locator("#dialog [name=unkept]").wait_for()
    found += looked_at(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Requeue 1 ticked…").click()
    page.get_by_role("button", name="Requeue 1 job").click()
    page.locator("#outcome").wait_for()
    found += looked_at(page)
    assert found == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_read_only_and_away_pages(desk, everything, settings, scheme):
    browser = desk(color_scheme=scheme, viewport=WIDE)
    browser.expects_failures = True
    browser.sign_in("olena", PASSWORD)
    settings.EMQ_READ_ONLY = True
    browser.page.goto("/q/prod/orders/dead")
    found = looked_at(browser.page)
    settings.EMQ_SERVERS = "prod=redis://127.0.0.1:1/0"
    for path in ("/", "/q/prod/orders/dead"):
        browser.page.goto(path)
        found += looked_at(browser.page)
    browser.page.goto("/q/prod/orders/requeue")
    found += looked_at(browser.page)
    assert found == []


def looked_at(page: Page) -> list[str]:
    """What axe finds on a page, and whether it is wider than its window."""
    results = Axe().run(page)
    found = [
        f"{page.url}: {violation['id']}: {node['html'][:200]}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append(f"{page.url} is wider than its window")
    return found
