"""The actions on a queue and on its lanes in a browser: menu, dialogs, steps that go on alone."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group
from playwright.sync_api import Page, expect

from echomq_admin.console.acting import marching, stepping
from tests.browser.conftest import PASSWORD
from tests.browser.desk import next_poll
from tests.browser.test_look import NARROW, WIDE, looked_at
from tests.console.scene import A, B, C, G, Scene
from tests.waiting import wait_for

PENDING, LANES = "/q/prod/orders/pending", "/q/prod/orders/lanes"


@pytest.fixture
def admin(user, page) -> Page:
    """The page of olena, an admin."""
    user.groups.add(Group.objects.get(name="admin"))
    return page


@pytest.fixture
def filled(scene: Scene) -> Scene:
    """Something for every action to work on."""
    for number in range(9):
        scene.pending(f"JOB0KHTOWnG{number:03}")
    scene.pending(B, group=G)
    scene.store.rpush(scene.key("ring"), G)
    scene.store.hset(scene.key("glimit"), G, 2)
    scene.store.hset(scene.key("gactive"), G, 1)
    scene.active(A, -5_000, group=G)
    scene.row(C, state="scheduled")
    scene.store.zadd(scene.key("schedule"), {C: 1})
    return scene


def choose(page: Page, name: str, role: str = "link") -> None:
    page.locator("#queue-menu summary").click()
    page.locator("#queue-menu").get_by_role(role, name=name).click()


@pytest.fixture
def small_steps(monkeypatch) -> None:
    monkeypatch.setattr(marching, "BUDGET", 2)
    monkeypatch.setattr(stepping, "WORKS_S", 0.0)


def test_a_queue_is_paused_in_a_dialog_and_resumed_by_one_press(admin, filled):
    admin.goto(PENDING)
    choose(admin, "Pause queue…")
    expect(admin.locator("#queue-menu")).not_to_have_attribute("open", "")
    dialog = admin.locator("#dialog")
    expect(dialog).to_contain_text("Workers claim nothing more")
    dialog.get_by_role("button", name="Pause queue").click()
    expect(admin.locator("#outcome")).to_contain_text("queue orders paused")
    expect(admin).to_have_url(re.compile("/pending.*did="))
    expect(admin.locator("h1")).to_contain_text("paused")
    choose(admin, "Resume queue", "button")
    expect(admin.locator("#outcome")).to_contain_text("queue orders resumed")
    assert not filled.store.hexists(filled.key("meta"), "paused")


def test_an_open_menu_stays_through_polls_and_closes_by_escape(admin, filled):
    admin.goto(PENDING)
    admin.locator("#queue-menu summary").click()
    next_poll(admin, 2)
    expect(admin.get_by_role("link", name="Drain…")).to_be_visible()
    admin.keyboard.press("Escape")
    expect(admin.get_by_role("link", name="Drain…")).to_be_hidden()
    expect(admin.locator("#queue-menu summary")).to_be_focused()


def test_a_drain_goes_on_by_itself_to_its_end(admin, filled, small_steps):
    admin.goto(PENDING)
    choose(admin, "Drain…")
    dialog = admin.locator("#dialog")
    dialog.get_by_label("Type the queue's name").fill("orders")
    dialog.get_by_role("button", name="Drain").click()
    expect(admin.locator("#outcome")).to_contain_text("9 jobs deleted, 9 were shown")
    expect(admin).to_have_url(re.compile("/pending.*did="))
    assert filled.members("pending") == []
    next_poll(admin)


def test_a_wrong_name_deletes_nothing_and_the_dialog_says_so(admin, filled):
    admin.goto(PENDING)
    choose(admin, "Drain…")
    dialog = admin.locator("#dialog")
    dialog.get_by_label("Type the queue's name").fill("order")
    dialog.get_by_role("button", name="Drain").click()
    expect(dialog).to_contain_text("Nothing was done")
    assert len(filled.members("pending")) == 9


def hold(page: Page) -> list:
    """Keep back the first step behind the confirmation, until it is let go."""
    held: list = []

    def keep(route) -> None:
        is_step = "march=" in (route.request.post_data or "")
        held.append(route) if is_step and not held else route.continue_()

    page.route("**/drain*", keep)
    return held


def test_a_drain_that_is_stopped_between_two_steps_leaves_the_rest(admin, filled, small_steps):
    admin.goto(PENDING)
    held = hold(admin)
    choose(admin, "Drain…")
    dialog = admin.locator("#dialog")
    dialog.get_by_label("Type the queue's name").fill("orders")
    dialog.get_by_role("button", name="Drain").click()
    expect(admin.locator("#how-far")).to_have_text("2 of 9 jobs deleted")
    wait_for(lambda: admin.evaluate("1") and held)
    admin.get_by_role("button", name="Stop").click()
    for route in held:
        route.continue_()
    outcome = admin.locator("#outcome")
    expect(outcome).to_contain_text("Drain stopped")
    # The page may have sent the next step at the moment of the stop: then that is said.
    least, gone = re.search(r"(at least )?(\d) jobs of 9", outcome.inner_text()).groups()
    left = len(filled.members("pending"))
    assert left == 9 - int(gone) or (least and left < 9 - int(gone))
    assert left > 0


def test_without_scripts_the_steps_go_on_by_a_button(desk, filled, user, small_steps):
    user.groups.add(Group.objects.get(name="admin"))
    made = desk(java_script_enabled=False)
    made.sign_in("olena", PASSWORD)
    page = made.page
    page.goto(PENDING)
    page.locator("#queue-menu summary").click()
    page.get_by_role("link", name="Drain…").click()
    page.get_by_label("Type the queue's name").fill("orders")
    page.get_by_role("button", name="Drain").click()
    for gone in (2, 4, 6, 8):
        expect(page.locator("#how-far")).to_have_text(f"{gone} of 9 jobs deleted")
        page.get_by_role("button", name="Go on").click()
    expect(page.locator("#outcome")).to_contain_text("9 jobs deleted, 9 were shown")


def test_a_closed_browser_leaves_a_whole_queue(desk, filled, user, small_steps):
    user.groups.add(Group.objects.get(name="admin"))
    made = desk()
    made.sign_in("olena", PASSWORD)
    page = made.page
    page.goto(PENDING)
    held = hold(page)
    choose(page, "Drain…")
    page.locator("#dialog").get_by_label("Type the queue's name").fill("orders")
    page.locator("#dialog").get_by_role("button", name="Drain").click()
    expect(page.locator("#how-far")).to_have_text("2 of 9 jobs deleted")
    wait_for(lambda: page.evaluate("1") and held)
    made.expects_failures = True
    for route in held:
        route.abort()
    page.goto("about:blank")
    left = filled.members("pending")
    assert len(left) == 7
    assert all(filled.store.exists(filled.key(b"job:" + job)) for job in left)


def test_obliterate_by_steps_ends_at_an_empty_queue(admin, filled, monkeypatch):
    monkeypatch.setattr(stepping, "WORKS_S", 0.0)
    filled.store.hset(filled.key("meta"), "paused", 1)
    admin.goto(PENDING)
    choose(admin, "Obliterate…")
    dialog = admin.locator("#dialog")
    expect(dialog).to_contain_text("What stays")
    dialog.get_by_text("Force", exact=True).click()
    dialog.get_by_label("Type the queue's name").fill("orders")
    dialog.get_by_role("button", name="Obliterate").click()
    expect(admin.locator("#outcome")).to_contain_text("queue orders obliterated")
    assert filled.store.keys("emq:*") == []


def test_a_lane_is_limited_paused_and_resumed_from_its_row(admin, filled):
    admin.goto(LANES)
    row = admin.locator("tr[data-row]", has_text=G)
    row.get_by_role("link", name=f"Limit… {G}").click()
    dialog = admin.locator("#dialog")
    dialog.get_by_label("Jobs at once").fill("5")
    dialog.get_by_role("button", name="Limit lane").click()
    expect(admin.locator("#outcome")).to_contain_text("limited to 5")
    row.get_by_role("link", name=f"Pause… {G}").click()
    dialog.get_by_role("button", name="Pause lane").click()
    expect(admin.locator("#outcome")).to_contain_text(f"lane {G} paused")
    row.get_by_role("button", name=f"Resume {G}").click()
    expect(admin.locator("#outcome")).to_contain_text(f"lane {G} resumed")
    expect(admin).to_have_url(re.compile("/lanes.*did="))
    assert filled.store.hget(filled.key("glimit"), G) == b"5"


def test_a_lapsed_lease_of_a_lane_is_reaped_from_its_row(admin, filled):
    admin.goto(LANES)
    admin.get_by_role("link", name=f"Reap… {G}").click()
    admin.get_by_role("button", name=f"Reap 1 of lane {G}").click()
    expect(admin.locator("#outcome")).to_contain_text("1 put back")
    assert A.encode() in filled.members(f"g:{G}:pending")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_and_nothing_overflows(desk, filled, user, small_steps, scheme, size):
    user.groups.add(Group.objects.get(name="admin"))
    made = desk(color_scheme=scheme, viewport=size)
    made.sign_in("olena", PASSWORD)
    page, found = made.page, []
    page.goto("/")
    page.evaluate("sessionStorage.setItem('echomq.stopped', 'yes')")
    filled.store.hset(filled.key("meta"), "paused", 1)
    for path in (
        LANES,
        "/q/prod/orders/reap",
        "/q/prod/orders/reap_group",
        f"/q/prod/orders/reap_group?group={G}",
        "/q/prod/orders/pause",
        "/q/prod/orders/promote",
        f"/q/prod/orders/limit_lane?group={G}",
        "/q/prod/orders/obliterate",
        "/q/prod/orders/drain",
    ):
        page.goto(path)
        found += looked_at(page)
    held = hold(page)
    page.goto(PENDING)
    page.locator("#queue-menu summary").click()
    found += looked_at(page)
    page.get_by_role("link", name="Drain…").click()
    page.locator("#dialog").get_by_label("Type the queue's name").fill("orders")
    page.locator("#dialog").get_by_role("button", name="Drain").click()
    expect(page.locator("#how-far")).to_have_text("2 of 9 jobs deleted")
    found += looked_at(page)
    made.expects_failures = True
    for route in held:
        route.abort()
    assert found == []
