"""The stalls in a browser: found, sifted, narrowed by their bars, and left alone while read."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from echomq_admin.fleet import discovery, servers
from echomq_admin.ledger.endings.models import EndingKind, Place, Source
from echomq_admin.ledger.models import Gap
from echomq_admin.ledger.observing.models import Blind, Lead, Watched
from tests.browser.conftest import PASSWORD
from tests.browser.desk import next_poll
from tests.browser.test_look import looked_at
from tests.console.scene import A, B
from tests.ledger.endings.made import ending

SIZES = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}
HOUR = 3_600_000


@pytest.fixture
def start(scene) -> int:
    """Endings of each kind in twelve hours up to now, spans not watched, more than a page; when
    the first of those hours began."""
    scene.dead(A)
    discovery.discover(servers.server("prod"))
    now = scene.now_ms()
    first = now // HOUR * HOUR - 12 * HOUR
    for at in range(60):
        kind = list(EndingKind)[at % 6]
        ending(
            A if at % 2 else B, kind, first + at // 5 * HOUR + at, attempts=at, stalled=at % 3,
            lane="room-1" if at % 4 else None, renewals=at % 5 or None,
            error=b"smtp timeout at mx1.example.net " * 4 if kind == EndingKind.FAILED else None,
            source=Source.SCRIPT if at % 3 else Source.OBSERVER,
        )  # fmt: skip
    ending("x" * 40, EndingKind.DEAD, now - 1_000, queue="q" * 120, lane="l" * 300, attempts=-1)
    Lead.objects.create(server="prod")
    Blind.objects.create(server="prod", from_ms=first, to_ms=now - 500, why="The agent was away.")
    Gap.objects.create(
        server="prod", queue=b"orders", after_id="1-0", before_id=f"{now - 600}-0",
        found_at_ms=now, sentence="12 entries were gone before they were copied.",
    )  # fmt: skip
    for place in Place.objects.all():
        Watched.objects.create(place=place, since_ms=first, seen_ms=first, failed=100)
    return first


@pytest.fixture
def page(desk, start) -> Page:
    browser = desk(viewport=SIZES["wide"])
    browser.sign_in("olena", PASSWORD)
    return browser.page


def asked(page: Page) -> dict[str, str]:
    """The fields of the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_the_stalls_are_accessible_and_in_bounds(desk, start, scheme, size):
    browser = desk(color_scheme=scheme, viewport=SIZES[size])
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    found = []
    for query in (
        "",
        "?server=prod&queue=orders&lane=room-1&kind=dead",
        "?server=none",
        "?from=noonish",
    ):
        page.goto(f"/stalls{query}")
        if query == "":
            expect(page.locator("#shape")).to_contain_text("Over time")
        for details in page.locator("td details > summary, #bars-table > summary").all()[:2]:
            details.click()
        found += looked_at(page)
    page.goto("/stalls/shape")
    found += looked_at(page)
    assert found == []


def test_it_is_found_from_a_queue_and_sifted_by_its_form(page):
    page.goto("/q/prod/orders/dead")
    page.get_by_role("link", name="Stalls when and why").last.click()
    page.wait_for_url("**/stalls?server=prod&queue=orders")
    page.get_by_label("What became of it").select_option("dead by attempts")
    page.get_by_label("Error contains").fill("MX1")
    page.get_by_label("From").fill("2 d ago")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile(r"server=prod&kind=failed&from=20[^&]+&q=MX1&queue=orders"))
    expect(page.locator("table.stalls tr[data-row]")).to_have_count(10)
    page.get_by_role("link", name="Show all").click()
    expect(page.locator("table.stalls tr[data-row]")).to_have_count(25)
    page.get_by_role("link", name="Older").click()
    expect(page.get_by_role("link", name="Newer")).to_be_visible()


