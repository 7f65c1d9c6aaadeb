"""The frame says what is so: live or stale, who may what, and what became of a press."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group
from playwright.sync_api import expect

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import discovery, servers
from tests.browser.conftest import PASSWORD
from tests.console.scene import A, B
from tests.operations.wire_cut import wire
from tests.waiting import wait_for

DEAD = "/q/prod/orders/dead"
NOWHERE = "prod=redis://127.0.0.1:1/0"


@pytest.fixture
def browser(desk):
    """A browser of olena in which requests may fail."""
    made = desk()
    made.expects_failures = True
    made.sign_in("olena", PASSWORD)
    return made


@pytest.mark.parametrize("path", ["/", "/?server=prod", DEAD])
def test_a_page_of_a_server_out_of_reach_says_that_it_is_stale(browser, scene, settings, path):
    scene.dead(A)
    settings.EMQ_SERVERS = NOWHERE
    browser.page.goto(path)
    expect(browser.page.locator("#pause")).to_contain_text("stale")
    expect(browser.page.locator(".rail [data-server=prod]")).to_contain_text("out of reach")
    expect(browser.page.locator(".rail h2 + a + a")).to_contain_text("out of reach")


def test_a_page_with_one_of_two_servers_out_of_reach_is_read(browser, scene, settings, server_url):
    settings.EMQ_SERVERS = f"prod={server_url} lost=redis://127.0.0.1:1/0"
    browser.page.goto("/")
    expect(browser.page.locator("#pause")).to_contain_text("reading every")
    browser.page.goto("/?server=lost")
    expect(browser.page.locator("#pause")).to_contain_text("stale")


def test_a_page_that_lost_its_server_marks_it_in_the_rail(browser, scene, settings):
    scene.dead(A)
    discovery.discover(servers.server("prod"))
    page = browser.page
    page.goto(DEAD)
    expect(page.locator(".rail [data-server=prod] .n")).to_have_text("1")
    settings.EMQ_SERVERS = NOWHERE
    expect(page.locator(".rail [data-server=prod] .n")).to_have_text("out of reach")
    expect(page.locator("body")).to_have_attribute("data-stale", "")


def test_a_strip_that_comes_and_goes_leaves_the_rows_under_the_pointer(
    browser, scene, settings, server_url
):
    scene.dead(A)
    page = browser.page
    page.goto(DEAD)
    button = page.get_by_role("button", name=f"Requeue {A}")
    button.hover()
    before = button.bounding_box()["y"]
    settings.EMQ_SERVERS = NOWHERE
    expect(page.locator("#strip")).to_contain_text("Stale")
    assert abs(button.bounding_box()["y"] - before) < 2
    settings.EMQ_SERVERS = f"prod={server_url}"
    expect(page.locator("#strip")).to_be_empty()
    assert abs(button.bounding_box()["y"] - before) < 2


def test_a_page_follows_the_rights_of_its_person(page, scene, user):
    scene.dead(A)
    page.goto(DEAD)
    expect(page.locator(".who")).to_contain_text("operator")
    expect(page.get_by_role("button", name=f"Requeue {A}")).to_be_visible()
    user.groups.set([Group.objects.get(name="viewer")])
    expect(page.locator(".who")).to_contain_text("viewer")
    expect(page.get_by_role("button", name=f"Requeue {A}")).to_have_count(0)


def test_a_page_that_may_be_seen_no_longer_says_which_role_it_takes(browser, scene, user):
    scene.dead(A)
    browser.page.goto(DEAD)
    user.groups.clear()
    expect(browser.page.locator("main")).to_contain_text("it takes the role viewer")


def test_a_lost_answer_says_what_to_do_and_is_over_when_the_page_can_be_read(
    browser, scene, settings, server_port
):
    EchoMQ(scene.store).requeue("orders", [B])
    scene.dead(A)
    with wire(server_port) as cut:
        settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{cut.port}/0"
        page = browser.page
        page.goto(DEAD)
        cut.cut_after = b"EVALSHA"
        page.get_by_role("button", name=f"Requeue {A}").click()
        strip = page.locator("#strip")
        expect(strip).to_contain_text("prod did not answer this requeue")
        expect(strip).to_contain_text("Press Requeue again: nothing moves twice.")
        cut.cut_after = None
        expect(strip).to_be_empty()
        expect(page.locator("#pause")).to_contain_text("reading every")


def test_a_press_that_runs_says_so_and_cannot_be_pressed_again(page, scene):
    scene.dead(A)
    page.goto(DEAD)
    held = []
    page.route("**/requeue", lambda route: held.insert(0, route))
    page.get_by_role("button", name=f"Requeue {A}").click()
    button = page.locator("tr", has_text=A).get_by_role("button")
    expect(button).to_have_text("Requeueing…")
    expect(button).to_be_disabled()
    wait_for(lambda: page.evaluate("true") and held)
    held[0].continue_()
    expect(page.locator("#outcome")).to_contain_text(f"{A} requeued")


def test_a_press_that_was_refused_can_be_pressed_again(browser, scene):
    scene.dead(A)
    page = browser.page
    page.goto(DEAD)
    page.route("**/requeue", lambda route: route.abort())
    button = page.get_by_role("button", name=f"Requeue {A}")
    button.click()
    expect(page.locator("#strip")).to_contain_text("Whether anything was moved is not known")
    expect(button).to_be_enabled()
    page.unroute("**/requeue")
    button.click()
    expect(page.locator("#outcome")).to_contain_text(f"{A} requeued")


def test_a_stop_lasts_from_page_to_page(page, scene):
    scene.dead(A)
    page.goto(DEAD)
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_contain_text("stopped")
    page.locator(".tabs").get_by_role("link", name="Pending").click()
    expect(page.locator("#pause")).to_contain_text("stopped")
    page.locator("#pause").click()
    page.reload()
    expect(page.locator("#pause")).to_have_text(re.compile("^reading"))


def test_after_a_wrong_password_the_password_is_typed_anew(desk):
    page = desk().page
    page.goto("/login/")
    page.fill("#id_username", "olena")
    page.fill("#id_password", "not this")
    page.click("button.go")
    expect(page.locator("[role=alert]")).to_be_visible()
    expect(page.locator("#id_password")).to_be_focused()


def test_a_dialog_starts_at_the_way_out(page, scene):
    scene.dead(A)
    page.goto(DEAD)
    page.get_by_label(f"Tick {A}").check()
    page.get_by_role("button", name="Requeue 1 ticked…").click()
    expect(page.get_by_role("link", name="Leave it as it is")).to_be_focused()


def test_the_list_of_keys_holds_only_what_works_on_the_page(page, scene):
    scene.dead(A)
    for path, is_there in ((DEAD, True), ("/", False)):
        page.goto(path)
        page.keyboard.press("?")
        expect(page.locator("#keys dd", has_text="tick the row")).to_be_visible(visible=is_there)
        expect(page.locator("#keys dd", has_text="requeue")).to_be_visible(visible=is_there)
