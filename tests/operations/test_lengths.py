"""Lengths of time as people type them into a form or a command."""

from __future__ import annotations

import pytest

from echomq_admin.fleet.spans import exact_span, read_span
from echomq_admin.operations.arguments import Length
from echomq_admin.operations.refusals import Invalid

LEASE = Length("lease_ms", "Lease", "how long", high=604_800_000)


@pytest.mark.parametrize(
    ("typed", "ms"),
    [
        ("5 min", 300_000),
        ("90s", 90_000),
        (" 1 H 30  min ", 5_400_000),
        ("1.5 h", 5_400_000),
        ("300,000 ms", 300_000),
        ("300000", 300_000),
        (1, 1),
        ("1 w", 604_800_000),
    ],
)
def test_a_length_is_read_as_ms(typed, ms):
    assert LEASE.clean(typed) == ms


@pytest.mark.parametrize("typed", ["", "soon", "5 parsecs", "min", "5 min 3", True, None, 1.5])
def test_what_is_no_length_is_refused(typed):
    with pytest.raises(
        Invalid, match=r"Lease is a length such as 5 min, 90 s, or a number of ms\."
    ):
        LEASE.clean(typed)


@pytest.mark.parametrize("typed", ["0", "-3", "8 d", 604_800_001, "999999999999999 w"])
def test_a_length_out_of_range_is_refused(typed):
    with pytest.raises(Invalid, match=r"Lease must be from 1 ms to 7 d\."):
        LEASE.clean(typed)


@pytest.mark.parametrize("ms", [1, 999, 30_000, 90_500, 3_605_000, 90_061_000, 604_800_000])
def test_a_length_is_said_so_that_it_reads_as_the_same(ms):
    assert read_span(exact_span(ms)) == ms
