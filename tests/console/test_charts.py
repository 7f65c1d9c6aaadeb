"""The layout of the lease timeline."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_admin.console.charts import HEIGHT, timeline
from echomq_admin.emq.reads import Bin, Marks

PHASES = st.sampled_from(["lapsed", "expiring", "live"])
REMAINING = st.floats(-1e9, 1e9) | st.sampled_from([math.inf, -math.inf])


def marks(points=(), bins=(), **numbers) -> Marks:
    values = {"from_ms": -60_000, "to_ms": 30_000, "lapsed": 0, "expiring": 0, "later": 0} | numbers
    return Marks(points=tuple(points), bins=tuple(bins), **values)


def test_a_mark_has_the_shape_of_its_phase_and_its_side_of_now():
    drawn = timeline(marks([(-10_000.0, "lapsed"), (3_000.0, "expiring"), (20_000.0, "live")]))
    wide = drawn.drawings[0]
    lapsed, expiring, live = (
        float(re.match(r"M(-?[\d.]+)", wide.paths[phase])[1])
        for phase in ("lapsed", "expiring", "live")
    )
    assert lapsed < wide.now_x < expiring < live


def test_marks_at_one_instant_are_stacked_inside_the_picture():
    wide = timeline(marks([(1_000.0, "live")] * 250)).drawings[0]
    heights = [float(y) for y in re.findall(r"M[\d.-]+ ([\d.-]+)h", wide.paths["live"])]
    assert len(set(heights)) > 10
    assert all(0 <= y <= HEIGHT for y in heights)


def test_bins_become_bars_and_rows():
    bins = (
        Bin(-math.inf, -60_000, 4),
        Bin(-60_000, 0, 2),
        Bin(0, 7_000, 0),
        Bin(7_000, math.inf, 9),
        Bin(6_000, 7_500, 1),
    )
    drawn = timeline(marks(bins=bins, lapsed=6, later=9))
    assert drawn.binned
    assert drawn.rows == (
        ("more than 1 min ago", "lapsed", 4),
        ("−1 min to now", "lapsed", 2),
        ("more than 7 s from now", "live", 9),
        ("+6 s to +7.5 s", "expiring or live", 1),
    )
    assert "nan" not in "".join(drawn.drawings[0].paths.values())


def test_the_rows_behind_the_picture_count_every_lease():
    points = [(-70_000.0, "lapsed"), (-1.0, "lapsed"), (5.0, "expiring"), (math.inf, "live")]
    drawn = timeline(marks(points, lapsed=2, expiring=1, later=1))
    assert sum(count for _, _, count in drawn.rows) == 4
    assert drawn.earlier == "1 lapsed earlier, over 1 min ago"
    assert drawn.later == "1 later, in over 30 s"


def test_without_leases_there_is_a_picture_of_none():
    drawn = timeline(marks())
    assert drawn.rows == ()
    assert drawn.summary == "0 leases: 0 lapsed, 0 within 7 s, 0 later"


def test_one_bar_of_thousands_leaves_the_small_ones_to_be_seen():
    bins = (Bin(-math.inf, -60_000, 17_000), Bin(-1_000, 0, 40), Bin(0, 1_000, 20_000),
            Bin(1_000, 2_000, 1), Bin(30_000, math.inf, 9_000))  # fmt: skip
    drawn = timeline(marks(bins=bins))
    paths = "".join(drawn.drawings[0].paths.values())
    heights = sorted(float(height) for height in re.findall(r"v-([\d.]+)", paths))
    assert len(heights) == 3
    assert heights[0] >= 3
    assert drawn.earlier.startswith("17,000 lapsed earlier")
    assert drawn.later.startswith("9,000 later")


@pytest.mark.parametrize("length_ms", [1_000, 90_000, 3_600_000, 86_400_000, 31_536_000_000])
def test_every_tick_says_its_unit(length_ms):
    drawn = timeline(marks(from_ms=-length_ms, to_ms=length_ms))
    labels = {label for drawing in drawn.drawings for _, label, _ in drawing.ticks}
    assert len(labels) > 2
    assert all(re.fullmatch(r"now|[−+]\d+ (s|min|h|d)( \d+ (s|min|h))?", x) for x in labels)


@given(
    st.lists(st.tuples(REMAINING, PHASES), max_size=60),
    st.integers(-(10**9), 0),
    st.integers(1, 10**9),
)
def test_every_mark_lies_in_the_picture(points, from_ms, to_ms):
    drawn = timeline(marks(points, from_ms=from_ms, to_ms=to_ms))
    for drawing in drawn.drawings:
        xs = [float(x) for path in drawing.paths.values() for x in re.findall(r"M(-?[\d.]+)", path)]
        assert all(-5 <= x <= drawing.width + 5 for x in xs)
        assert len(xs) == sum(1 for at, _ in points if from_ms <= at <= to_ms)
        assert len(drawing.ticks) <= drawing.width // 60
    assert sum(count for _, _, count in drawn.rows) == len(points)
