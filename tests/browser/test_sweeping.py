"""The sweep page in a browser: what is pressed is what was previewed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.desk import is_own_read, next_poll
from tests.console.scene import A, B

SWEEP = "/q/prod/orders/sweep"


def test_another_number_is_previewed_by_itself_and_the_button_names_it(page, scene):
    scene.active(A, -1_000)
    scene.active(B, -1_000)
    page.goto(SWEEP)
    expect(page.get_by_role("button", name="Sweep 2 at max stalled 2")).to_be_enabled()
    page.get_by_label("Max stalled").fill("1")
    expect(page.get_by_role("button", name="Sweep 2 at max stalled 1")).to_be_enabled()
    expect(page.locator("tr", has_text=A)).to_contain_text("dead")
    expect(page).to_have_url(re.compile("max_stalled=1"))
    page.get_by_role("button", name="Sweep 2 at max stalled 1").click()
    expect(page.locator("#outcome")).to_contain_text("2 dead")
    assert scene.members("dead") == [A.encode(), B.encode()]


def test_until_the_preview_matches_the_fields_nothing_can_be_swept(page, scene):
    scene.active(A, -1_000)
    page.goto(SWEEP)
    held = []
    page.route("**/sweep?*", lambda route: held.insert(0, route))
    page.get_by_label("Max stalled").fill("1")
    button = page.locator("form[data-previewed] button")
    expect(button).to_have_text("Preview first")
    expect(button).to_be_disabled()
    page.get_by_label("Max stalled").fill("2")
    expect(button).to_have_text("Sweep 1 at max stalled 2")
    expect(button).to_be_enabled()
    page.unroute("**/sweep?*")
    for route in held:
        route.abort()
    page.reload()


@pytest.mark.parametrize("typed", ["", "0", "7000"])
def test_a_number_that_is_none_bars_the_sweep_and_stays_through_polls(page, scene, typed):
    scene.active(A, -1_000)
    page.goto(SWEEP)
    page.get_by_label("Limit").fill(typed)
    next_poll(page, 2)
    expect(page.get_by_role("button", name="Preview first")).to_be_disabled()
    expect(page.get_by_label("Limit")).to_have_value(typed)
    expect(page.get_by_label("Limit")).to_be_focused()
    page.get_by_label("Limit").fill("5")
    expect(page.get_by_role("button", name="Sweep 1 at max stalled 2")).to_be_enabled()


def test_the_result_of_a_sweep_does_not_change_and_does_not_say_live(page, scene):
    scene.active(A, -1_000)
    page.clock.install()
    page.goto(SWEEP)
    expect(page.locator("#pause")).to_contain_text("reading every")
    page.get_by_role("button", name="Sweep 1").click()
    expect(page.get_by_text("all went as previewed")).to_be_visible()
    expect(page.locator("#pause")).to_contain_text("not reading")
    asked = []
    page.on("request", lambda request: is_own_read(request) and asked.append(request))
    page.clock.fast_forward(60_000)
    page.evaluate("fetch('/healthz')")
    assert asked == []
    page.reload()
    expect(page.locator("#pause")).to_contain_text("not reading")
    page.get_by_role("link", name="Preview again").click()
    expect(page.locator("#pause")).to_have_text(re.compile("^reading"))
