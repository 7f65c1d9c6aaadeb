"""What a person aims at stays where it is, and what is under the focus stays alive."""

from __future__ import annotations

import re

from django.contrib.auth.models import Group
from playwright.sync_api import Page, Route, expect

from echomq_admin.emq import ids
from tests.browser.desk import is_own_read
from tests.console.scene import A, B

DEAD = "/q/prod/orders/dead"
ACTIVE = "/q/prod/orders/active"


def names(page: Page) -> list[str]:
    return page.locator("tbody[data-steady] .id").all_inner_texts()


def in_focus(page: Page) -> str:
    return page.evaluate("document.activeElement.id || document.activeElement.localName")


def newest(scene) -> str:
    """A job that dies now and stands first in the list."""
    job_id = ids.mint("JOB", scene.now_ms())
    scene.dead(job_id)
    return job_id


def test_a_click_on_empty_space_freezes_nothing(page, scene):
    scene.active(A, 60_000)
    page.goto(ACTIVE)
    page.locator("main").click(position={"x": 3, "y": 3})
    assert in_focus(page) == "main"
    scene.active(B, 70_000)
    expect(page.locator("tr[data-row]")).to_have_count(2)
    expect(page.get_by_role("heading", name="2 in flight")).to_be_visible()
    assert in_focus(page) == "main"


def test_a_row_in_focus_follows_the_server_and_keeps_the_focus(page, scene):
    scene.active(A, 60_000)
    page.goto(ACTIVE)
    page.keyboard.press("j")
    row = page.locator("tr", has_text=A)
    expect(row).to_be_focused()
    scene.active(A, 3_600_000 * 30, attempts=7)
    expect(row.locator("td.num").first).to_have_text("7")
    expect(row.locator(".lease b")).to_have_text(re.compile(r"^1 d|^29:"))
    expect(row).to_be_focused()


def test_the_focus_goes_to_the_next_row_when_its_row_has_gone(page, user, scene):
    user.groups.set([Group.objects.get(name="viewer")])
    scene.active(A, 60_000)
    scene.active(B, 70_000)
    page.goto(ACTIVE)
    page.keyboard.press("j")
    expect(page.locator("tr", has_text=A)).to_be_focused()
    scene.store.zrem(scene.key("active"), A)
    expect(page.locator("tr", has_text=B)).to_be_focused()


def test_a_dialog_over_the_page_does_not_start_the_leases_anew(page, scene):
    scene.active(A, 60_000)
    page.clock.install()
    page.goto(ACTIVE)
    page.locator("#pause").click()
    page.clock.run_for(15_000)
    left = page.locator(".lease b")
    counted_down = re.compile(r"^[1-4]?\d\.\d s$")
    expect(left).to_have_text(counted_down)
    page.evaluate(
        "document.getElementById('dialog').dispatchEvent(new CustomEvent('htmx:afterSwap',"
        " {bubbles: true, detail: {target: document.getElementById('dialog'),"
        " requestConfig: {elt: document.body}}}))"
    )
    page.keyboard.press("Escape")
    page.clock.run_for(1_000)
    expect(left).to_have_text(counted_down)


def test_rows_do_not_move_under_the_pointer_and_catch_up_when_it_leaves(page, scene):
    made = scene.many_dead(3)[::-1]
    page.goto(DEAD)
    page.get_by_role("button", name=f"Requeue {made[0]}").hover()
    came = newest(scene)
    scene.store.zrem(scene.key("dead"), made[2])
    catch_up = page.locator("[data-catch-up]")
    expect(catch_up).to_have_text("1 newer, 1 gone · show")
    expect(page.get_by_role("heading", name="3 dead")).to_be_visible()
    assert names(page) == made
    expect(page.get_by_role("button", name=f"Requeue {made[2]}")).to_be_disabled()
    page.mouse.move(2, 2)
    expect(page.locator("tbody[data-steady] .id")).to_have_text([came, made[0], made[1]])
    expect(catch_up).to_be_hidden()


def test_what_grows_above_the_rows_leaves_them_under_the_pointer(page, scene):
    made = scene.many_dead(12)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(DEAD)
    button = page.get_by_role("button", name=f"Requeue {made[-1]}")
    button.hover()
    before = button.bounding_box()["y"]
    newest(scene)
    expect(page.locator("[data-catch-up]")).to_be_visible()
    assert abs(button.bounding_box()["y"] - before) < 2


def test_a_click_requeues_the_job_that_was_aimed_at(page, scene):
    made = scene.many_dead(2)
    page.goto(DEAD)
    button = page.get_by_role("button", name=f"Requeue {made[1]}")
    button.hover()
    where = button.bounding_box()
    newest(scene)
    expect(page.locator("[data-catch-up]")).to_be_visible()
    page.mouse.click(where["x"] + where["width"] / 2, where["y"] + where["height"] / 2)
    expect(page.locator("#outcome")).to_contain_text(f"{made[1]} requeued")
    assert scene.members("pending") == [made[1].encode()]


def test_rows_held_for_the_keyboard_are_shown_when_they_are_asked_for(page, scene):
    made = scene.many_dead(2)[::-1]
    page.goto(DEAD)
    page.keyboard.press("j")
    came = newest(scene)
    catch_up = page.get_by_role("button", name="1 newer · show")
    expect(catch_up).to_be_visible()
    assert names(page) == made
    catch_up.click()
    expect(page.locator("tbody[data-steady] .id")).to_have_text([came, *made])


def test_a_job_pushed_to_the_next_page_is_not_called_gone(page, scene):
    made = scene.many_dead(25)
    page.goto(DEAD)
    page.get_by_role("button", name=f"Requeue {made[-1]}").hover()
    newest(scene)
    expect(page.locator("[data-catch-up]")).to_have_text("1 newer · show")
    expect(page.get_by_role("button", name=f"Requeue {made[0]}")).to_be_enabled()


def test_ticks_alone_do_not_hold_the_list(page, scene):
    made = scene.many_dead(2)
    page.goto(DEAD)
    page.get_by_label(f"Tick {made[0]}").check()
    page.mouse.move(2, 2)
    newest(scene)
    expect(page.locator("tbody[data-steady] tr")).to_have_count(3)
    expect(page.get_by_label(f"Tick {made[0]}")).to_be_checked()


def read_seldom(route: Route) -> None:
    """The page as it is, but that of itself it would read itself anew only in an hour."""
    if is_own_read(route.request):
        route.continue_()
    else:
        answer = route.fetch()
        route.fulfill(
            response=answer, body=answer.text().replace('data-poll="2000"', 'data-poll="3600000"')
        )


def test_leases_that_run_out_are_read_at_once_and_no_more_than_once_a_second(page, scene):
    asked: list[str] = []
    page.on("request", lambda one: is_own_read(one) and asked.append(one.url))
    page.route("**" + ACTIVE, read_seldom)
    scene.active("other", 3_600_000)
    page.goto(ACTIVE)
    jobs = [f"JOB0KHTOWnGLu{letter}" for letter in "ABCDEF"]
    for number, job_id in enumerate(jobs):
        scene.active(job_id, 9_000 + 150 * number)
    page.reload()
    for job_id in jobs:
        expect(page.locator("tr", has_text=job_id).locator(".chip")).to_have_text("lapsed")
        expect(page.locator("tr", has_text=job_id)).to_contain_text("stall 1")
    expect(page.get_by_role("link", name="Sweep… 6")).to_be_visible()
    assert 1 <= len(asked) <= 3
