"""Pages that read themselves anew leave everything of the person's where it was."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from echomq_admin.fleet import discovery, servers
from tests.browser.conftest import PASSWORD
from tests.browser.desk import is_own_read, is_poll, next_poll
from tests.console.scene import A, Scene
from tests.waiting import wait_for

DEAD = "/q/prod/orders/dead"


def boxes(page: Page):
    return page.locator('input[name="job"]')


def test_ticks_focus_scroll_and_open_sections_survive_polls(page, scene):
    made = scene.many_dead(30)
    for job_id in made:
        scene.store.hset(scene.key(f"job:{job_id}"), "last_error", "first line\nsecond line")
    page.goto(DEAD)
    keep, leave, also = made[-3], made[-5], made[-8]
    for job_id in (keep, leave, also):
        page.get_by_label(f"Tick {job_id}").check()
    expect(page.get_by_role("button", name="Requeue 3 ticked…")).to_be_enabled()
    row = page.locator("tr", has_text=keep)
    row.locator("summary").first.click()
    row.locator("summary").first.focus()
    page.mouse.wheel(0, 300)
    wait_for(lambda: page.evaluate("scrollY > 100"))
    where = page.evaluate("scrollY")
    scene.store.zrem(scene.key("dead"), leave)
    page.mouse.move(5, 5)
    row.locator("summary").first.focus()
    next_poll(page, 3)
    expect(page.locator("tr", has_text=leave)).to_have_count(0)
    expect(page.get_by_label(f"Tick {keep}")).to_be_checked()
    expect(page.get_by_label(f"Tick {also}")).to_be_checked()
    expect(page.get_by_role("button", name="Requeue 2 ticked…")).to_be_enabled()
    assert row.locator("details").first.evaluate("(one) => one.open")
    assert row.locator("summary").first.evaluate("(one) => one === document.activeElement")
    assert abs(page.evaluate("scrollY") - where) < 40


def test_a_half_typed_filter_survives_polls_and_filters_while_it_is_typed(page, prod):
    for queue in ("orders", "payments"):
        Scene(prod, queue).pending(A)
    discovery.discover(servers.server("prod"))
    page.goto("/")
    expect(page.locator("tr[data-row]")).to_have_count(2)
    page.locator("#filter").press_sequentially("pay")
    expect(page.locator("tr[data-row]")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?q=pay$"))
    page.locator("#filter").press_sequentially("m")
    next_poll(page, 2)
    expect(page.locator("#filter")).to_have_value("paym")
    expect(page.locator("#filter")).to_be_focused()
    expect(page.locator("tr[data-row]")).to_have_count(1)


def reads_within(page: Page, ms: int) -> int:
    """How often the page reads itself while its clock runs on by so many ms."""
    asked = []
    page.on("request", lambda request: is_own_read(request) and asked.append(request))
    page.clock.fast_forward(ms)
    page.evaluate("fetch('/healthz')")
    return len(asked)


def test_a_pause_stops_reading_and_a_second_press_goes_on(page, scene):
    scene.many_dead(1)
    page.clock.install()
    page.goto(DEAD)
    pause = page.locator("#pause")
    expect(pause).to_contain_text("live")
    pause.click()
    expect(pause).to_contain_text("paused")
    expect(pause).to_have_attribute("aria-pressed", "true")
    assert reads_within(page, 60_000) == 0
    with page.expect_response(is_poll):
        pause.click()
    expect(pause).to_contain_text("live")


def test_reading_waits_while_a_dialog_is_open(page, scene):
    made = scene.many_dead(2)
    page.clock.install()
    page.goto(DEAD)
    page.get_by_label(f"Tick {made[0]}").check()
    page.get_by_role("button", name="Requeue 1 ticked…").click()
    expect(page.locator("#dialog")).to_be_visible()
    assert reads_within(page, 60_000) == 0
    with page.expect_response(is_poll):
        page.get_by_role("link", name="Leave it dead").click()
    expect(page.locator("#dialog")).to_be_hidden()
    expect(page.get_by_label(f"Tick {made[0]}")).to_be_checked()


def test_reading_waits_while_the_tab_is_hidden(page, scene):
    scene.many_dead(1)
    page.clock.install()
    page.goto(DEAD)
    expect(page.locator("#pause")).to_contain_text("live")
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { get: () => window.away, configurable: true });"
        "window.away = true"
    )
    assert reads_within(page, 60_000) == 0
    with page.expect_response(is_poll):
        page.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))")


def test_a_lost_server_leaves_the_old_rows_and_says_since_when(desk, scene, settings, server_url):
    made = scene.many_dead(2)
    discovery.discover(servers.server("prod"))
    browser = desk()
    browser.expects_failures = True
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto(DEAD)
    expect(page.locator("tr[data-row]")).to_have_count(2)
    settings.EMQ_SERVERS = "prod=redis://127.0.0.1:1/0"
    strip = page.locator("#strip")
    expect(strip).to_contain_text(re.compile(r"Stale since \d\d:\d\d:\d\d UTC"))
    expect(strip).to_contain_text("127.0.0.1:1")
    expect(page.locator("tr[data-row]")).to_have_count(2)
    expect(page.locator("#pause")).to_contain_text("stale")
    settings.EMQ_SERVERS = f"prod={server_url}"
    scene.store.zrem(scene.key("dead"), made[0])
    expect(strip).to_be_empty()
    expect(page.locator("tr[data-row]")).to_have_count(1)
    expect(page.locator("#pause")).to_contain_text("live")


def test_a_page_opened_while_the_server_is_away_recovers_alone(desk, scene, settings, server_url):
    scene.many_dead(2)
    discovery.discover(servers.server("prod"))
    settings.EMQ_SERVERS = "prod=redis://127.0.0.1:1/0"
    browser = desk()
    browser.expects_failures = True
    browser.sign_in("olena", PASSWORD)
    browser.page.goto(DEAD)
    expect(browser.page.get_by_text("Out of reach:")).to_be_visible()
    settings.EMQ_SERVERS = f"prod={server_url}"
    expect(browser.page.locator("tr[data-row]")).to_have_count(2)


def test_a_session_that_ends_leads_to_the_sign_in_page_and_back(page, scene):
    scene.many_dead(1)
    page.goto(DEAD + "?rows=50")
    page.context.clear_cookies(name="sessionid")
    expect(page).to_have_url(re.compile(r"/login/\?next=/q/prod/orders/dead%3Frows%3D50"))
    page.fill("#id_username", "olena")
    page.fill("#id_password", PASSWORD)
    page.click("button.go")
    expect(page).to_have_url(re.compile(r"/q/prod/orders/dead\?rows=50$"))


def test_the_countdown_does_not_ask_the_clock_of_the_browser(desk, scene):
    scene.active(A, 60_000)
    browser = desk()
    browser.context.clock.install(time="2031-01-01T00:00:00Z")
    browser.sign_in("olena", PASSWORD)
    browser.page.goto("/q/prod/orders/active")
    expect(browser.page.locator(".lease b")).to_have_text(re.compile(r"^5\d\.\d s$|^1:00\.0$"))
    expect(browser.page.locator(".chip[data-phase]")).to_have_text("live")
