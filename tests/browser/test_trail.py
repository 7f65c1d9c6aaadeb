"""The trail in a browser: found, sifted, opened, taken back, and left alone while it is read."""

from __future__ import annotations

import re

import msgpack
import pytest
from django.utils import timezone
from playwright.sync_api import expect

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import discovery, servers
from echomq_admin.ledger import copying
from echomq_admin.ledger.models import Gap, Kind
from tests.browser.conftest import PASSWORD
from tests.browser.desk import next_poll
from tests.browser.test_look import looked_at
from tests.console.scene import A, B, C
from tests.console.trails import entry, moved, note

SIZES = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}


@pytest.fixture
def filled(scene):
    """An entry of each kind, a gap, and more than a page."""
    now = int(timezone.now().timestamp() * 1_000)
    scene.dead(A)
    discovery.discover(servers.server("prod"))
    long_error = b"smtp timeout while talking to mx1.example.net " * 3
    entry(
        moved(A, "requeued", 3, 1, False, b"room-1", long_error), moved(B, "gone"),
        at_ms=now - 5_000, reason="the mail server is back", op_id="a" * 32,
    )  # fmt: skip
    note(
        Kind.REFUSED, "remove", "petro", now - 60_000, server="prod", queue=b"orders",
        sentence="petro may not use Remove: it takes the role admin. Ask an admin of the console.",
    )  # fmt: skip
    note(Kind.SIGN_IN, "sign-in failed", "mallory", now - 70_000)
    note(Kind.KEPT, "hide_queue", "olena", now - 80_000, server="prod", queue=b"x" * 120)
    entry(
        moved(C, "dead", 3, 2, now - 100_000, None, b"stalled"), at_ms=now - 90_000, op="sweep",
        detail=msgpack.packb({"max_stalled": 2, "limit": 100}),
    )  # fmt: skip
    Gap.objects.create(
        server="prod", queue=b"orders", after_id="1-0", before_id=f"{now - 95_000}-0",
        found_at_ms=now, sentence="12 entries were gone before they were copied.",
    )  # fmt: skip
    for at in range(30):
        entry(moved("x" * 300), at_ms=now - 86_400_000 - at, op="remove", actor="petro")
    return scene


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_the_trail_is_accessible_and_in_bounds(desk, filled, scheme, size):
    browser = desk(color_scheme=scheme, viewport=SIZES[size])
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    found = []
    for query in ("", "?kind=refused&server=prod", "?who=nobody", "?from=noonish", f"?job={A}"):
        page.goto(f"/trail{query}")
        for details in page.locator(".entry details > summary").all()[:2]:
            details.click()
        found += looked_at(page)
    page.goto(f"/q/prod/orders/job/{A}/trail")
    found += looked_at(page)
    assert found == []


def test_it_is_found_from_the_frame_sifted_by_its_form_and_read_back(desk, filled):
    browser = desk(viewport=SIZES["wide"])
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto("/")
    page.get_by_role("link", name="Trail").click()
    page.get_by_label("Who").fill("petro")
    page.get_by_label("What").select_option("remove")
    page.get_by_label("From").fill("2 d ago")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile(r"who=petro&what=remove&from=20"))
    expect(page.locator(".entry.trail:not(.gap)")).to_have_count(25)
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".entry.trail:not(.gap)")).to_have_count(6)
    page.get_by_role("link", name="Newer").click()
    expect(page.locator(".entry.trail:not(.gap)")).to_have_count(25)
    page.get_by_role("link", name="Show all").click()
    page.get_by_role("link", name="mallory").click()
    expect(page.locator(".entry.trail:not(.gap)")).to_contain_text("sign-in failed")


def test_a_half_typed_filter_and_an_open_entry_stay_while_the_page_reads_itself(desk, filled):
    browser = desk(viewport=SIZES["wide"])
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto("/trail")
    page.locator(".entry details > summary").first.click()
    page.get_by_label("Reason or message contains").press_sequentially("mail")
    next_poll(page)
    expect(page.get_by_label("Reason or message contains")).to_have_value("mail")
    expect(page.get_by_role("link", name=A)).to_be_visible()


def test_a_requeue_is_taken_back_from_the_trail(desk, scene):
    scene.dead(A, last_error="smtp timeout", stalled=1)
    discovery.discover(servers.server("prod"))
    EchoMQ(scene.store).requeue("orders", [A], actor="petro", op_id="b" * 32)
    copying.copy(servers.server("prod"), "orders")
    browser = desk(viewport=SIZES["wide"])
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto("/trail?what=requeue")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#outcome")).to_contain_text("Undone: ")
    expect(page.locator(".entry", has_text="petro")).to_contain_text("undone")
    assert scene.members("dead") == [A.encode()]
    assert scene.field(A, "last_error") == b"smtp timeout"
    assert "/trail?" in page.url


def test_a_file_is_downloaded(desk, filled):
    browser = desk(viewport=SIZES["wide"])
    browser.sign_in("olena", PASSWORD)
    browser.page.goto("/trail?who=petro")
    with browser.page.expect_download() as download:
        browser.page.get_by_role("link", name="NDJSON").click()
    assert download.value.suggested_filename == "trail.ndjson"
    assert download.value.path().read_bytes().count(b"\n") == 31
