"""Instants and spans in words."""

from __future__ import annotations

import math

import pytest

from echomq_admin.console import times
from echomq_admin.fleet.spans import span

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
        (NOON - 7_300_000, "2 h ago"),
    ],
)
def test_an_instant_is_said_from_now(ms, said):
    assert times.ago(ms, NOON) == said


def test_an_instant_is_never_shown_by_its_relative_text_alone():
    html = times.when(NOON - 4_000, NOON)
    assert "4 s ago" in html
    assert "11:59:56" in html
    assert 'title="2026-01-01 11:59:56.000 UTC"' in html
    assert 'datetime="2026-01-01T11:59:56.000Z"' in html


def test_an_instant_of_another_day_has_its_date():
    assert "2025-12-31 12:00" in times.when(NOON - 86_400_000, NOON)


@pytest.mark.parametrize("ms", [1e308, math.inf, -math.inf, 253_402_300_800_000, -1e15])
def test_an_instant_that_no_calendar_holds_is_said_to_be_none(ms):
    assert "no date" in times.when(ms, NOON)


def test_an_id_without_an_instant_is_unknown():
    assert "?" in times.when(None, NOON)
