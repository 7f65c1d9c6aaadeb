"""Endings over time as bars, and what stalls most: where each part lies, and where it leads. The
template only draws it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from echomq_admin.console import times
from echomq_admin.console.endings import LOOKS, Look, lane_word
from echomq_admin.console.links import job_href
from echomq_admin.console.stalls.lines import LONGEST
from echomq_admin.console.stalls.looks import StallsLook
from echomq_admin.fleet import servers
from echomq_admin.fleet.clocks import instant, local
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.endings.models import EndingKind
from echomq_admin.ledger.endings.shape import FOUND, HOUR_MS, Bar, Shape, Top

# The view box of the bars, which are stretched to the width of the page.
WIDTH, HEIGHT = 1_000, 120
# So high is a part at least, of a bar that is as high as the box.
_LEAST = 2.0
# What the bars tell apart: the kinds, and what may have died at any time before.
SERIES = {**LOOKS, FOUND: Look("found dead", "dead", "dead")}
# Those whose parts are hatched, by their classes.
PATTERNED = ("k-dead", "k-uncertain", "k-found")
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
    """A kind that occurs, how it looks and how often it does; whether bars show it."""

    css: str
    look: Look
    count: int
    is_drawn: bool


@dataclass(frozen=True)
class Most:
    """One of those that stall most: its words, how often, and the address of the look of only
    that; `page` is that of the job. Both may be empty."""

    name: str
    beside: str
    only: str
    count: int
    page: str = ""
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

    @property
    def has_found(self) -> bool:
        return any(one.css == _css(FOUND) for one in self.legend)

    @property
    def is_fine(self) -> bool:
        """Whether minutes are not enough to tell bars apart."""
        return self.step_ms % 60_000 > 0


def picture(found: Shape, look: StallsLook) -> Picture | None:
    """The bars of a shape; `None` where there is none."""
    if not any(bar.total for bar in found.bars):
        return None
    drawn = _Drawing(found, look)
    first, last = found.bars[0], found.bars[-1]
    return Picture(
        bars=tuple(drawn.bar(at, bar) for at, bar in enumerate(found.bars) if bar.total),
        legend=tuple(drawn.legend(kind) for kind in drawn.kinds),
        from_ms=first.from_ms,
        to_ms=last.to_ms,
        first_ms=first.from_ms // found.step_ms * found.step_ms,
        step_ms=found.step_ms,
        step=span(found.step_ms),
        boxes=len(found.bars),
        most=drawn.most,
        total=sum(bar.total for bar in found.bars),
        narrow=look.href(**{"from": "", "to": ""}),
    )


class _Drawing:
    """Draws the bars of one shape."""

    def __init__(self, found: Shape, look: StallsLook) -> None:
        self._found = found
        self._look = look
        self.kinds = [kind for kind in SERIES if any(bar.counts.get(kind) for bar in found.bars)]
        # Beside what ended then, the many that a first pass finds dead at once would hide it.
        self.shown = [kind for kind in self.kinds if kind != FOUND] or self.kinds
        self.most = max(sum(bar.counts.get(kind, 0) for kind in self.shown) for bar in found.bars)

    def bar(self, at: int, bar: Bar) -> DrawnBar:
        box, step_ms = WIDTH / len(self._found.bars), self._found.step_ms
        cells = tuple((bar.counts.get(kind, 0), SERIES[kind].word) for kind in self.kinds)
        words = ", ".join(f"{count:,} {word}" for count, word in cells if count)
        return DrawnBar(
            from_ms=bar.from_ms,
            to_ms=bar.to_ms,
            x=round(at * box + box * 0.08, 2),
            width=round(box * 0.84, 2),
            parts=self._parts(bar),
            href=self._look.between(bar.from_ms, bar.to_ms),
            said=f"{_said(bar.from_ms, step_ms)}, {span(step_ms)}: {words}",
            cells=cells,
            total=bar.total,
        )

    def legend(self, kind: int) -> Legend:
        count = sum(bar.counts.get(kind, 0) for bar in self._found.bars)
        return Legend(_css(kind), SERIES[kind], count, kind in self.shown)

    def _parts(self, bar: Bar) -> tuple[Part, ...]:
        """From the bottom up."""
        room = HEIGHT - _LEAST * len(self.shown)
        parts, top = [], float(HEIGHT)
        for kind in self.shown:
            if count := bar.counts.get(kind):
                height = max(_LEAST, room * count / self.most)
                top -= height
                parts.append(Part(_css(kind), round(top, 2), round(height, 2)))
        return tuple(parts)


def _css(kind: int) -> str:
    return "k-found" if kind == FOUND else f"k-{EndingKind(kind).name.lower()}"


def _said(ms: int, step_ms: int) -> str:
    """An instant to the minute, or to the second where that matters, in the console's zone."""
    moment = instant(ms)
    if moment is None:
        return times.exact(ms)
    parts = "minutes" if step_ms % 60_000 == 0 else "seconds"
    here = local(moment).replace(tzinfo=None).isoformat(" ", parts)
    return f"{here} {times.zone_offset(moment)}"


def tops(found: Shape, look: StallsLook) -> dict[str, list[Most]]:
    """The lists of those that stall most, each a link to the same look of only that."""
    return {
        "top_jobs": [_job(top, look) for top in found.jobs],
        "top_lanes": [_lane(top, look) for top in found.lanes],
        "top_hours": [_hour(top, look) for top in found.hours],
    }


def _named(top: Top, field: str, name: str, look: StallsLook) -> Most:
    beside = f"{brief(top.server, 60)}/{brief(top.queue, 60)}"
    names = {"server": top.server, "queue": to_url(top.queue), field: to_url(name)}
    is_short = max(map(len, names.values())) <= LONGEST
    return Most(brief(name, _NAME), beside, look.href(**names) if is_short else "", top.count)


def _job(top: Top, look: StallsLook) -> Most:
    name, known = top.job_id or "", {one.name for one in servers.servers()}
    page = job_href(top.server, top.queue, name) if top.server in known else ""
    return replace(_named(top, "job", name, look), page=page)


def _lane(top: Top, look: StallsLook) -> Most:
    name = top.lane or ""
    named = _named(top, "lane", name, look)
    word = lane_word(name[:_NAME], top.lane_cut or len(name) > _NAME)
    return replace(named, name=word, only="" if top.lane_cut else named.only)


def _hour(top: Top, look: StallsLook) -> Most:
    """An hour, of which the address asks for what lies within the times of the look."""
    since, until = look.wanted.since_ms, look.wanted.until_ms
    from_ms = top.from_ms if since is None else max(top.from_ms, since)
    to_ms = top.from_ms + HOUR_MS if until is None else min(top.from_ms + HOUR_MS, until)
    return Most("", "", look.between(from_ms, to_ms), top.count, at_ms=top.from_ms)
