"""Consent, refusals and double clicks, as a person meets them."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import PASSWORD
from tests.browser.desk import next_poll
from tests.console.scene import A, B, C

DEAD = "/q/prod/orders/dead"


def test_the_dialog_names_the_jobs_and_the_number_and_moves_them(page, scene):
    for job_id in (A, B, C):
        scene.dead(job_id, stalled=1)
    page.goto(DEAD)
    page.get_by_label(f"Tick {A}").check()
    page.get_by_label(f"Tick {C}").check()
    page.get_by_role("button", name="Requeue 2 ticked…").click()
    dialog = page.locator("#dialog")
    expect(dialog).to_contain_text(re.compile(r"Requeue:? 2 jobs of orders\?"))
    expect(dialog).to_contain_text(A)
    expect(dialog).not_to_contain_text(B)
    dialog.get_by_label("Reset stall count").check()
    dialog.get_by_role("button", name="Requeue 2 jobs").click()
    expect(page.locator("#outcome")).to_contain_text("2 requeued")
    expect(dialog).to_be_hidden()
    expect(page.locator("tr[data-row]")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"/dead\?did="))
    assert scene.members("pending") == [A.encode(), C.encode()]
    assert scene.field(A, "stalled") is None


def test_a_dialog_that_is_left_moves_nothing_and_leaves_the_ticks(page, scene):
    scene.dead(A)
    page.goto(DEAD)
    page.get_by_label(f"Tick {A}").check()
    page.get_by_role("button", name="Requeue 1 ticked…").click()
    expect(page.locator("#dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#dialog")).to_be_hidden()
    expect(page.get_by_label(f"Tick {A}")).to_be_checked()
    assert scene.members("dead") == [A.encode()]


def test_a_refusal_stands_beside_its_row_and_the_others_stay_ticked(page, scene):
    for job_id in (A, B):
        scene.dead(job_id, attempts=3)
    page.goto(DEAD)
    page.locator("#pause").click()
    page.get_by_label("Tick all rows of this page").check()
    expect(page.get_by_role("button", name="Requeue 2 ticked…")).to_be_visible()
    page.get_by_role("button", name="Requeue 2 ticked…").click()
    expect(page.get_by_role("button", name="Requeue 2 jobs")).to_be_visible()
    scene.store.hset(scene.key(f"job:{A}"), "attempts", 4)
    page.get_by_role("button", name="Requeue 2 jobs").click()
    expect(page.locator("#outcome")).to_contain_text("1 requeued, 1 changed meanwhile")
    row = page.locator("tr", has_text=A)
    expect(row.locator(".refusal")).to_contain_text("changed meanwhile")
    expect(page.get_by_label(f"Tick {A}")).to_be_checked()


def test_a_job_that_left_the_list_is_said_and_the_page_stays(page, scene):
    scene.dead(A)
    scene.dead(B)
    page.goto(DEAD)
    page.locator("#pause").click()
    scene.store.zrem(scene.key("dead"), A)
    scene.store.zadd(scene.key("pending"), {A: 0})
    page.locator("tr", has_text=A).get_by_role("button", name="Requeue").click()
    expect(page.locator("#outcome")).to_contain_text("no longer dead")
    expect(page.locator("tr[data-row]")).to_have_count(1)


def test_a_double_click_is_one_call(page, scene):
    scene.dead(A)
    scene.dead(B)
    page.goto(DEAD)
    page.locator("tr", has_text=A).get_by_role("button", name="Requeue").dblclick()
    expect(page.locator("#outcome")).to_contain_text(" requeued")
    assert scene.store.xlen(scene.admin + b"audit") == 1
    assert scene.members("dead") == [B.encode()]


def test_an_old_token_is_said_and_not_swallowed(desk, scene):
    scene.dead(A)
    browser = desk()
    browser.expects_failures = True
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto(DEAD)
    page.locator("#pause").click()
    page.context.clear_cookies(name="csrftoken")
    page.locator("tr", has_text=A).get_by_role("button", name="Requeue").click()
    expect(page.locator("#strip")).to_contain_text("Reload the page and try again")
    expect(page.locator("#strip")).to_contain_text("EMQ_ORIGINS")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator("#strip")).to_be_empty()
    assert scene.members("dead") == [A.encode()]


def test_without_javascript_everything_can_still_be_done(desk, scene):
    scene.dead(A)
    scene.dead(B)
    browser = desk(java_script_enabled=False)
    page = browser.page
    page.goto(DEAD)
    page.fill("#id_username", "olena")
    page.fill("#id_password", PASSWORD)
    page.click("button.go")
    page.get_by_label(f"Tick {A}").check()
    page.get_by_label(f"Tick {B}").check()
    page.get_by_role("button", name="Requeue ticked…").click()
    expect(page.locator("main")).to_contain_text(re.compile(r"Requeue:? 2 jobs of orders\?"))
    page.get_by_role("button", name="Requeue 2 jobs").click()
    expect(page.locator("#outcome")).to_contain_text("2 requeued")
    assert scene.members("pending") == [A.encode(), B.encode()]
    scene.active(C, -1_000)
    page.goto("/q/prod/orders/sweep")
    page.get_by_label("Max stalled").fill("1")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("tr", has_text=C)).to_contain_text("sends it to dead")
    page.get_by_role("button", name="Sweep 1").click()
    expect(page.locator("#outcome")).to_contain_text("1 dead")


def test_back_after_an_action_gives_a_whole_page(page, scene):
    scene.dead(A)
    page.goto("/")
    page.goto(DEAD)
    page.locator("tr", has_text=A).get_by_role("button", name="Requeue").click()
    expect(page.locator("#outcome")).to_be_visible()
    page.locator(".tabs").get_by_role("link", name="Active").click()
    page.wait_for_url("**/active")
    page.go_back()
    expect(page.locator("header.top")).to_be_visible()
    expect(page.locator(".tabs")).to_be_visible()


def test_an_outcome_is_said_where_the_person_is_on_a_long_page(page, scene):
    made = scene.many_dead(25)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(DEAD)
    row = page.locator("tr", has_text=made[0])
    row.get_by_role("button", name="Requeue").click()
    expect(page.locator("#strip")).to_contain_text(" requeued")
    page.locator("#strip").get_by_role("link", name="Show").click()
    expect(page.locator("#outcome")).to_be_in_viewport()


def test_a_form_keeps_the_name_of_its_call_until_the_call_has_succeeded(page, scene):
    for job_id in (A, B):
        scene.dead(job_id)
    page.goto(DEAD)
    name = page.locator('form[data-jobs] input[name="op_id"]')
    first = name.input_value()
    next_poll(page, 2)
    assert name.input_value() == first
    page.locator("tr", has_text=A).get_by_role("button", name="Requeue").click()
    expect(page.locator("#outcome")).to_be_visible()
    assert name.input_value() != first
