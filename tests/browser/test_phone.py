"""What a telephone shows without being searched for it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from echomq_admin.fleet import discovery, servers
from tests.browser.conftest import PASSWORD
from tests.console.scene import A, Scene

NARROW = {"width": 390, "height": 844}


@pytest.fixture
def phone(desk, scene: Scene) -> Page:
    """A narrow page of an operator before a queue with 2 dead, 1 lapsed and 1 job in a lane."""
    scene.many_dead(2)
    scene.active(A, -5_000)
    scene.pending("JOB0KHTOWnGLuF", group="room-1")
    scene.store.zadd(scene.key("active"), {"x" * 200: 1})
    discovery.discover(servers.server("prod"))
    browser = desk(viewport=NARROW)
    browser.sign_in("olena", PASSWORD)
    return browser.page


@pytest.mark.parametrize("tab", ["pending", "active", "dead", "audit"])
def test_every_tab_is_in_view_whichever_is_open(phone, tab):
    phone.goto(f"/q/prod/orders/{tab}")
    for link in phone.locator(".tabs a").all():
        box = link.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= NARROW["width"]
        assert link.evaluate("one => one.scrollWidth <= one.clientWidth")
    expect(phone.locator(".tabs a[aria-current]")).to_be_in_viewport()


def test_the_search_box_keeps_its_room_beside_a_long_zone(phone):
    phone.goto("/q/prod/orders/dead")
    phone.evaluate(
        "document.querySelector('#zone [data-zone]').textContent = 'UTC−13:45 '.repeat(9)"
    )
    assert phone.locator("#find").bounding_box()["width"] >= 130
    assert phone.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


@pytest.mark.parametrize("path", ["/", "/q/prod/orders/dead"])
def test_the_queues_that_need_a_person_are_a_touch_away(phone, path):
    phone.goto(path)
    needs = phone.locator("#needs")
    expect(needs.locator("summary")).to_be_in_viewport()
    needs.locator("summary").click()
    needs.get_by_role("link", name="orders").click()
    phone.wait_for_url("**/q/prod/orders/active")


@pytest.mark.parametrize("width", [390, 800, 1440])
def test_what_is_wrong_with_a_job_is_never_cut(phone, width):
    phone.set_viewport_size({"width": width, "height": 844})
    for tab in ("active", "sweep"):
        phone.goto(f"/q/prod/orders/{tab}")
        fault = phone.locator("tbody .fault").first
        expect(fault).to_have_text("row missing")
        row, chip = phone.locator("tbody td.job").first.bounding_box(), fault.bounding_box()
        assert fault.evaluate("one => one.scrollWidth <= one.clientWidth")
        assert chip["x"] + chip["width"] <= row["x"] + row["width"]
        assert chip["y"] + chip["height"] <= row["y"] + row["height"]


def test_a_line_of_facts_begins_with_no_dot(phone):
    phone.goto("/q/prod/orders/active")
    facts = phone.locator(".facts")
    assert facts.evaluate("one => getComputedStyle(one).overflowX") == "hidden"
    left = facts.bounding_box()["x"]
    for fact in phone.locator(".facts > span").all():
        assert fact.bounding_box()["x"] >= left


@pytest.mark.parametrize("path", ["/", "/q/prod/orders/dead"])
def test_trail_trash_and_the_way_out_are_a_touch_away(phone, path):
    phone.goto(path)
    menu = phone.locator("#ways")
    for name, url in (("Trail", "**/trail**"), ("Trash", "**/trash**")):
        menu.locator("summary").click()
        menu.get_by_role("link", name=name).click()
        phone.wait_for_url(url)
    menu.locator("summary").click()
    assert phone.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    menu.get_by_role("button", name="Sign out").click()
    phone.wait_for_url("**/login/**")


@pytest.mark.parametrize(
    ("path", "by", "query"),
    [("/", "Dead", "sort=-dead"), ("/q/prod/orders/lanes", "Waiting", "sort=-depth")],
)
def test_what_stands_in_cards_is_sorted_by_a_menu_that_is_in_view(phone, path, by, query):
    phone.goto(path)
    phone.locator("#sorts > summary").click()
    for link in phone.locator("#sorts a").all():
        box = link.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= NARROW["width"]
    phone.locator("#sorts").get_by_role("link", name=by, exact=True).click()
    phone.wait_for_url(f"**{path}?{query}")


def test_a_list_in_cards_is_turned_round_at_its_foot(phone):
    phone.goto("/q/prod/orders/dead")
    phone.get_by_role("link", name="turn round").click()
    phone.wait_for_url("**/dead?order=asc")
    expect(phone.locator("div.foot")).to_contain_text("oldest minted first")
