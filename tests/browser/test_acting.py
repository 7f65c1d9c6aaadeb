"""From a button to the moved job and back: consent, undo, late presses, two people at one job."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group, User
from playwright.sync_api import Page, expect

from echomq_admin.emq import ids
from tests.browser.conftest import PASSWORD
from tests.browser.desk import next_poll
from tests.console.scene import A, B, C

DEAD = "/q/prod/orders/dead"
PENDING = "/q/prod/orders/pending"


@pytest.fixture
def admin(desk, user) -> Page:
    """The page of an admin who has signed in."""
    user.groups.set([Group.objects.get(name="admin")])
    made = desk()
    made.sign_in("olena", PASSWORD)
    return made.page


def tick(page: Page, *names: str) -> None:
    for name in names:
        page.get_by_label(f"Tick {name}").check()


def test_a_removal_is_asked_about_and_can_be_taken_back(admin, scene):
    for job_id in (A, B, C):
        scene.dead(job_id)
    admin.goto(DEAD)
    tick(admin, A, C)
    admin.get_by_role("button", name="Remove 2 ticked…").click()
    dialog = admin.locator("#dialog")
    expect(dialog).to_contain_text(re.compile(r"Remove:? 2 jobs of orders\?"))
    expect(dialog).to_contain_text("kept in the trash")
    expect(dialog.locator('[name="typed"]')).to_have_count(0)
    dialog.get_by_role("button", name="Remove 2 jobs").click()
    expect(admin.locator("#outcome")).to_contain_text("2 removed")
    expect(dialog).to_be_hidden()
    assert scene.members("dead") == [B.encode()]


def test_a_removal_without_the_trash_needs_the_name_of_the_queue(admin, scene):
    for job_id in (A, B, C):
        scene.dead(job_id)
    admin.goto(DEAD)
    tick(admin, A, C)
    admin.get_by_role("button", name="Remove 2 ticked…").click()
    dialog = admin.locator("#dialog")
    dialog.get_by_label("Delete for good").check()
    dialog.get_by_role("button", name="Remove 2 jobs").click()
    name = dialog.get_by_label("Type the queue's name to confirm")
    expect(name).to_be_focused()
    expect(dialog.get_by_label("Delete for good")).to_be_checked()
    name.fill("ordres")
    dialog.get_by_role("button", name="Remove 2 jobs").click()
    expect(name).to_have_value("")
    expect(dialog.locator(".field-error")).to_contain_text("Type the queue's name, orders")
    assert len(scene.members("dead")) == 3
    name.fill("orders")
    dialog.get_by_role("button", name="Remove 2 jobs").click()
    expect(admin.locator("#outcome")).to_contain_text("2 removed")
    expect(dialog).to_be_hidden()
    assert scene.members("dead") == [B.encode()]


def test_a_poison_job_is_buried_from_the_waiting_ones_with_a_reason(admin, scene):
    scene.pending(A)
    scene.pending(B)
    admin.goto(PENDING)
    tick(admin, A)
    admin.keyboard.press("b")
    dialog = admin.locator("#dialog")
    expect(dialog).to_contain_text(re.compile(r"Bury:? 1 job of orders\?"))
    dialog.locator('[name="reason"]').first.fill("poison: breaks the importer")
    dialog.get_by_role("button", name="Bury 1 job").click()
    expect(admin.locator("#outcome")).to_contain_text(f"{A} buried")
    expect(admin.locator("tr[data-row]")).to_have_count(1)
    assert scene.members("dead") == [A.encode()]
    assert scene.field(A, "last_error") == b"poison: breaks the importer"


def test_what_is_typed_into_a_dialog_outlives_a_failure(desk, user, scene):
    user.groups.set([Group.objects.get(name="admin")])
    scene.pending(A)
    browser = desk()
    browser.expects_failures = True
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto(PENDING)
    tick(page, A)
    page.get_by_role("button", name="Bury 1 ticked…").click()
    dialog = page.locator("#dialog")
    reason = dialog.locator('[name="reason"]').first
    reason.fill("long thought about")
    page.route("**/bury", lambda route: route.abort())
    dialog.get_by_role("button", name="Bury 1 job").click()
    expect(dialog.locator("[data-failed]")).to_contain_text("Press again: nothing moves twice.")
    expect(reason).to_have_value("long thought about")
    page.unroute("**/bury")
    dialog.get_by_role("button", name="Bury 1 job").click()
    expect(page.locator("#outcome")).to_contain_text(f"{A} buried")
    expect(page.locator("#strip")).to_be_empty()


def test_a_requeue_is_undone_by_one_press(page, scene):
    scene.dead(A, last_error="the whole error", stalled=1)
    page.goto(DEAD)
    page.locator("tr", has_text=A).get_by_role("button", name="Requeue").click()
    expect(page.locator("#outcome")).to_contain_text(f"{A} requeued")
    page.locator("#outcome").get_by_role("button", name="Undo").click()
    expect(page.locator("#outcome")).to_contain_text("Undone")
    expect(page.locator("tr", has_text=A)).to_contain_text("the whole error")
    assert scene.members("dead") == [A.encode()]
    assert scene.field(A, "stalled") == b"1"


def test_an_undo_on_the_page_of_the_job_leads_back_to_it(page, scene):
    scene.dead(A)
    page.goto(f"/q/prod/orders/job/{A}")
    page.keyboard.press("r")
    expect(page.locator("#outcome")).to_contain_text(f"{A} requeued")
    page.keyboard.press("u")
    expect(page.locator("#outcome")).to_contain_text("Undone")
    expect(page.locator(".chip.dead")).to_be_visible()
    expect(page).to_have_url(re.compile(f"/job/{A}\\?did="))
    assert scene.members("dead") == [A.encode()]


def test_a_press_that_comes_too_late_leaves_the_page_and_its_ticks(page, scene):
    for job_id in (A, B, C):
        scene.dead(job_id)
    page.goto(DEAD)
    page.locator("#pause").click()
    tick(page, B, C)
    scene.store.zrem(scene.key("dead"), A)
    scene.store.zadd(scene.key("pending"), {A: 0})
    page.locator("tr", has_text=A).get_by_role("button", name="Requeue").click()
    expect(page.locator("#outcome")).to_contain_text("no longer dead")
    expect(page.locator("tr[data-row]")).to_have_count(2)
    expect(page.get_by_label(f"Tick {B}")).to_be_checked()
    expect(page.get_by_role("button", name="Requeue 2 ticked…")).to_be_enabled()
    assert scene.members("pending") == [A.encode()]


def test_two_operators_move_one_job_once(desk, user, scene):
    other = User.objects.create_user("bohdan", password=PASSWORD)
    other.groups.add(Group.objects.get(name="operator"))
    scene.dead(A)
    pages = []
    for name in ("olena", "bohdan"):
        made = desk()
        made.sign_in(name, PASSWORD)
        made.page.goto(DEAD)
        made.page.locator("#pause").click()
        pages.append(made.page)
    for page in pages:
        page.locator("tr", has_text=A).get_by_role("button", name="Requeue").click()
        expect(page.locator("#outcome")).to_be_visible()
    expect(pages[0].locator("#outcome")).to_contain_text(f"{A} requeued")
    expect(pages[1].locator("#outcome")).to_contain_text("no longer dead")
    assert scene.store.xlen(scene.admin + b"audit") == 1


def test_a_scheduled_job_is_promoted_by_its_row_and_by_its_key(page, scene):
    for number, job_id in enumerate((A, B)):
        scene.row(job_id, state="scheduled")
        scene.store.zadd(scene.key("schedule"), {job_id: scene.now_ms() + 600_000 + number})
    page.goto("/q/prod/orders/scheduled")
    page.locator("tr", has_text=A).get_by_role("button", name="Promote").click()
    expect(page.locator("#outcome")).to_contain_text(f"{A} promoted")
    expect(page.locator("tr[data-row]")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("n")
    expect(page.locator("#outcome")).to_contain_text(f"{B} promoted")
    assert scene.members("pending") == [A.encode(), B.encode()]


def test_a_lease_of_a_dead_worker_is_ended_from_its_row(page, scene):
    scene.active(A, 600_000, stalled=0)
    page.goto("/q/prod/orders/active")
    page.locator("tr", has_text=A).get_by_role("button", name="Recover").click()
    dialog = page.locator("#dialog")
    expect(dialog).to_contain_text("Recover now")
    dialog.get_by_role("button", name="Recover now").click()
    expect(page.locator("#outcome")).to_contain_text("recovered")
    assert scene.members("pending") == [A.encode()]


def test_ticks_are_kept_over_pages_and_all_of_them_are_sent(page, scene):
    made = scene.many_dead(30)[::-1]
    page.goto(DEAD)
    tick(page, made[0], made[2])
    page.get_by_role("link", name="Older").click()
    tick(page, made[25])
    expect(page.locator("[data-count]")).to_have_text("3 ticked, 2 on other pages.")
    next_poll(page)
    expect(page.locator("[data-count]")).to_have_text("3 ticked, 2 on other pages.")
    page.get_by_role("button", name="Requeue 3 ticked…").click()
    dialog = page.locator("#dialog")
    for job_id in (made[0], made[2], made[25]):
        expect(dialog).to_contain_text(job_id)
    dialog.get_by_role("button", name="Requeue 3 jobs").click()
    expect(page.locator("#outcome")).to_contain_text("3 requeued")
    expect(page.get_by_role("button", name="Requeue ticked…")).to_be_disabled()
    page.goto(DEAD)
    expect(page.get_by_role("button", name="Requeue ticked…")).to_be_disabled()
    assert len(scene.members("pending")) == 3


def test_ticks_are_cleared_on_every_page_at_once(page, scene):
    made = scene.many_dead(30)[::-1]
    page.goto(DEAD)
    tick(page, made[0])
    page.get_by_role("link", name="Older").click()
    tick(page, made[29])
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("[data-count]")).to_be_hidden()
    page.go_back()
    expect(page.get_by_label(f"Tick {made[0]}")).not_to_be_checked()
    expect(page.get_by_role("button", name="Requeue ticked…")).to_be_disabled()


def test_a_ticked_job_that_leaves_the_list_is_ticked_no_more(page, scene):
    made = scene.many_dead(30)[::-1]
    page.goto(DEAD)
    tick(page, *made[:3])
    scene.store.zrem(scene.key("dead"), made[1])
    expect(page.get_by_role("button", name="Requeue 2 ticked…")).to_be_visible()
    expect(page.get_by_label(f"Tick {made[2]}")).to_be_checked()


def test_a_ticked_job_that_newer_ones_push_to_the_next_page_stays_ticked(page, scene):
    made = scene.many_dead(26)[::-1]
    page.goto(DEAD)
    tick(page, made[0], made[24])
    page.mouse.move(2, 2)
    came = ids.mint("JOB", scene.now_ms())
    scene.dead(came)
    expect(page.locator("tr", has_text=came)).to_be_visible()
    expect(page.locator("[data-count]")).to_have_text("2 ticked, 1 on other pages.")


def test_every_action_of_the_page_of_a_job_has_its_button(admin, scene):
    scene.active(A, 600_000)
    admin.goto(f"/q/prod/orders/job/{A}")
    can = admin.locator(".job-can-panel")
    for name in ("Recover now…", "Extend lease…", "Bury…", "Edit payload…"):
        expect(can.get_by_role("link", name=name)).to_be_visible()
    can.get_by_role("link", name="Extend lease…").click()
    dialog = admin.locator("#dialog")
    expect(dialog).to_contain_text("Extend lease")
    dialog.get_by_label("Lease").fill("900000")
    dialog.get_by_role("button", name="Extend lease").click()
    expect(admin.locator("#outcome")).to_contain_text("extended")
    expect(admin).to_have_url(re.compile(f"/job/{A}\\?did="))
    can.get_by_text("Not now").click()
    can.get_by_role("link", name="Remove by force…").click()
    expect(dialog).to_contain_text(re.compile(r"Remove:? 1 job of orders\?"))
    assert scene.members("active") == [A.encode()]
