"""The history of a job in a browser: it follows what happens, and can be seen by everyone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from echomq_admin.fleet.names import to_url
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.observing.models import Blind
from tests.browser.conftest import PASSWORD
from tests.browser.test_look import NARROW, WIDE, looked_at
from tests.console.scene import A, B, C
from tests.console.trails import entry, moved
from tests.ledger.endings.made import NOON, ending

URL = f"/q/prod/orders/job/{A}"
SEC = 1_000


def test_an_ending_appears_on_the_page_of_the_job_while_it_is_looked_at(page, scene):
    scene.active(A, 600_000, attempts=2)
    page.goto(URL)
    rows = page.locator("#history tr[data-row]")
    expect(page.locator("#history")).to_contain_text("Lease 1: no ending on record")
    expect(rows).to_have_count(1)
    ending(A, attempts=1, error=b"a long one " * 30)
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("stalled, recovered")
    rows.first.locator("summary").click()
    scene.store.zadd(scene.key("active"), {A: scene.now_ms() + 900_000})
    ending(A, EndingKind.REAPED, NOON - SEC, attempts=1, n=1)
    expect(rows).to_have_count(3)
    assert rows.first.locator("details").evaluate("(one) => one.open")
    page.get_by_role("link", name="Whole history").click()
    page.wait_for_url(f"**{URL}/history")
    expect(page.get_by_role("img", name="The history of the job as a picture")).to_be_visible()


def stories(scene) -> tuple[str, ...]:
    """Jobs in which everything that a history can hold appears."""
    scene.active(A, 60_000, attempts=12)
    for attempts, kind in enumerate(EndingKind, 1):
        at_ms = NOON + attempts * 90 * SEC
        ending(A, kind, at_ms, attempts=attempts, stalled=1, renewals=3, error=b"boom\n" * 30)
    Blind.objects.create(server="prod", from_ms=NOON, to_ms=NOON + SEC, why="No agent ran.")
    entry(moved(A, "requeued", 6), at_ms=NOON + 900 * SEC, actor="olena " * 9, reason="r " * 200)
    ending(A, EndingKind.DEAD, NOON + 999 * SEC, attempts=1, life=1, source=Source.FOUND)
    # More than the page of a job tells, and than a picture has room for.
    for attempts in range(1, 15):
        ending(B, at_ms=NOON + attempts * SEC, attempts=attempts * 1_000)
    ending("x" * 1_000, lane="y" * 500, error=b"\xff" * 900)
    scene.pending(C)
    return A, B, C, to_url("x" * 1_000), "nowhere"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_and_nothing_overflows(desk, user, scene, scheme, size):
    browser = desk(color_scheme=scheme, viewport=size)
    browser.expects_failures = True
    browser.sign_in("olena", PASSWORD)
    page, found = browser.page, []
    for name in stories(scene):
        page.goto(f"/q/prod/orders/job/{name}")
        page.wait_for_load_state("networkidle")
        found += looked_at(page)
        page.goto(f"/q/prod/orders/job/{name}/history")
        found += looked_at(page)
    assert found == []
