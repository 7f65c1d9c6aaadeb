"""Everything by keyboard."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from echomq_admin.fleet import discovery, servers
from tests.browser.desk import next_poll
from tests.console.scene import A, B, C, Scene

DEAD = "/q/prod/orders/dead"


def test_rows_are_walked_ticked_requeued_and_opened(page, scene):
    for job_id in (A, B, C):
        scene.dead(job_id, last_error="first line\nsecond line")
    page.goto(DEAD)
    for key in ("j", "j", "j", "k"):
        page.keyboard.press(key)
    row = page.locator("tr", has_text=B)
    expect(row).to_be_focused()
    page.keyboard.press("x")
    expect(page.get_by_label(f"Tick {B}")).to_be_checked()
    page.keyboard.press("x")
    expect(page.get_by_label(f"Tick {B}")).not_to_be_checked()
    row.focus()
    next_poll(page)
    expect(row).to_be_focused()
    page.keyboard.press("r")
    expect(page.locator("#outcome")).to_contain_text(" requeued")
    assert scene.members("pending") == [B.encode()]
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/q/prod/orders/job/*")


def test_r_asks_about_the_ticked_jobs_first(page, scene):
    scene.dead(A)
    page.goto(DEAD)
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("r")
    expect(page.locator("#dialog")).to_contain_text(re.compile(r"Requeue:? 1 job of orders\?"))
    assert scene.members("dead") == [A.encode()]


def test_a_slash_leads_to_the_search_and_an_f_to_the_filter(page, prod):
    for queue in ("orders", "payments"):
        Scene(prod, queue).pending(A)
    discovery.discover(servers.server("prod"))
    page.goto("/")
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("jkp")
    expect(page.locator("#find")).to_have_value("jkp")
    page.keyboard.press("Escape")
    expect(page.locator("#find")).not_to_be_focused()
    page.keyboard.press("f")
    expect(page.locator("#filter")).to_be_focused()
    page.keyboard.type("/?")
    expect(page.locator("#filter")).to_have_value("/?")


def test_a_search_from_the_keyboard_leads_to_the_job(page, scene):
    scene.dead(A)
    discovery.discover(servers.server("prod"))
    page.goto(DEAD)
    page.keyboard.press("/")
    page.keyboard.type(A)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/q/prod/orders/job/{A}")


def test_the_hits_of_a_search_are_opened_from_the_keyboard(page, prod):
    for queue in ("a", "b"):
        Scene(prod, queue).dead(A)
    discovery.discover(servers.server("prod"))
    page.goto(f"/find?q={A}")
    expect(page.locator("#find")).to_have_value(A)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/q/prod/b/job/{A}")


def test_enter_opens_the_queue_of_a_row(page, prod):
    Scene(prod, "orders").pending(A)
    discovery.discover(servers.server("prod"))
    page.goto("/")
    expect(page.locator("tr[data-row]")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/q/prod/orders/active")


def test_a_question_mark_lists_the_keys(page):
    page.goto("/")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_p_stops_the_reading(page, scene):
    scene.dead(A)
    page.goto(DEAD)
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_contain_text("stopped")


def test_the_keys_and_who_one_is_are_a_touch_away(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/")
    page.get_by_role("button", name="Help").click()
    help_text = page.locator("#keys")
    expect(help_text).to_contain_text("You are olena, operator.")
    expect(help_text.get_by_role("button", name="Sign out")).to_have_count(0)
    expect(help_text.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Enter")
    expect(help_text).to_be_hidden()


def test_a_key_and_what_it_does_stand_in_one_line(page):
    page.goto("/")
    page.keyboard.press("?")
    key, said = page.locator("#keys dt").first, page.locator("#keys dd").first
    assert abs(key.bounding_box()["y"] - said.bounding_box()["y"]) < 12
