"""Instants and spans in words."""

from __future__ import annotations

import math

import pytest

from echomq_admin.console import times
from echomq_admin.fleet.spans import span
from tests.console.scene import tags, text

NOON = 1_767_268_800_000  # 2026-01-01 12:00 UTC


@pytest.mark.parametrize(
    ("left_ms", "said"),
    [
        (12_345, "12.3 s"),
        (99, "0.0 s"),
        (0, "+0.0 s"),
        (-41_250, "+41.2 s"),
        (59_999, "59.9 s"),
        (60_000, "1:00.0"),
        (95_300, "1:35.3"),
        (3_600_000, "1:00:00"),
        (-3_725_900, "+1:02:05"),
        (90_000_000, "1 d 1 h"),
        (math.inf, "no end"),
        (-math.inf, "+ for ever"),
    ],
)
def test_a_countdown_is_exact_to_a_tenth_and_counts_up_past_the_deadline(left_ms, said):
    assert times.countdown(left_ms) == said


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (0, "under 1 s"),
        (999, "under 1 s"),
        (12_000, "12 s"),
        (60_000, "1 min"),
        (250_000, "4 min 10 s"),
        (3_600_000, "1 h"),
        (3_605_000, "1 h"),
        (273_600_000, "3 d 4 h"),
        (-5_000, "5 s"),
        (math.inf, "for ever"),
    ],
)
def test_a_span_has_its_two_largest_units(ms, said):
    assert span(ms) == said


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (NOON, "just now"),
        (NOON - 999, "just now"),
        (NOON - 4_000, "4 s ago"),
        (NOON + 4_000, "in 4 s"),
        (NOON + 999, "in under 1 s"),
        (NOON - 7_300_000, "2 h ago"),
        (NOON + 86_400_000, "in 1 d"),
        (NOON + 172_200_000, "in 1 d 23 h"),
        (NOON - 950_000_000, "10 d ago"),
    ],
)
def test_an_instant_is_said_from_now(ms, said):
    assert times.ago(ms, NOON) == said


def test_what_is_due_at_this_instant_has_not_happened_yet():
    assert times.ago(NOON - 500, NOON, is_due=True) == "due now"
    assert times.ago(NOON - 4_000, NOON, is_due=True) == "4 s ago"


def test_an_instant_is_never_shown_by_its_relative_text_alone():
    html = times.when(NOON - 4_000, NOON)
    assert "4 s ago" in html
    assert "11:59:56" in html
    assert 'title="2026-01-01 11:59:56.000 UTC"' in html
    assert 'datetime="2026-01-01T11:59:56.000Z"' in html


def test_an_instant_among_those_of_any_day_has_its_date_today_too():
    html = times.with_day(NOON, NOON)
    assert ">2026-01-01 12:00<" in html
    assert "data-day" in html
    assert "no date" in times.with_day(1e300, NOON)


def test_an_instant_of_another_day_has_its_date():
    assert "2025-12-31 12:00" in times.when(NOON - 86_400_000, NOON)


@pytest.mark.parametrize("ms", [1e308, math.inf, -math.inf, 253_402_300_800_000, -1e15])
def test_an_instant_that_no_calendar_holds_is_said_to_be_none(ms):
    assert "no date" in times.when(ms, NOON)


def test_an_id_without_an_instant_is_unknown():
    assert "?" in times.when(None, NOON)


SUMMER = 1_782_907_200_000  # 2026-07-01 12:00 UTC
ST_JOHNS, KATHMANDU = "America/St_Johns", "Asia/Kathmandu"


@pytest.mark.parametrize(
    ("zone", "ms", "said"),
    [
        (ST_JOHNS, NOON, "2026-01-01 08:30:00.000 UTC−03:30 (2026-01-01 12:00:00.000 UTC)"),
        (ST_JOHNS, SUMMER, "2026-07-01 09:30:00.000 UTC−02:30 (2026-07-01 12:00:00.000 UTC)"),
        (KATHMANDU, NOON + 7, "2026-01-01 17:45:00.007 UTC+05:45 (2026-01-01 12:00:00.007 UTC)"),
        ("Europe/London", NOON, "2026-01-01 12:00:00.000 UTC+00:00 (2026-01-01 12:00:00.000 UTC)"),
        ("Etc/UTC", NOON, "2026-01-01 12:00:00.000 UTC"),
    ],
)
def test_an_exact_instant_is_said_in_the_zone_of_the_console_and_in_utc(settings, zone, ms, said):
    settings.TIME_ZONE = zone
    assert times.exact(ms) == said


