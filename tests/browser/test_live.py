"""Pages that read themselves anew leave everything of the person's where it was."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from echomq_admin.console import times
from echomq_admin.emq import ids
from echomq_admin.fleet import discovery, servers
from tests.browser.conftest import PASSWORD
from tests.browser.desk import is_own_read, is_poll, next_poll
from tests.console.scene import A, Scene
from tests.waiting import wait_for

DEAD = "/q/prod/orders/dead"
ACTIVE = "/q/prod/orders/active"


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
    page.evaluate("scrollTo({top: 300, behavior: 'instant'})")
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


def test_a_press_stops_the_reading_and_a_second_one_goes_on(page, scene):
    scene.many_dead(1)
    page.clock.install()
    page.goto(DEAD)
    pause = page.locator("#pause")
    expect(pause).to_contain_text("reading every")
    pause.click()
    expect(pause).to_contain_text("stopped")
    expect(pause).to_have_attribute("aria-pressed", "true")
    assert reads_within(page, 60_000) == 0
    with page.expect_response(is_poll):
        pause.click()
    expect(pause).to_contain_text("reading every")


def test_reading_waits_while_a_dialog_is_open(page, scene):
    made = scene.many_dead(2)
    page.clock.install()
    page.goto(DEAD)
    page.get_by_label(f"Tick {made[0]}").check()
    page.get_by_role("button", name="Requeue 1 ticked…").click()
    expect(page.locator("#dialog")).to_be_visible()
    assert reads_within(page, 60_000) == 0
    with page.expect_response(is_poll):
        page.get_by_role("link", name="Leave it as it is").click()
    expect(page.locator("#dialog")).to_be_hidden()
    expect(page.get_by_label(f"Tick {made[0]}")).to_be_checked()


def test_reading_waits_while_the_tab_is_hidden(page, scene):
    scene.many_dead(1)
    page.clock.install()
    page.goto(DEAD)
    expect(page.locator("#pause")).to_contain_text("reading every")
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
    expect(page.locator("#pause")).to_contain_text("reading every")


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
    expect(browser.page.locator(".lease b")).to_have_text(re.compile(r"^[1-5]?\d\.\d s$|^1:00\.0$"))
    expect(browser.page.locator(".chip[data-phase]")).to_have_text("live")


@pytest.mark.parametrize("path", [ACTIVE, f"/q/prod/orders/job/{A}"])
def test_a_page_that_is_not_read_judges_no_lease(page, scene, path):
    scene.active(A, 40_000)
    page.clock.install()
    page.goto(path)
    page.locator("#pause").click()
    chip, lease = page.locator("[data-phase-chip] .chip"), page.locator(".lease")
    page.clock.run_for(8_000)
    expect(chip).to_have_text("live")
    page.clock.run_for(34_000)
    expect(chip).to_have_text("unread")
    expect(lease).to_have_attribute("data-phase", "unread")
    expect(lease.locator("b")).to_have_text(re.compile(r"^\+\d+\.\d s$"))
    expect(page.locator("#pause")).to_have_text(re.compile(r"^stopped, read ([45]\d s|1 m.*) ago$"))
    with page.expect_response(is_poll):
        page.locator("#pause").click()
    expect(chip).to_have_text("live")


def test_the_marks_of_a_page_that_is_not_read_stay_where_they_were_read(page, scene):
    scene.active(A, 20_000)
    page.clock.install()
    page.goto(ACTIVE)
    marks, note = page.locator("g[data-flow]").first, page.locator(".as-read")
    page.clock.run_for(1_000)
    expect(marks).not_to_have_attribute("transform", "translate(0.00 0)")
    expect(note).to_be_hidden()
    page.locator("#pause").click()
    page.clock.run_for(32_000)
    expect(marks).to_have_attribute("transform", "translate(0.00 0)")
    expect(note).to_be_visible()


def seconds_ago(time: Locator) -> int:
    """What a time says of itself, which by now may be more than a minute."""
    said = time.inner_text()
    minutes, seconds = re.search(r"(\d+) min", said), re.search(r"(\d+) s", said)
    return (int(minutes[1]) * 60 if minutes else 0) + (int(seconds[1]) if seconds else 0)


def test_how_long_ago_something_was_is_told_on_between_reads(page, scene):
    scene.pending(ids.mint("JOB", scene.now_ms() - 20_000))
    page.clock.install()
    page.goto("/q/prod/orders/pending")
    page.locator("#pause").click()
    minted = page.locator("td time")
    expect(minted).to_contain_text(re.compile(r"^[2-9]\d s ago"))
    before = seconds_ago(minted)
    page.clock.run_for(15_000)
    wait_for(lambda: seconds_ago(minted) >= before + 15)


def test_the_script_says_how_long_ago_as_the_server_does(page):
    spans = [0, 999, 1_000, 59_999, 60_000, 7_300_000, 86_400_000, 90_000_000, 172_200_000]
    spans += [950_000_000, 86_400_000_000_000]
    spans += [-span for span in spans[1:]]
    page.goto("/")
    said = page.evaluate(
        "async (spans) => {"
        " const module = await import('/static/console/js/since.js');"
        " return spans.map((span) => module.spoken(span)); }",
        spans,
    )
    assert said == [times.ago(-span, 0) for span in spans]


def test_a_section_that_loads_does_not_take_away_what_failed(desk, scene):
    scene.dead(A)
    browser = desk()
    browser.expects_failures = True
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto(DEAD)
    page.keyboard.press("p")
    page.route("**/requeue", lambda route: route.abort())
    page.get_by_role("button", name=f"Requeue {A}").click()
    expect(page.locator("#strip")).to_contain_text("Whether anything was moved is not known")
    page.evaluate("htmx.ajax('GET', '/healthz', {target: '#dialog', swap: 'none'})")
    expect(page.locator("#strip")).to_contain_text("Whether anything was moved is not known")
