"""Clock times in the zone that the person chose, and never by a clock that is wrong."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from echomq_admin.console import times
from tests.browser.conftest import PASSWORD
from tests.browser.desk import next_poll, run_until_visible
from tests.console.scene import A, B

PENDING = "/q/prod/orders/pending"
ACTIVE = "/q/prod/orders/active"
KATHMANDU = "Asia/Kathmandu"
ST_JOHNS = "America/St_Johns"


@pytest.fixture
def zoned(desk):
    """Opens a page of a browser whose computer is in a zone."""

    def open_page(zone: str, path: str):
        made = desk(timezone_id=zone)
        made.sign_in("olena", PASSWORD)
        made.page.goto(path)
        return made.page

    return open_page


def shown(page) -> tuple[str, str]:
    first = page.locator("td time").first
    return first.locator(".exact").inner_text(), first.get_attribute("title")


def test_the_switch_goes_round_all_zones_and_is_remembered(scene, zoned, settings):
    settings.TIME_ZONE = ST_JOHNS
    scene.pending(A)
    page = zoned(KATHMANDU, PENDING)
    switch = page.locator("#zone")
    seen = []
    for label in ("St Johns, UTC−", "UTC", "this computer, UTC+05:45", "St Johns, UTC−"):
        expect(switch).to_contain_text(label)
        seen.append(shown(page))
        next_poll(page)
        assert shown(page) == seen[-1]
        switch.click()
    assert seen[0] == seen[3]
    assert len({clock for clock, _ in seen}) == 3
    assert seen[1][1].endswith(" UTC")
    assert re.search(r" UTC\+05:45 \(.* UTC\)$", seen[2][1])
    expect(switch).to_have_text("UTC")
    expect(page.locator(".head [data-zone]")).to_have_text("UTC")
    page.reload()
    expect(switch).to_have_text("UTC")
    assert shown(page) == seen[1]


def test_zones_that_are_the_same_are_one_choice(scene, zoned, settings):
    scene.pending(A)
    settings.TIME_ZONE = "Etc/UTC"
    expect(zoned("UTC", PENDING).locator("#zone")).to_be_disabled()
    settings.TIME_ZONE = "Europe/Berlin"
    page = zoned("Europe/Vienna", PENDING)
    switch = page.locator("#zone")
    expect(switch).to_contain_text("Berlin")
    switch.click()
    expect(switch).to_have_text("UTC")
    switch.click()
    expect(switch).to_contain_text("Berlin")


INSTANTS = [
    -62_135_596_800_000, -2_208_988_800_000, -1, 0, 1_793_505_600_000, 1_793_509_200_000,
    1_793_514_600_007, 1_782_907_200_000, 253_402_300_799_999,
]  # fmt: skip


ADD_TIMES = """(instants) => {
  for (const ms of instants) {
    const time = document.createElement("time");
    time.dataset.ms = ms;
    time.append(document.createElement("span"));
    time.firstChild.className = "exact";
    document.getElementById("main").append(time);
  }
}"""


@pytest.mark.parametrize("zone", [KATHMANDU, ST_JOHNS, "Australia/Lord_Howe", "Europe/London"])
def test_the_script_writes_what_the_server_would_write(scene, zoned, settings, zone):
    scene.pending(A)
    page = zoned(zone, PENDING)
    page.keyboard.press("p")
    page.evaluate(ADD_TIMES, INSTANTS)
    page.locator("#zone").click()
    settings.TIME_ZONE = zone
    now_ms = scene.now_ms()
    for ms in INSTANTS:
        found = page.locator(f'time[data-ms="{ms}"]')
        expect(found).to_have_attribute("title", times.exact(ms))
        expect(found.locator(".exact")).to_have_text(times.clock(times.instant(ms), now_ms))


def test_the_script_keeps_the_day_of_a_time_of_today_where_the_server_has_written_it(
    scene, zoned, settings
):
    scene.pending(A)
    page = zoned(KATHMANDU, PENDING)
    page.keyboard.press("p")
    now_ms = scene.now_ms()
    page.evaluate(ADD_TIMES, [now_ms])
    time = page.locator(f'time[data-ms="{now_ms}"]')
    time.evaluate("time => { time.dataset.day = ''; }")
    page.locator("#zone").click()
    settings.TIME_ZONE = KATHMANDU
    said = times.clock(times.instant(now_ms), now_ms, has_day=True)
    expect(time.locator(".exact")).to_have_text(said)


def test_the_texts_of_the_console_are_those_of_the_server(scene, zoned, settings):
    settings.TIME_ZONE = ST_JOHNS
    scene.pending(A)
    page = zoned(KATHMANDU, PENDING)
    first = page.locator("td time").first
    ms = int(first.get_attribute("data-ms"))
    for _ in range(2):
        expect(first).to_have_attribute("title", times.exact(ms))
        for _ in range(3):
            page.locator("#zone").click()


@pytest.mark.parametrize("wrong", [timedelta(minutes=10), timedelta(minutes=-10)])
def test_a_browser_whose_clock_is_wrong_counts_by_that_of_the_server(desk, scene, wrong):
    scene.active(A, 55_000)
    scene.active(B, -5_000)
    made = desk()
    made.context.clock.install(time=datetime.now(UTC) + wrong)
    made.sign_in("olena", PASSWORD)
    page = made.page
    page.goto(ACTIVE)
    row = page.locator("tr[data-row]")
    expect(row.filter(has_text=A).locator(".lease b")).to_have_text(re.compile(r"^\d+\.\d s$"))
    expect(row.filter(has_text=B).locator(".lease b")).to_have_text(re.compile(r"^\+\d+\.\d s$"))
    page.goto("/q/prod/orders/sweep")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(B)


def test_the_moment_of_a_silence_is_told_by_a_right_clock(desk, scene, settings):
    scene.pending(A)
    made = desk()
    made.expects_failures = True
    made.context.clock.install(time="2031-01-01T00:00:00Z")
    made.sign_in("olena", PASSWORD)
    made.page.goto(PENDING)
    started = datetime.now(UTC)
    settings.EMQ_SERVERS = "prod=redis://127.0.0.1:1/0"
    strip = made.page.locator("#strip")
    run_until_visible(strip.get_by_text("Stale since"))
    said = re.search(r"since (\d\d:\d\d:\d\d) UTC", strip.inner_text())[1]
    moment = datetime.combine(started, datetime.strptime(said, "%H:%M:%S").time(), UTC)
    assert abs(moment - started) < timedelta(minutes=2) or abs(moment - started) > timedelta(
        hours=23
    )


def test_a_typed_time_is_meant_on_the_clocks_that_are_shown(scene, zoned, settings):
    settings.TIME_ZONE = ST_JOHNS
    scene.pending(A)
    page = zoned(KATHMANDU, PENDING)
    page.locator("#zone").click()
    page.locator("#zone").click()
    expect(page.locator(".tools [data-zone]")).to_have_text("UTC+05:45")
    page.locator("#at").fill("2026-01-01 12:00")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"\?at=2026-01-01\+06%3A15%3A00(\.000)?Z$"))
    expect(page.locator(".tools")).to_contain_text("minted 2026-01-01 12:00:00.000 UTC+05:45")
    page.locator("#zone").click()
    expect(page.locator(".tools")).to_contain_text("minted 2026-01-01 02:45:00.000 UTC−03:30")


def test_the_offset_of_a_page_left_open_follows_the_clocks(scene, zoned, settings):
    settings.TIME_ZONE = ST_JOHNS
    page = zoned(KATHMANDU, "/")
    expect(page.locator("#zone")).to_contain_text("St Johns, UTC−")
    settings.TIME_ZONE = "Asia/Tokyo"
    expect(page.locator("#zone [data-zone]")).to_have_text("UTC+09:00")
