"""Typed times: what is read, in which zone, and what is refused."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from echomq_admin.fleet import moments

# Sunday, 2026-11-29 13:07:21.400 UTC
NOW = 1_795_957_641_400
MIDNIGHT = 1_795_910_400_000
HOUR = 3_600_000


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2026-11-29 13:00", MIDNIGHT + 13 * HOUR),
        ("2026-11-29 13:00:05", MIDNIGHT + 13 * HOUR + 5_000),
        ("2026-11-29 13:00:05.25", MIDNIGHT + 13 * HOUR + 5_250),
        ("2026-11-29T13:00:05.250Z", MIDNIGHT + 13 * HOUR + 5_250),
        ("  2026-11-29   13:00 utc ", MIDNIGHT + 13 * HOUR),
        ("2026-11-29 13:00+02:00", MIDNIGHT + 11 * HOUR),
        ("2026-11-29", MIDNIGHT),
        ("0001-01-01 00:00", -62_135_596_800_000),
        ("1795957641400", NOW),
        ("0", 0),
        ("-1", -1),
        ("253402300800000", 253_402_300_800_000),
    ],
)
def test_a_text_that_names_its_day_means_the_same_at_all_times(text, ms):
    assert moments.read(text, NOW) == moments.Moment(ms, moves=False)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("13:00", MIDNIGHT + 13 * HOUR),
        ("9:05", MIDNIGHT + 9 * HOUR + 300_000),
        ("13:00:05.2", MIDNIGHT + 13 * HOUR + 5_200),
        ("now", NOW),
        ("2 h ago", NOW - 400 - 2 * HOUR),
        ("2h ago", NOW - 400 - 2 * HOUR),
        ("1.5 hours ago", NOW - 400 - HOUR - HOUR // 2),
        ("In 10 Min", NOW - 400 + 600_000),
        ("in 1 d", NOW - 400 + 24 * HOUR),
        ("yesterday", MIDNIGHT - 24 * HOUR),
        ("Yesterday 13:00", MIDNIGHT - 11 * HOUR),
        ("today 9:05", MIDNIGHT + 9 * HOUR + 300_000),
        ("tomorrow at 13:00", MIDNIGHT + 37 * HOUR),
        ("500 ms ago", NOW - 500),
        ("1 week ago", NOW - 400 - 7 * 24 * HOUR),
    ],
)
def test_a_text_that_counts_from_now_is_settled_to_one_that_does_not(text, ms):
    found = moments.read(text, NOW)
    assert found == moments.Moment(ms, moves=True)
    assert moments.read(str(found), NOW + 10**9) == moments.Moment(ms, moves=False)


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "yesterday 25:00", "25:00", "13:60", "2026-13-01", "2026-02-30 10:00",
        "2026-11-29 25:00", "2 ago", "h ago", "in h", "in 2 fortnights",
        "in 999999999 weeks", "1e9", "nan", "٣:٠٠",
        "13:00 yesterday", "<b>13:00</b>", "12345678901234567890", "x" * 5_000,
        "0001-01-01 00:00+14:0",
        "2026-11-29 13:00 Mars", "\x00", "2026-11-29T",
    ],
    ids=ascii,
)  # fmt: skip
def test_what_is_no_time_is_refused_with_a_sentence(text):
    with pytest.raises(ValueError, match=r"^[“A-Z].*\.\Z") as refused:
        moments.read(text, NOW)
    assert len(str(refused.value)) < 250


def test_a_text_without_a_zone_is_meant_in_the_zone_of_the_console(settings):
    settings.TIME_ZONE = "America/St_Johns"
    assert moments.read("2026-11-29 13:00", NOW).ms == MIDNIGHT + 16 * HOUR + HOUR // 2
    assert moments.read("9:30", NOW).ms == MIDNIGHT + 13 * HOUR
    assert moments.read("2026-11-29 13:00Z", NOW).ms == MIDNIGHT + 13 * HOUR
    # Half past midnight in UTC is still the day before over there.
    assert moments.read("23:00", MIDNIGHT + HOUR // 2).ms == MIDNIGHT + 2 * HOUR + HOUR // 2


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2026-11-29 13:00", MIDNIGHT + 13 * HOUR - 345 * HOUR // 60),
        ("2026-11-29 13:00Z", MIDNIGHT + 13 * HOUR),
        ("2026-11-29 13:00+02:00", MIDNIGHT + 11 * HOUR),
    ],
)
def test_a_clock_time_is_meant_in_the_zone_that_it_was_typed_in(settings, text, ms):
    settings.TIME_ZONE = "America/St_Johns"
    found = moments.read(text, NOW, ZoneInfo("Asia/Kathmandu"))
    assert found == moments.Moment(ms, moves=True)


@pytest.mark.parametrize(
    ("text", "ahead", "hours"),
    [
        ("13:00", True, 37), ("14:00", True, 14), ("13:00", False, 13), ("14:00", False, -10),
        ("13:00", None, 13), ("today 13:00", True, 13), ("tomorrow 13:00", False, 37),
    ],
)  # fmt: skip
def test_a_time_of_day_is_the_next_one_or_the_last(text, ahead, hours):
    assert moments.read(text, NOW, ahead=ahead).ms == MIDNIGHT + hours * HOUR


def test_a_settled_time_is_written_without_needless_digits():
    assert str(moments.read("in 6 h", NOW)) == "2026-11-29 19:07:21Z"


@pytest.mark.parametrize(("ahead", "hours"), [(False, -2), (True, 2)])
def test_a_span_alone_is_meant_in_the_direction_of_what_is_looked_at(ahead, hours):
    for text in ("2h", "2 h", "120 min"):
        assert moments.read(text, NOW, ahead=ahead).ms == NOW - 400 + hours * HOUR
    with pytest.raises(ValueError, match="no time that can be read"):
        moments.read("2h", NOW)


def test_what_cannot_be_read_is_told_without_what_would_turn_the_sentence_round():
    with pytest.raises(ValueError, match=r"“\\u202enoon” is no time"):
        moments.read("\u202enoon", 0)