@pytest.mark.parametrize(
    ("zone", "first_ms", "step_min", "clocks"),
    [
        # Clocks go back from 2:00 to 1:00, so half past one comes twice.
        (
            ST_JOHNS,
            1_793_505_600_000,
            30,
            ["01:30:00 −02:30", "01:00:00", "01:30:00", "02:00:00"],
        ),
        # Clocks go on from 2:00 to 3:00.
        ("Europe/Berlin", 1_774_744_200_000, 30, ["01:30:00 +01:00", "03:00:00", "03:30:00"]),
    ],
)
def test_in_a_night_of_change_no_two_instants_look_alike(
    settings, zone, first_ms, step_min, clocks
):
    settings.TIME_ZONE = zone
    instants = [first_ms + at * step_min * 60_000 for at in range(len(clocks))]
    now_ms = instants[-1]
    assert [times.clock(times.instant(ms), now_ms) for ms in instants] == clocks
    assert len({times.exact(ms) for ms in instants}) == len(instants)


def test_today_is_the_day_of_the_zone(settings):
    settings.TIME_ZONE = KATHMANDU
    midnight = NOON + (6 * 60 + 15) * 60_000
    assert times.clock(times.instant(midnight), midnight) == "00:00:00"
    assert times.clock(times.instant(midnight - 1), midnight) == "2026-01-01 23:59"


def test_the_time_since_an_instant_is_the_same_in_every_zone(settings):
    said = set()
    for settings.TIME_ZONE in ("UTC", ST_JOHNS, KATHMANDU):
        said.add(times.when(NOON - 4_000, NOON).split(">")[1].split("<")[0])
    assert said == {"4 s ago"}


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (-62_135_596_800_000, "0001-01-01 00:00:00.000 UTC"),
        (253_402_300_799_999, "9999-12-31 23:59:59.999 UTC"),
        (-1, "1969-12-31 23:59:59.999 UTC"),
        (0.9, "1970-01-01 00:00:00.000 UTC"),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", ST_JOHNS, KATHMANDU])
def test_the_first_and_the_last_instant_are_said_in_every_zone(settings, zone, ms, said):
    settings.TIME_ZONE = zone
    assert said in times.exact(ms)
    assert "data-ms" in times.when(ms, NOON)


@pytest.mark.parametrize("ms", [math.nan, math.inf, 1e308, 1e18])
def test_a_score_that_is_no_instant_is_none(ms):
    assert times.instant(ms) is None


@pytest.mark.parametrize(
    ("zone", "name", "city", "word"),
    [
        ("UTC", "UTC", "", "UTC"),
        ("Etc/UTC", "UTC", "", "UTC"),
        (ST_JOHNS, ST_JOHNS, "St Johns", "UTC−03:30"),
        (KATHMANDU, KATHMANDU, "Kathmandu", "UTC+05:45"),
        ("Etc/GMT+5", "Etc/GMT+5", "GMT+5", "UTC−05:00"),
    ],
)
def test_a_zone_has_a_name_a_place_and_an_offset(settings, zone, name, city, word):
    settings.TIME_ZONE = zone
    assert times.zone_name() == name
    assert times.zone_city() == city
    assert times.zone_offset(times.instant(NOON)) == word


def test_the_pages_state_their_zone(settings, scene, browser):
    settings.TIME_ZONE = KATHMANDU
    scene.dead("JOB0KHTOWnGLuA")
    html = browser("viewer").get("/q/prod/orders/dead").content.decode()
    said = text(html)
    assert "Kathmandu, UTC+05:45" in said
    assert "server clock" in said
    assert said.count("UTC+05:45") == 3
    assert "UTC+05:45 Go" in said
    assert "UTC+05:45 (" in next(a["title"] for tag, a in tags(html) if tag == "time")
