"""The lease timeline: where each mark lies. The template only draws it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from echomq_admin.emq.reads import EXPIRING_MS, Bin, Marks
from echomq_admin.fleet.spans import span

WIDTHS = (1100, 660, 380)
HEIGHT = 96
TOP = 8
BASE = 74
COLUMN = 9
MARGIN = 12
_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000
_STEPS_MS = (
    *(1_000, 2_000, 5_000, 10_000, 20_000, 30_000),
    *(_MINUTE, 2 * _MINUTE, 5 * _MINUTE, 10 * _MINUTE, 20 * _MINUTE, 30 * _MINUTE),
    *(_HOUR, 2 * _HOUR, 6 * _HOUR, 12 * _HOUR),
    *(_DAY, 2 * _DAY, 5 * _DAY, 10 * _DAY, 30 * _DAY, 90 * _DAY),
)
# How wide the widest label of a tick is, with some air.
_LABEL = 78
_PHASES = ("lapsed", "expiring", "live")


@dataclass(frozen=True)
class Drawing:
    """One drawing of the timeline, in units of its own view box. `paths` maps a kind of mark to
    path data; `flow` is how far the marks move in 1 ms; `ticks` are (x, label, text-anchor)."""

    width: int
    height: int
    now_x: float
    base: int
    paths: dict[str, str]
    ticks: tuple[tuple[float, str, str], ...]
    flow: float


@dataclass(frozen=True)
class Timeline:
    """The timeline in a few widths, its words, and the same numbers as rows of (when, phase, n).

    `earlier` and `later` count, in words, what lies beyond the edges and is not drawn; empty for
    none.
    """

    drawings: tuple[Drawing, ...]
    summary: str
    marks: Marks
    rows: tuple[tuple[str, str, int], ...]
    earlier: str
    later: str
    binned: bool


def timeline(marks: Marks) -> Timeline:
    """Lay out the leases of a queue around now."""
    total = marks.lapsed + marks.expiring + marks.later
    summary = (
        f"{total:,} leases: {marks.lapsed:,} lapsed, {marks.expiring:,} within 7 s, "
        f"{marks.later:,} later"
    )
    earlier, later = _beyond(marks)
    return Timeline(
        drawings=tuple(_draw(marks, width) for width in WIDTHS),
        summary=summary,
        marks=marks,
        rows=_rows(marks),
        earlier=f"{earlier:,} lapsed earlier, over {span(marks.from_ms)} ago" if earlier else "",
        later=f"{later:,} later, in over {span(marks.to_ms)}" if later else "",
        binned=bool(marks.bins),
    )


def _beyond(marks: Marks) -> tuple[int, int]:
    """How many leases lie before the axis and behind it."""
    earlier = sum(1 for at, _ in marks.points if at < marks.from_ms)
    later = sum(1 for at, _ in marks.points if at > marks.to_ms)
    return (
        earlier + sum(b.count for b in marks.bins if b.from_ms == -math.inf),
        later + sum(b.count for b in marks.bins if b.to_ms == math.inf),
    )


def _draw(marks: Marks, width: int) -> Drawing:
    length = max(1, marks.to_ms - marks.from_ms)
    scale = (width - 2 * MARGIN) / length

    def x(at: float) -> float:
        return MARGIN + (at - marks.from_ms) * scale

    paths = _bars(marks, x) if marks.bins else _dots(marks, x)
    step = _step(length, width)
    first = math.ceil(marks.from_ms / step) * step
    ticks = tuple(
        (round(x(at), 1), _tick(at), _anchor(x(at), width))
        for at in range(first, marks.to_ms + 1, step)
    )
    return Drawing(width, HEIGHT, round(x(0), 1), BASE, paths, ticks, round(scale, 6))


def _step(length: int, width: int) -> int:
    room = width // _LABEL
    return next((s for s in _STEPS_MS if length / s <= room), max(1, -(-length // room)))


def _anchor(x: float, width: int) -> str:
    if x < 34:
        return "start"
    return "end" if x > width - 34 else "middle"


def _tick(at: int) -> str:
    if at == 0:
        return "now"
    return f"{'−' if at < 0 else '+'}{span(at)}"


def _dots(marks: Marks, x) -> dict[str, str]:
    inner = [(at, phase) for at, phase in marks.points if marks.from_ms <= at <= marks.to_ms]
    columns = Counter(int(x(at) // COLUMN) for at, _ in inner)
    level: Counter[int] = Counter()
    paths = dict.fromkeys(_PHASES, "")
    for at, phase in inner:
        column = int(x(at) // COLUMN)
        lift = min(10.0, (BASE - TOP - 14) / max(1, columns[column] - 1))
        paths[phase] += _mark(phase, x(at), BASE - 9 - level[column] * lift)
        level[column] += 1
    return paths


def _mark(phase: str, x: float, y: float) -> str:
    if phase == "lapsed":
        return f"M{x - 4:.1f} {y - 4:.1f}l8 8m0-8l-8 8"
    if phase == "expiring":
        return f"M{x:.1f} {y - 5:.1f}l5 9h-10z"
    # A line of no length whose round ends make it a dot: the shortest way to say one.
    return f"M{x:.1f} {y:.1f}h0"


def _bars(marks: Marks, x) -> dict[str, str]:
    """Bars that stand for leases per time, so that wide and narrow bins compare; their heights
    grow with the square root of it, so that a few stay visible beside thousands."""
    inner = [b for b in marks.bins if b.count and math.isfinite(b.to_ms - b.from_ms)]
    density = {b: math.sqrt(b.count / (b.to_ms - b.from_ms)) for b in inner}
    most = max(density.values(), default=1)
    paths = dict.fromkeys(_PHASES, "")
    for b in inner:
        left, right = x(b.from_ms), x(b.to_ms)
        height = max(3.0, (BASE - TOP - 4) * density[b] / most)
        wide = max(1.0, right - left - 1)
        paths[_phase(b)] += f"M{left:.1f} {BASE}v-{height:.1f}h{wide:.1f}v{height:.1f}z"
    return paths


def _phase(b: Bin) -> str:
    if b.to_ms <= 0:
        return "lapsed"
    return "expiring" if b.from_ms < EXPIRING_MS else "live"


def _state(b: Bin) -> str:
    """The phase in words; a bin may reach over the border between two."""
    is_both = b.from_ms < EXPIRING_MS < b.to_ms
    return "expiring or live" if is_both else _phase(b)


def _rows(marks: Marks) -> tuple[tuple[str, str, int], ...]:
    if marks.bins:
        return tuple(
            (_between(b.from_ms, b.to_ms), _state(b), b.count) for b in marks.bins if b.count
        )
    step = _step(max(1, marks.to_ms - marks.from_ms), WIDTHS[0])
    counts: Counter[tuple[tuple[float, float], str]] = Counter()
    for at, phase in marks.points:
        counts[_bucket(at, marks, step), phase] += 1
    return tuple(
        (_between(*bucket), phase, count) for (bucket, phase), count in sorted(counts.items())
    )


def _bucket(at: float, marks: Marks, step: int) -> tuple[float, float]:
    """The row of the table that a point belongs to: a step of the axis, or all beyond an edge."""
    if at < marks.from_ms:
        return -math.inf, marks.from_ms
    if at > marks.to_ms:
        return marks.to_ms, math.inf
    start = math.floor(at / step) * step
    return max(start, marks.from_ms), start + step


def _between(start: float, end: float) -> str:
    if start == -math.inf:
        return f"more than {span(end)} ago"
    if end == math.inf:
        return f"more than {span(start)} from now"
    return f"{_edge(start)} to {_edge(end)}"


def _edge(at: float) -> str:
    if at == 0:
        return "now"
    sign = "−" if at < 0 else "+"
    is_whole = at % 1_000 == 0 or abs(at) >= 60_000
    return f"{sign}{span(at)}" if is_whole else f"{sign}{abs(at) / 1_000:.1f} s"
