"""The tools above a list: by keyboard, and never lost to a page that reads itself anew."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from echomq_admin.emq import ids
from tests.browser.conftest import PASSWORD
from tests.browser.desk import next_poll
from tests.console.scene import A, B

DEAD = "/q/prod/orders/dead"
LISTS = ("pending", "active", "scheduled", "dead")


@pytest.fixture
def hours(scene) -> list[str]:
    """60 dead jobs, minted a minute apart up to half a minute ago."""
    now = scene.now_ms()
    made = [ids.mint("JOB", now - 30_000 - 60_000 * (59 - n)) for n in range(60)]
    for job_id in made:
        scene.dead(job_id)
    return made


def test_a_list_opens_at_a_time_by_keyboard(page, hours):
    page.goto(DEAD)
    page.locator("#at").focus()
    page.keyboard.type("30 min ago")
    page.keyboard.press("Enter")
    page.wait_for_url("**/dead?at=20*")
    expect(page.get_by_text("opened at the jobs minted")).to_be_visible()
    expect(page.locator("tr[data-row] a.name").first).to_have_text(hours[29])
    next_poll(page)
    expect(page.locator("tr[data-row] a.name").first).to_have_text(hours[29])


def test_columns_are_chosen_by_keyboard_and_stay_chosen(page, hours):
    page.goto(DEAD)
    page.locator("#columns summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Error", exact=True)).to_be_focused()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Show these").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("columnheader", name="Error")).to_have_count(0)
    expect(page.get_by_role("columnheader", name="Payload")).to_be_visible()
    page.reload()
    expect(page.get_by_role("columnheader", name="Error")).to_have_count(0)


def test_a_poll_keeps_the_typed_time_the_open_menu_and_its_ticks(page, hours, scene):
    page.goto(DEAD)
    page.locator("#columns summary").click()
    page.get_by_label("Payload", exact=True).uncheck()
    page.get_by_label("Parent", exact=True).check()
    page.locator("#open-id").fill("JOB0K")
    page.locator("#at").fill("13:0")
    scene.dead(A)
    next_poll(page, 2)
    expect(page.locator("#at")).to_have_value("13:0")
    expect(page.locator("#at")).to_be_focused()
    expect(page.locator("#open-id")).to_have_value("JOB0K")
    expect(page.locator("#columns")).to_have_attribute("open", "")
    expect(page.get_by_label("Payload", exact=True)).not_to_be_checked()
    expect(page.get_by_label("Parent", exact=True)).to_be_checked()
    expect(page.get_by_role("columnheader", name="Payload")).to_be_visible()


def test_what_is_no_time_is_said_at_the_field(page, hours):
    page.goto(DEAD)
    page.locator("#at").fill("tea time")
    page.keyboard.press("Enter")
    expect(page.locator("#at")).to_have_value("tea time")
    expect(page.locator("#at")).to_have_accessible_description(
        "“tea time” is no time that can be read: write 2026-11-29 13:00, 13:00, yesterday 13:00, "
        "2 h ago, in 10 min, or unix ms."
    )
    expect(page.locator("tr[data-row]")).to_have_count(25)


def test_a_job_is_opened_by_its_id_and_by_its_row(page, scene):
    scene.dead(A)
    scene.dead(B)
    page.goto(DEAD)
    page.locator("#open-id").fill(A)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/q/prod/orders/job/{A}")
    page.goto(DEAD)
    page.get_by_role("link", name=B).click()
    page.wait_for_url(f"**/q/prod/orders/job/{B}")


def test_a_heading_turns_the_list_round(page, hours):
    page.goto(DEAD)
    page.get_by_role("columnheader", name="Minted").get_by_role("link").click()
    expect(page.locator("tr[data-row] a.name").first).to_have_text(hours[0])
    assert "order=asc" in page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_every_list_with_every_column_is_accessible_and_in_bounds(desk, scene, scheme, width):
    fields = dict.fromkeys(("payload", "last_error", "progress", "parent", "group"), "x y " * 30)
    for name, job_id, state in (
        ("pending", A, "pending"),
        ("dead", B, "active"),
        ("schedule", A, "dead"),
        ("active", B, "pending"),
    ):
        scene.row(job_id, state=state, **fields)
        scene.store.zadd(scene.key(name), {job_id: 0, "missing/1": "0", "z" * 9_000: 1e308})
    browser = desk(color_scheme=scheme, viewport={"width": width, "height": 900})
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    for tab in LISTS:
        page.goto(f"/q/prod/orders/{tab}?at=nonsense")
        page.locator("#columns summary").click()
        for box in page.locator('input[name="column"]').all():
            box.check()
        page.get_by_role("button", name="Show these").click()
        expect(page.get_by_role("button", name="The usual ones")).to_be_hidden()
        page.locator("#columns summary").click()
        results = Axe().run(page)
        assert [v["id"] for v in results.response["violations"]] == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
