"""Signing in: too often, again after the session ended, and in two tabs at once."""

from __future__ import annotations

import re

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from playwright.sync_api import expect

from tests.browser.conftest import PASSWORD
from tests.browser.test_look import NARROW, WIDE, looked_at
from tests.console.scene import A
from tests.waiting import wait_for


def try_to_sign_in(page, password: str) -> None:
    page.fill("#id_username", "olena")
    page.fill("#id_password", password)
    with page.expect_navigation():
        page.click("button.go")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_whoever_is_locked_out_is_told_until_when_and_an_admin_can_help(desk, scheme, size):
    browser = desk(color_scheme=scheme, viewport=size)
    browser.expects_failures = True
    page = browser.page
    page.goto("/login/?next=/find")
    for _ in range(5):
        try_to_sign_in(page, "wrong")
    said = page.get_by_role("alert")
    expect(said).to_contain_text("Too many sign-ins failed")
    expect(said).to_contain_text(re.compile(r"UTC, in 1[45] min"))
    assert looked_at(page) == []
    call_command("account", "olena", "--unlock")
    try_to_sign_in(page, PASSWORD)
    page.wait_for_url("**/find")


def test_a_press_after_the_session_ended_says_so_and_comes_back_to_the_list(desk, scene, page):
    scene.dead(A)
    page.goto("/q/prod/orders/dead")
    page.locator("#pause").click()
    Session.objects.all().delete()
    page.locator("tr[data-row] td button", has_text="Requeue").click()
    page.wait_for_url("**/login/**")
    expect(page.get_by_role("alert")).to_contain_text("what you pressed was not done")
    assert looked_at(page) == []
    assert scene.members("dead") == [A.encode()]
    try_to_sign_in(page, PASSWORD)
    page.wait_for_url("**/q/prod/orders/dead")
    page.locator("tr[data-row] td button", has_text="Requeue").click()
    page.locator("#outcome").wait_for()
    wait_for(lambda: scene.members("dead") == [])


def test_a_second_tab_that_signs_in_later_is_led_on(desk, page):
    page.goto("/")
    second = page.context.new_page()
    page.locator("form.out button").click()
    page.wait_for_url("**/login/")
    second.goto("/login/?next=/find")
    try_to_sign_in(page, PASSWORD)
    try_to_sign_in(second, PASSWORD)
    expect(second.get_by_role("heading", level=1)).to_have_text("You are signed in already")
    second.get_by_role("link", name="Go on").click()
    second.wait_for_url("**/find")
