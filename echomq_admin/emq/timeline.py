"""Leases in flight: one page of them, and all of them as marks on a line of time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import redis

from .cursors import At
from .cuts import Cut
from .keyspace import Keyspace
from .pages import at_most, begin_rows
from .replies import Answer, Batch, now_ms
from .rows import Job

Phase = Literal["live", "expiring", "lapsed"]

EXPIRING_MS = 7_000
MAX_POINTS = 300
_PAST_BINS, _FUTURE_BINS = 20, 40
_DAY = 86_400
_STEPS_S = (10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600)
_STEPS_MS = tuple(1000 * s for s in (*_STEPS_S, *(_DAY * n for n in (1, 7, 30, 90, 365))))
# The axis reaches so many times as far as the nearer half of the leases.
_REACH = 6
_SAMPLES = 20
_INF = float("inf")


@dataclass(frozen=True)
class Lease:
    """A job in flight. `remaining_ms` is below zero past the deadline and may be infinite."""

    job: Job
    deadline_ms: float
    remaining_ms: float
    phase: Phase


@dataclass(frozen=True)
class Bin:
    """`count` leases with `from_ms` < remaining <= `to_ms`; the outermost reach to infinity."""

    from_ms: float
    to_ms: float
    count: int


@dataclass(frozen=True)
class Marks:
    """The lease timeline, in ms from now: `points` up to 300 leases, `bins` above, never both.

    `from_ms` < 0 < `to_ms` is the axis on which most of them can be told apart; points may lie
    outside of it.
    `lapsed`, `expiring` and `later` add up to all leases.
    """

    from_ms: int
    to_ms: int
    points: tuple[tuple[float, Phase], ...] = ()
    bins: tuple[Bin, ...] = ()
    lapsed: int = 0
    expiring: int = 0
    later: int = 0


@dataclass(frozen=True)
class ActivePage:
    """Leases in reading order; `previous` and `next` are cursors or `None`.

    `total` and `lapsed` count the whole set; both are `None`, and `fault` says why, when the
    key cannot be read. `at` is the instant at which the page was opened.
    """

    now_ms: int
    total: int | None
    lapsed: int | None
    leases: tuple[Lease, ...]
    marks: Marks
    previous: str | None
    next: str | None
    fault: str | None = None
    at: At | None = None


def phase_of(remaining_ms: float) -> Phase:
    """Which of the three a lease is in: lapsed from its deadline on, expiring 7 s before."""
    if remaining_ms <= 0:
        return "lapsed"
    return "expiring" if remaining_ms < EXPIRING_MS else "live"


def lease_of(job: Job, now: int) -> Lease:
    """A row of the active set, judged by the server's now."""
    deadline = job.score if job.score is not None else _INF
    return Lease(job, deadline, deadline - now, phase_of(deadline - now))


def active_page(
    client: redis.Redis,
    queue: str,
    limit: int = 25,
    cursor: str = "",
    *,
    descending: bool = False,
    at: At | None = None,
) -> ActivePage:
    """Leases by (deadline, id), with the timeline of all of them.

    `limit` and `cursor` as in `pages.pending_page`; `at` is a deadline.
    """
    keys = Keyspace(queue)
    cut = Cut(keys.active, at_most(limit), cursor, descending=descending, by_score=True, at=at)
    line = _Line(keys.active, cut)
    first, second, third = Batch(client), Batch(client), Batch(client)
    time = first.ask("time")
    cut.ask(first)
    first.run()
    now = now_ms(time)
    line.ask(second, now)
    rows = begin_rows(keys, cut, second, third)
    line.ask_bins(third, now)
    third.run()
    marks = line.marks(now)
    leases = tuple(lease_of(job, now) for job in rows.jobs())
    lapsed = None if cut.fault else marks.lapsed
    page = cut.page
    return ActivePage(
        now_ms=now,
        total=cut.total,
        lapsed=lapsed,
        leases=leases,
        marks=marks,
        previous=page.previous,
        next=page.next,
        fault=cut.fault,
        at=cut.opened_at,
    )


