"""The lease timeline: where each mark lies. The template only draws it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from echomq_admin.console.times import span
from echomq_admin.emq.reads import EXPIRING_MS, Bin, Marks

WIDTHS = (1100, 660, 380)
HEIGHT = 96
TOP = 8
BASE = 74
COLUMN = 9
MARGIN = 12
_STEPS_MS = (1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000)
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
    """The timeline in a few widths, its words, and the same numbers as rows of (when, phase, n)."""

    drawings: tuple[Drawing, ...]
    summary: str
    marks: Marks
    rows: tuple[tuple[str, str, int], ...]
    outside: int
    binned: bool


def timeline(marks: Marks) -> Timeline:
    """Lay out the leases of a queue around now."""
    total = marks.lapsed + marks.expiring + marks.later
    summary = (
        f"{total:,} leases: {marks.lapsed:,} lapsed, {marks.expiring:,} within 7 s, "
        f"{marks.later:,} later"
    )
    return Timeline(
        drawings=tuple(_draw(marks, width) for width in WIDTHS),
        summary=summary,
        marks=marks,
        rows=_rows(marks),
        outside=sum(1 for at, _ in marks.points if not marks.from_ms <= at <= marks.to_ms),
        binned=bool(marks.bins),
    )


def _draw(marks: Marks, width: int) -> Drawing:
    length = max(1, marks.to_ms - marks.from_ms)
    scale = (width - 2 * MARGIN) / length

    def x(at: float) -> float:
        inside = min(max(at, marks.from_ms), marks.to_ms)
        return MARGIN + (inside - marks.from_ms) * scale

    paths = _bars(marks, x) if marks.bins else _dots(marks, x)
    step = _step(length, width)
    first = math.ceil(marks.from_ms / step) * step
    ticks = tuple(
        (round(x(at), 1), _tick(at), _anchor(x(at), width))
        for at in range(first, marks.to_ms + 1, step)
    )
    return Drawing(width, HEIGHT, round(x(0), 1), BASE, paths, ticks, round(scale, 6))


def _step(length: int, width: int) -> int:
    room = width // 74
    return next((s for s in _STEPS_MS if length / s <= room), max(1, -(-length // room)))


def _anchor(x: float, width: int) -> str:
    if x < 34:
        return "start"
    return "end" if x > width - 34 else "middle"


def _tick(at: int) -> str:
    if at == 0:
        return "now"
    sign = "−" if at < 0 else "+"
    minutes, seconds = divmod(abs(at) // 1_000, 60)
    return f"{sign}{minutes}:{seconds:02}" if minutes and seconds else f"{sign}{span(at)}"


def _dots(marks: Marks, x) -> dict[str, str]:
    columns = Counter(int(x(at) // COLUMN) for at, _ in marks.points)
    level: Counter[int] = Counter()
    paths = dict.fromkeys(_PHASES, "")
    for at, phase in marks.points:
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
    """Bars whose height is leases per time, so that wide and narrow bins compare. What lies
    beyond the axis stands in the margins."""
    inner = [b for b in marks.bins if math.isfinite(b.to_ms - b.from_ms)]
    common = sorted(b.to_ms - b.from_ms for b in inner)[len(inner) // 2] if inner else 1
    lengths = {b: b.to_ms - b.from_ms if b in inner else common for b in marks.bins}
    most = max(b.count / lengths[b] for b in marks.bins) or 1
    paths = dict.fromkeys(_PHASES, "")
    for b in marks.bins:
        if b.count:
            left, right = _sides(b, x)
            height = max(2.0, (BASE - TOP - 4) * b.count / lengths[b] / most)
            wide = max(1.0, right - left - 1)
            paths[_phase(b)] += f"M{left:.1f} {BASE}v-{height:.1f}h{wide:.1f}v{height:.1f}z"
    return paths


def _sides(b: Bin, x) -> tuple[float, float]:
    if b.from_ms == -math.inf:
        return x(b.to_ms) - MARGIN, x(b.to_ms)
    if b.to_ms == math.inf:
        return x(b.from_ms), x(b.from_ms) + MARGIN
    return x(b.from_ms), x(b.to_ms)


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
    counts: Counter[tuple[float, str]] = Counter()
    for at, phase in marks.points:
        inside = min(max(at, marks.from_ms - step), marks.to_ms)
        counts[math.floor(inside / step) * step, phase] += 1
    return tuple(
        (_between(at, at + step), phase, count) for (at, phase), count in sorted(counts.items())
    )


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
