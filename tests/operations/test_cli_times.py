"""Spans and instants on the command line."""

import math

import pytest

from echomq_admin.fleet.spans import span
from echomq_admin.operations.cli import times


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (0, "under 1 s"),
        (999, "under 1 s"),
        (12_000, "12 s"),
        (-186_371, "3 min 6 s"),
        (120_000, "2 min"),
        (3_600_000, "1 h"),
        (3_605_000, "1 h"),
        (90_061_000, "1 d 1 h"),
    ],
)
def test_a_span_has_two_units_at_most(ms, said):
    assert span(ms) == said


def test_an_instant_keeps_its_number():
    assert times.exact(1_795_972_079_117) == "2026-11-29 17:07:59 UTC (1795972079117)"
    assert times.exact(1e17) == "100000000000000000 ms"


@pytest.mark.parametrize(
    ("phase", "remaining_ms", "said"),
    [
        ("lapsed", -186_371.0, "lapsed 3 min 6 s ago"),
        ("lapsed", -math.inf, "lapsed"),
        ("live", 12_000.0, "live, ends in 12 s"),
        ("live", math.inf, "live, no end"),
        ("expiring", 5_000.0, "expiring, ends in 5 s"),
    ],
)
def test_a_lease_says_what_is_left_of_it(phase, remaining_ms, said):
    assert times.lease(phase, remaining_ms) == said


@pytest.mark.parametrize(
    ("at_ms", "said"),
    [
        (60_000.0, "due in 50 s, 1970-01-01 00:01:00 UTC (60000)"),
        (4_000.0, "due for 6 s, 1970-01-01 00:00:04 UTC (4000)"),
        (math.inf, "never due"),
        (-math.inf, "due"),
    ],
)
def test_a_scheduled_job_says_when_it_is_due(at_ms, said):
    assert times.due(at_ms, 10_000) == said
