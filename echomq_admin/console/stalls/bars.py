"""Endings over time as bars, and what stalls most: where each part lies, and where it leads. The
template only draws it."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console import times
from echomq_admin.console.history.kinds import LOOKS, Look
from echomq_admin.console.stalls.lines import lane_word
from echomq_admin.console.stalls.looks import StallsLook
from echomq_admin.fleet.clocks import instant, local
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.endings.models import EndingKind
from echomq_admin.ledger.endings.shape import HOUR_MS, Bar, Shape, Top

# The view box of the bars, which are stretched to the width of the page.
WIDTH, HEIGHT = 1_000, 120
# So high is a part at least, of a bar that is as high as the box.
_LEAST = 2.0
_LONGEST = 400
# So much of a name stands in a list of those that stall most.
_NAME = 44


@dataclass(frozen=True)
class Part:
    """What of a bar is of one kind: a class, and the upper edge and height of its box."""

    css: str
    y: float
    height: float


@dataclass(frozen=True)
class DrawnBar:
    """A bar in which something ended, with its words and its link; `cells` are a number and a word
    for each kind of the legend."""

    from_ms: int
    to_ms: int
    x: float
    width: float
    parts: tuple[Part, ...]
    href: str
    said: str
    cells: tuple[tuple[int, str], ...]
    total: int


@dataclass(frozen=True)
class Legend:
    """A kind that occurs, how it looks and how often it does."""

    css: str
    look: Look
    count: int


@dataclass(frozen=True)
class Leads:
    """One of those that stall most: its words, its link (may be empty), how often."""

    name: str
    beside: str
    href: str
    count: int
    at_ms: int = 0


@dataclass(frozen=True)
class Picture:
    """Bars over the axis from `from_ms` to `to_ms`: the first of the `boxes` begins at `first_ms`,
    each is `step_ms` wide and `step` in words; `most` is what the highest one counts, `total` all.
    `narrow` is the address to which a range is added."""

    bars: tuple[DrawnBar, ...]
    legend: tuple[Legend, ...]
    from_ms: int
    to_ms: int
    first_ms: int
    step_ms: int
    step: str
    boxes: int
    most: int
    total: int
    narrow: str


def picture(found: Shape, look: StallsLook) -> Picture | None:
    """The bars of a shape; `None` where there is none."""
    if not any(bar.total for bar in found.bars):
        return None
    kinds = [kind for kind in EndingKind if any(bar.counts.get(kind) for bar in found.bars)]
    most = max(bar.total for bar in found.bars)
    first, last = found.bars[0], found.bars[-1]
    drawn = [
        _bar(bar, at, len(found.bars), most, kinds, found.step_ms, look)
        for at, bar in enumerate(found.bars)
        if bar.total
    ]
    return Picture(
        bars=tuple(drawn),
        legend=tuple(Legend(_css(kind), LOOKS[kind], _sum(found, kind)) for kind in kinds),
        from_ms=first.from_ms,
        to_ms=last.to_ms,
        first_ms=first.from_ms // found.step_ms * found.step_ms,
        step_ms=found.step_ms,
        step=span(found.step_ms),
        boxes=len(found.bars),
        most=most,
        total=sum(bar.total for bar in found.bars),
        narrow=look.href(**{"from": "", "to": ""}),
    )


def _sum(found: Shape, kind: EndingKind) -> int:
    return sum(bar.counts.get(kind, 0) for bar in found.bars)


def _bar(
    bar: Bar, at: int, of: int, most: int, kinds: list[EndingKind], step_ms: int, look: StallsLook
) -> DrawnBar:
    box = WIDTH / of
    cells = tuple((bar.counts.get(kind, 0), LOOKS[kind].word) for kind in kinds)
    words = ", ".join(f"{count:,} {word}" for count, word in cells if count)
    return DrawnBar(
        from_ms=bar.from_ms,
        to_ms=bar.to_ms,
        x=round(at * box + box * 0.08, 2),
        width=round(box * 0.84, 2),
        parts=_parts(kinds, bar, most),
        href=look.between(bar.from_ms, bar.to_ms),
        said=f"{_said(bar.from_ms, step_ms)}, {span(step_ms)}: {words}",
        cells=cells,
        total=bar.total,
    )


def _parts(kinds: list[EndingKind], bar: Bar, most: int) -> tuple[Part, ...]:
    """From the bottom up."""
    room = HEIGHT - _LEAST * len(kinds)
    parts, top = [], float(HEIGHT)
    for kind in kinds:
        if count := bar.counts.get(kind):
            height = max(_LEAST, room * count / most)
            top -= height
            parts.append(Part(_css(kind), round(top, 2), round(height, 2)))
    return tuple(parts)


def _css(kind: EndingKind) -> str:
    return f"k-{kind.name.lower()}"


def _said(ms: int, step_ms: int) -> str:
    """An instant to the minute, or to the second where that matters, in the console's zone."""
    moment = instant(ms)
    if moment is None:
        return times.exact(ms)
    parts = "minutes" if step_ms % 60_000 == 0 else "seconds"
    here = local(moment).replace(tzinfo=None).isoformat(" ", parts)
    return f"{here} {times.zone_offset(moment)}"


def tops(found: Shape, look: StallsLook) -> dict[str, list[Leads]]:
    """The lists of those that stall most, each a link to the same look of only that."""
    return {
        "top_jobs": [_named(top, "job", top.job_id or "", look) for top in found.jobs],
        "top_lanes": [_lane(top, look) for top in found.lanes],
        "top_hours": [_hour(top, look) for top in found.hours],
    }


def _named(top: Top, field: str, name: str, look: StallsLook) -> Leads:
    beside = f"{brief(top.server, 60)}/{brief(top.queue, 60)}"
    names = {"server": top.server, "queue": to_url(top.queue), field: to_url(name)}
    is_short = max(len(name), len(top.queue)) <= _LONGEST
    return Leads(brief(name, _NAME), beside, look.href(**names) if is_short else "", top.count)


def _lane(top: Top, look: StallsLook) -> Leads:
    name = top.lane or ""
    named = _named(top, "lane", name, look)
    word = lane_word(name[:_NAME], top.lane_cut or len(name) > _NAME)
    return Leads(word, named.beside, "" if top.lane_cut else named.href, top.count)


def _hour(top: Top, look: StallsLook) -> Leads:
    href = look.between(top.from_ms, top.from_ms + HOUR_MS)
    return Leads("", "", href, top.count, top.from_ms)
