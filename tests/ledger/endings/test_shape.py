"""Endings over time and what stalls most: exact while few match, by tallies or in bounds beyond."""

from __future__ import annotations

from itertools import pairwise

import pytest

from echomq_admin.ledger.endings import shape
from echomq_admin.ledger.endings.models import SLOT_MS, EndingKind, Source
from echomq_admin.ledger.endings.shape import HOUR_MS, MOST_BARS, Shape
from echomq_admin.ledger.endings.sieve import Filter
from tests.ledger.endings.made import NOON, ending

pytestmark = pytest.mark.django_db
MIN, DAY = 60_000, 86_400_000
HOUR = Filter(since_ms=NOON, until_ms=NOON + HOUR_MS)


def counted(found: Shape) -> dict[int, dict[EndingKind, int]]:
    """What each bar counts in which something ended, by where it begins."""
    return {bar.from_ms: dict(bar.counts) for bar in found.bars if bar.total}


def test_endings_are_counted_by_time_and_kind():
    ending("A", EndingKind.DEAD, NOON)
    ending("B", EndingKind.REAPED, NOON + 59_999)
    ending("C", EndingKind.DEAD, NOON + 1_000)
    ending("D", EndingKind.DEAD, NOON + MIN)
    found = shape.shape(HOUR, NOON + HOUR_MS)
    assert (len(found.bars), found.step_ms, found.looked) == (60, MIN, 4)
    assert counted(found) == {
        NOON: {EndingKind.DEAD: 2, EndingKind.REAPED: 1},
        NOON + MIN: {EndingKind.DEAD: 1},
    }
    assert (found.is_tallied, found.bars_from_ms, found.tops_from_ms) == (False, None, None)


@pytest.mark.parametrize(
    "length", [1, 999, 5_000, 61_000, HOUR_MS, 7 * DAY, 400 * DAY, 9_000 * DAY]
)
@pytest.mark.parametrize("start", [0, 1, 1_234_567])
def test_the_bars_cover_the_range_and_no_more_and_are_few(length, start):
    since = NOON + start
    ending("A", at_ms=since)
    bars = shape.shape(Filter(since_ms=since, until_ms=since + length), NOON + 10_000 * DAY).bars
    assert len(bars) <= MOST_BARS
    assert (bars[0].from_ms, bars[-1].to_ms) == (since, since + length)
    assert all(one.to_ms == other.from_ms for one, other in pairwise(bars))
    assert bars[0].total == 1


def test_without_a_range_the_bars_go_from_the_first_ending_to_now():
    ending("A", at_ms=NOON - 40 * MIN)
    found = shape.shape(Filter(), NOON)
    assert found.bars[0].from_ms <= NOON - 40 * MIN < found.bars[0].to_ms
    assert found.bars[-1].from_ms < NOON <= found.bars[-1].to_ms


def test_what_a_clock_put_into_the_future_has_its_bar():
    ending("A", at_ms=NOON + 30 * MIN)
    assert sum(bar.total for bar in shape.shape(Filter(), NOON).bars) == 1


def test_where_nothing_ended_there_are_no_bars():
    assert shape.shape(Filter(), NOON) == Shape()
    ending("A")
    assert shape.shape(Filter(kind=EndingKind.DEAD), NOON).bars == ()
    assert shape.shape(Filter(since_ms=NOON + 5, until_ms=NOON + 1), NOON).bars == ()


def test_jobs_lanes_and_hours_that_stall_most_are_told_with_their_queue():
    for at in range(4):
        ending("A", EndingKind.DEAD, NOON + at, queue="a\udcff", lane="l\udcff", attempts=at)
    for at in range(2):
        ending("A", EndingKind.RECOVERED, NOON + 2 * HOUR_MS + at, queue="b", lane="x", attempts=at)
    for at in range(9):
        ending("B", EndingKind.REAPED, NOON + 5 * HOUR_MS, lane="y", attempts=at)
    found = shape.shape(Filter(), NOON)
    jobs = [(one.count, one.queue, one.job_id) for one in found.jobs]
    assert jobs == [(4, "a\udcff", "A"), (2, "b", "A")]
    assert [(one.count, one.queue, one.lane) for one in found.lanes] == [
        *((4, "a\udcff", "l\udcff"), (2, "b", "x")),
    ]
    assert [(one.count, one.from_ms) for one in found.hours] == [
        *((4, NOON), (2, NOON + 2 * HOUR_MS)),
    ]


def test_of_a_kind_that_is_asked_for_that_kind_is_counted():
    ending("B", EndingKind.REAPED)
    ending("C", EndingKind.DEAD)
    found = shape.shape(Filter(kind=EndingKind.REAPED), NOON)
    assert [one.job_id for one in found.jobs] == ["B"]


def test_the_first_five_are_told():
    for job in range(8):
        for at in range(job + 1):
            ending(f"J{job}", EndingKind.DEAD, attempts=at)
    assert [one.count for one in shape.shape(Filter(), NOON).jobs] == [8, 7, 6, 5, 4]


@pytest.fixture
def few(monkeypatch) -> None:
    """Only ten endings are looked at."""
    monkeypatch.setattr(shape, "LOOKED", 10)


def spread(count: int, **fields: object) -> None:
    """Endings a minute apart, the newest at noon."""
    for at in range(count):
        ending(f"J{at}", at_ms=NOON - at * MIN, **fields)


