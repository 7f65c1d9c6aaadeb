"""The chart of a queue: how full its sets were, and what it got done, over an hour to two days."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest, HttpResponse, QueryDict

from echomq_admin.console import places, times
from echomq_admin.console.access import page
from echomq_admin.console.forms import PageLook
from echomq_admin.console.htmx import show
from echomq_admin.console.lists import around
from echomq_admin.console.places import Place
from echomq_admin.console.sparks import line
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.samples import series
from echomq_admin.ledger.samples.packing import SLOT_MS
from echomq_admin.ledger.samples.series import Ruler, Series

HOURS = (1, 6, 24, 48)
POINTS, HEIGHT = 360, 60
# A pace of samples 10 s apart leaps: it is drawn of spans of a minute at least.
_PACE_POINTS = {1: 60}
# How many rows the table has.
_ROWS = {1: 60, 6: 36, 24: 48, 48: 48}
_HOUR_MS = 3_600_000
_SAMPLED = "The agent takes a sample every 10 s and keeps it for 48 hours."

Values = list[int | None] | list[float | None]


@dataclass(frozen=True)
class Curve:
    """A line of a panel: its `label`, the class that colours it, path data, and in words how much
    it is now and was at most."""

    label: str
    css: str
    path: str
    now: str
    most: str


@dataclass(frozen=True)
class Panel:
    """A drawing of `width` units, its curves on one scale. `summary` says the same in words."""

    label: str
    width: int
    curves: tuple[Curve, ...]
    summary: str


@dataclass(frozen=True)
class Row:
    """A line of the table: when a span begins, and what was known of it, as text."""

    ms: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """Everything of so many hours; `since_ms` is when the first sample was taken, `None` where they
    reach over all of it; `missing` counts those that were not taken since, of `of`."""

    hours: int
    panels: tuple[Panel, ...]
    rows: tuple[Row, ...]
    since_ms: int | None
    missing: int
    of: int

    @property
    def step(self) -> str:
        """How much a row of the table covers."""
        return span(self.hours * _HOUR_MS // _ROWS[self.hours])

    @property
    def headings(self) -> list[str]:
        """Those of the cells of each row."""
        return [label for label, _ in _LABELS.values()]


_LABELS = {
    "pending": ("Pending", "s-pending"),
    "active": ("Active", "s-active"),
    "lapsed": ("Lapsed", "s-lapsed"),
    "scheduled": ("Scheduled", "s-scheduled"),
    "dead": ("Dead", "s-dead"),
    "completed": ("Completed a minute", "s-completed"),
    "failed": ("Failed a minute", "s-failed"),
}
_PACES = ("completed", "failed")
# Which fields share a panel, and so a scale.
_PANELS = {
    "Pending": ("pending",),
    "Active and lapsed": ("active", "lapsed"),
    "Scheduled": ("scheduled",),
    "Dead": ("dead",),
    "Done a minute": _PACES,
}


@page
def queue_chart(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """The chart of the hours that the address asks for, an hour when it asks for none."""
    place, trouble = places.reached(server, queue, places.find)
    now_ms = max(place.now_ms, _last_ms(place) or 0) if trouble else place.now_ms
    hours = _hours(request.GET)
    found = _read(place, hours, now_ms)
    context = {} if trouble else around(request, place, "chart", PageLook(), None)
    context |= {
        "place": place,
        "trouble": trouble,
        "spans": tuple((each, each == hours) for each in HOURS),
        "chart": chart(found, hours, now_ms) if found.slots else None,
        "now_ms": now_ms,
        "hours": hours,
        "why": "" if found.slots else _why(place, now_ms),
    }
    return show(request, "console/queue_chart.html", context)


def _hours(query: QueryDict) -> int:
    wanted = query.get("hours", "")
    return next((each for each in HOURS if str(each) == wanted), HOURS[0])


def _read(place: Place, hours: int, now_ms: int) -> Series:
    ruler = Ruler.upto(now_ms, hours, POINTS)
    found = series.read(place.server.name, [place.queue], ruler.since, ruler.until)
    return found.get(place.queue, Series())


def _last_ms(place: Place) -> int | None:
    return series.last_ms(place.server.name, place.queue)


def _why(place: Place, now_ms: int) -> str:
    """Why there is nothing to draw."""
    last_ms = _last_ms(place)
    if last_ms is None:
        none = "no agent runs, or it has just started"
        return f"{_SAMPLED} It has taken none of this queue yet: {none}."
    gone = times.ago(last_ms, now_ms)
    return f"{_SAMPLED} The last one of this queue was taken {gone}: no agent has run since."


def chart(found: Series, hours: int, now_ms: int) -> Chart:
    """Lay out the samples of the last hours."""
    ruler = Ruler.upto(now_ms, hours, POINTS)
    slow = Ruler.upto(now_ms, hours, _PACE_POINTS.get(hours, POINTS))
    first = found.slots[0]
    is_late = first >= ruler.since + ruler.size
    # The slot under way may be sampled yet.
    slots = now_ms // SLOT_MS - (first if is_late else ruler.since)
    taken = sum(slot < now_ms // SLOT_MS for slot in found.slots)
    return Chart(
        hours,
        tuple(_panel(label, names, found, ruler, slow) for label, names in _PANELS.items()),
        _rows(found, Ruler.upto(now_ms, hours, _ROWS[hours])),
        first * SLOT_MS if is_late else None,
        max(0, slots - taken),
        slots,
    )


def _values(found: Series, name: str, ruler: Ruler) -> Values:
    return ruler.pace(found, name) if name in _PACES else ruler.most(found, name)


def _panel(label: str, names: tuple[str, ...], found: Series, ruler: Ruler, slow: Ruler) -> Panel:
    used = slow if names == _PACES else ruler
    drawn = {name: _values(found, name, used) for name in names}
    top = max((value for values in drawn.values() for value in values if value), default=0)
    curve = partial(_curve, scale=(HEIGHT - 4) / (top or 1))
    curves = tuple(curve(name, values) for name, values in drawn.items())
    said = "; ".join(f"{one.label} {one.now} last, {one.most} at most" for one in curves)
    return Panel(label, used.count, curves, f"{said}.")


def _curve(name: str, values: Values, scale: float) -> Curve:
    label, css = _LABELS[name]
    known = [value for value in values if value is not None]
    now, most = (known[-1], max(known)) if known else (None, None)
    return Curve(label, css, line(values, 0, scale, HEIGHT - 2), _say(now), _say(most))


def _rows(found: Series, ruler: Ruler) -> tuple[Row, ...]:
    """The spans of the table, the newest first."""
    columns = [map(_say, _values(found, name, ruler)) for name in _LABELS]
    cells = list(zip(*columns, strict=True))
    return tuple(Row(ruler.ms(at), cells[at]) for at in reversed(range(ruler.count)))


def _say(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.1f}" if isinstance(value, float) and value < 100 else f"{value:,.0f}"