class _Line:
    """The timeline's share of the second and the third round trip.

    Up to 300 leases are points, unless their ids are so long that all of them are too much to
    fetch for their deadlines.
    """

    def __init__(self, key: bytes, cut: Cut) -> None:
        self._key = key
        self._cut = cut
        self._bins: list[tuple[float, float, Answer]] = []

    def ask(self, batch: Batch, now: int) -> None:
        """All of them, or counts of the phases and a sample of the deadlines, evenly by rank."""
        self._has_bins = (self._cut.total or 0) > MAX_POINTS or self._cut.has_long_ids
        if not self._has_bins:
            self._all = batch.ask("zrange", self._key, 0, MAX_POINTS - 1, withscores=True)
            return
        total = self._cut.total or 0
        ranks = sorted({(2 * at + 1) * total // (2 * _SAMPLES) for at in range(_SAMPLES)})
        self._lapsed = batch.ask("zcount", self._key, "-inf", now)
        self._expiring = batch.ask("zcount", self._key, f"({now}", f"({now + EXPIRING_MS}")
        self._sample = [batch.ask("zrange", self._key, at, at, withscores=True) for at in ranks]

    def ask_bins(self, batch: Batch, now: int) -> None:
        if not self._has_bins:
            return
        self._axis = _axis([ms for found in self._sample for ms in remaining(found, now)])
        edges = _edges(*self._axis)
        for start, end in pairwise(edges):
            low = "-inf" if start == -_INF else f"({now + start!r}"
            high = repr(now + end)
            self._bins.append((start, end, batch.ask("zcount", self._key, low, high)))

    def marks(self, now: int) -> Marks:
        if not self._has_bins:
            return _points(remaining(self._all, now))
        lapsed, expiring = int(self._lapsed.value or 0), int(self._expiring.value or 0)
        return Marks(
            *self._axis,
            bins=tuple(Bin(start, end, int(found.value or 0)) for start, end, found in self._bins),
            lapsed=lapsed,
            expiring=expiring,
            later=max(0, (self._cut.total or 0) - lapsed - expiring),
        )


def remaining(answer: Answer, now: int) -> list[float]:
    """How long each lease of a read range has left, ms."""
    return [score - now for _, score in answer.value or ()]


def _points(left: Sequence[float]) -> Marks:
    points = tuple((ms, phase_of(ms)) for ms in left)
    count = [phase for _, phase in points].count
    from_ms, to_ms = _axis(left)
    return Marks(from_ms, to_ms, points, (), count("lapsed"), count("expiring"), count("live"))


def _axis(left: Sequence[float]) -> tuple[int, int]:
    """A round span that holds at least the nearer half of these, and all that are not far off.

    What lies years away has no say, so a lost lease or one without an end squeezes nobody.
    """
    near = sorted(abs(ms) for ms in left if abs(ms) <= _STEPS_MS[-1])
    reach = max(30_000.0, _REACH * near[(len(near) - 1) // 2]) if near else 30_000.0
    held = [ms for ms in left if abs(ms) <= reach]
    ahead = _step(max(held, default=0), least=30_000)
    return -_step(-min(held, default=0), least=10_000), ahead


def _step(ms: float, least: int) -> int:
    return next((step for step in _STEPS_MS if step >= max(ms, least)), _STEPS_MS[-1])


def _edges(from_ms: int, to_ms: int) -> list[float]:
    """The edges of the bins; now is one of them, so that no bin is half lapsed."""
    past = _even(from_ms, 0, _PAST_BINS)
    return [-_INF, *past, *_even(0, to_ms, _FUTURE_BINS), to_ms, _INF]


def _even(start: int, end: int, count: int) -> Iterable[float]:
    return (start + (end - start) * i / count for i in range(count))