def test_a_bar_is_a_link_and_so_it_is_by_keyboard(page, start):
    page.goto("/stalls")
    bar = page.locator(".stalls-bars a").first
    label = bar.get_attribute("aria-label")
    assert "stalled, recovered" in label
    bar.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/stalls\?from="))
    expect(page.locator("table.stalls tr[data-row]")).to_have_count(5)
    page.goto("/stalls")
    bar.click()
    page.wait_for_url(re.compile(r"/stalls\?from="))


def test_dragging_over_bars_narrows_to_their_span(page, start):
    page.goto("/stalls?server=prod")
    bars = page.locator(".stalls-bars")
    bars.scroll_into_view_if_needed()
    box, boxes = bars.bounding_box(), int(bars.get_attribute("data-boxes"))
    step, first = (int(bars.get_attribute(f"data-{name}")) for name in ("step", "first"))
    middle = box["y"] + box["height"] / 2

    def x(number: int) -> float:
        return box["x"] + (number + 0.5) * box["width"] / boxes

    page.mouse.move(x(boxes // 2), middle)
    page.mouse.down()
    page.mouse.move(x(boxes // 4), middle, steps=4)
    expect(page.locator(".stalls-bars .picked")).to_be_visible()
    page.mouse.up()
    page.wait_for_url(re.compile(r"server=prod&from="))
    fields = asked(page)
    for name, at in (("from", boxes // 4), ("to", boxes // 2 + 1)):
        ms = page.evaluate("(text) => Date.parse(text.replace(' ', 'T'))", fields[name])
        assert ms == first + at * step


def test_bars_that_come_during_a_drag_wait_for_its_end(page, start):
    page.goto("/stalls?server=prod")
    bars = page.locator(".stalls-bars")
    bars.scroll_into_view_if_needed()
    box, first = bars.bounding_box(), bars.get_attribute("data-first")
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 100, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, middle, steps=4)
    ending("older", at_ms=start - 90 * HOUR)
    with page.expect_response(re.compile("/stalls/shape")):
        page.evaluate("htmx.trigger('#shape', 'grown')")
    expect(page.locator(".stalls-bars .picked")).to_be_visible()
    assert bars.get_attribute("data-first") == first
    page.keyboard.press("Escape")
    expect(bars).not_to_have_attribute("data-first", first)
    page.mouse.up()


def test_a_drag_can_be_given_up(page, start):
    page.goto("/stalls")
    bars = page.locator(".stalls-bars")
    bars.scroll_into_view_if_needed()
    box = bars.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 3, steps=3)
    page.keyboard.press("Escape")
    expect(page.locator(".stalls-bars .picked")).to_be_hidden()
    page.mouse.up()
    next_poll(page)
    assert asked(page) == {}


def test_a_half_typed_filter_and_open_parts_stay_while_the_page_reads_itself(page):
    page.goto("/stalls")
    page.locator("#bars-table > summary").click()
    page.get_by_text("Lane, job, who says so").click()
    page.get_by_label("Job id").press_sequentially("JOB0")
    next_poll(page)
    expect(page.get_by_label("Job id")).to_have_value("JOB0")
    expect(page.locator("#bars-table table")).to_be_visible()


def test_without_javascript_the_bars_are_a_page_of_links(desk, start):
    browser = desk(viewport=SIZES["wide"])
    browser.sign_in("olena", PASSWORD)
    state = browser.context.storage_state()
    plain = desk(java_script_enabled=False, storage_state=state)
    plain.complaints = list
    page = plain.page
    page.goto("/stalls?server=prod")
    page.get_by_role("link", name="Show these over time").click()
    page.locator(".stalls-bars a").first.click()
    page.wait_for_url(re.compile(r"/stalls\?server=prod&from="))
    expect(page.locator("table.stalls tr[data-row]")).to_have_count(5)


def test_files_are_downloaded(page):
    page.goto("/stalls?kind=reaped")
    with page.expect_download() as download:
        page.get_by_role("link", name="NDJSON").click()
    assert download.value.suggested_filename == "stalls.ndjson"
    assert download.value.path().read_bytes().count(b"\n") == 10