def test_beyond_the_bound_tallies_tell_all_of_them(few):
    spread(30)
    spread(30, queue="other", kind=EndingKind.DEAD)
    found = shape.shape(Filter(), NOON)
    assert (found.is_tallied, found.bars_from_ms, found.step_ms % SLOT_MS) == (True, None, 0)
    assert sum(bar.total for bar in found.bars) == 60
    assert (found.looked, found.tops_from_ms) == (10, NOON - 4 * MIN)
    assert sum(one.count for one in found.jobs) <= 10
    assert sum(one.count for one in found.hours) == 60


def test_what_was_found_dead_is_no_death_of_that_time_and_of_no_hour():
    ending("A", EndingKind.DEAD, NOON)
    ending("B", EndingKind.DEAD, NOON, source=Source.FOUND)
    ending("C", EndingKind.FAILED, NOON, source=Source.FOUND)
    found = shape.shape(HOUR, NOON + HOUR_MS)
    assert counted(found) == {NOON: {EndingKind.DEAD: 1, shape.FOUND: 2}}
    assert [(one.count, one.from_ms) for one in found.hours] == [(1, NOON)]
    assert len(found.jobs) == 2


@pytest.mark.parametrize(
    ("wanted", "dead", "found_dead"),
    [
        (Filter(), 30, 30),
        (Filter(kind=EndingKind.DEAD), 30, 15),
        (Filter(server="prod", queue="orders"), 30, 15),
        (Filter(server="dev"), 0, 15),
        (Filter(since_ms=NOON - 19 * MIN, until_ms=NOON + MIN), 21, 30),
    ],
)
def test_tallies_tell_what_was_found_dead_apart_too(few, wanted, dead, found_dead):
    spread(30, kind=EndingKind.DEAD)
    for at in range(15):
        ending(f"F{at}", EndingKind.DEAD, source=Source.FOUND)
        ending(f"G{at}", EndingKind.FAILED, source=Source.FOUND, server="dev")
    found = shape.shape(wanted, NOON)
    bars = {
        kind: sum(bar.counts.get(kind, 0) for bar in found.bars)
        for kind in (EndingKind.DEAD, EndingKind.FAILED, shape.FOUND)
    }
    assert bars == {EndingKind.DEAD: dead, EndingKind.FAILED: 0, shape.FOUND: found_dead}
    assert sum(one.count for one in found.hours) == dead


def test_of_many_that_were_found_dead_the_bars_begin_where_they_are_counted(few, monkeypatch):
    monkeypatch.setattr(shape, "TALLIES", 4)
    for at in range(12):
        ending(f"F{at}", EndingKind.DEAD, NOON - at * 30 * MIN, source=Source.FOUND)
    found = shape.shape(Filter(), NOON)
    assert found.bars_from_ms is not None
    assert {kind for bar in found.bars for kind, n in bar.counts.items() if n} == {shape.FOUND}


NARROWED = {
    "server": (Filter(server="dev"), 15),
    "queue": (Filter(server="dev", queue="b"), 15),
    "kind": (Filter(kind=EndingKind.DEAD), 15),
    "time": (Filter(since_ms=NOON - 20 * MIN, until_ms=NOON + SLOT_MS), 36),
    "no such time": (Filter(since_ms=NOON - 900 * MIN, until_ms=NOON - 890 * MIN), 0),
}


@pytest.mark.parametrize("name", NARROWED)
def test_tallies_are_sifted(few, name):
    wanted, count = NARROWED[name]
    spread(30)
    spread(15, server="dev", queue="b", kind=EndingKind.DEAD)
    ending("x", at_ms=NOON - 600 * MIN, server="third", queue="c", kind=EndingKind.REAPED)
    found = shape.shape(wanted, NOON)
    assert found.is_tallied == (count > 0)
    assert sum(bar.total for bar in found.bars) == count


@pytest.mark.parametrize(
    "wanted",
    [Filter(lane="room"), Filter(job_id="J"), Filter(source=Source.OBSERVER), Filter(text="boom")],
)
def test_what_no_tally_tells_apart_is_counted_of_the_newest_and_says_so(few, wanted):
    for at in range(30):
        ending("J", at_ms=NOON - at * MIN, attempts=at, lane="room", error=b"Boom")
    found = shape.shape(wanted, NOON)
    assert (found.is_tallied, found.bars_from_ms, found.looked) == (False, NOON - 9 * MIN, 10)
    assert sum(bar.total for bar in found.bars) == 10
    assert found.bars[0].from_ms <= NOON - 9 * MIN < found.bars[0].to_ms


def test_of_many_tallies_the_newest_are_read_and_it_says_since_when(few, monkeypatch):
    monkeypatch.setattr(shape, "TALLIES", 4)
    for at in range(40):
        ending(f"J{at}", at_ms=NOON - at * MIN)
    found = shape.shape(Filter(), NOON)
    assert found.is_tallied
    assert found.bars_from_ms == NOON - 15 * MIN
    assert sum(bar.total for bar in found.bars) == 16


def test_a_text_of_an_error_sifts_what_is_counted():
    ending("A", EndingKind.DEAD, error=b"Boom")
    ending("B", EndingKind.DEAD, error=b"other")
    found = shape.shape(Filter(text="bOOm"), NOON + 1)
    assert ([one.job_id for one in found.jobs], found.looked) == (["A"], 1)
