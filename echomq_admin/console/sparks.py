"""The last hour of a queue in a few strokes: whether its waiting and its dead jobs grow.

What is drawn is kept for half a minute for all viewers of this process; each time a new sample may
have come, a third of the queues of a page have their turn.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from weakref import WeakKeyDictionary
from zlib import crc32

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from echomq_admin.console import times
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.samples import series
from echomq_admin.ledger.samples.packing import SLOT_MS
from echomq_admin.ledger.samples.series import Ruler, Series

POINTS, HEIGHT = 60, 20
_FIELDS = ("pending", "dead")
_MOST_KEPT = 4_000
# For so many slots a drawing is kept.
_TURNS = 3
# Fewer samples than these are no line.
_LEAST = 6


@dataclass(frozen=True, slots=True)
class Spark:
    """The drawing with its words, empty with too few samples; `growing` says by how much the dead
    grow, `+12 in 10 min`, empty when they do not."""

    drawing: SafeString | str = ""
    growing: str = ""


_NONE = Spark()
_kept: WeakKeyDictionary[Server, dict[str, tuple[int, Spark]]] = WeakKeyDictionary()


def sparks(server: Server, queues: Collection[str], now_ms: int | None) -> dict[str, Spark]:
    """The last hour of each of these queues, up to `now_ms` of the server's clock and up to half a
    minute old; one query when it is the turn of any."""
    if now_ms is None:
        return dict.fromkeys(queues, _NONE)
    kept, slot = _kept.setdefault(server, {}), now_ms // SLOT_MS
    turns = {queue: (slot + crc32(to_wire(queue))) // _TURNS for queue in queues}
    missing = [queue for queue, turn in turns.items() if kept.get(queue, (-1,))[0] != turn]
    if missing:
        if len(kept) > _MOST_KEPT:
            kept.clear()
        read = _read(server, missing, now_ms)
        kept.update({queue: (turns[queue], read[queue]) for queue in missing})
    return {queue: kept.get(queue, (0, _NONE))[1] for queue in queues}


def _read(server: Server, queues: Collection[str], now_ms: int) -> dict[str, Spark]:
    ruler = Ruler.upto(now_ms, 1, POINTS)
    found = series.read(server.name, queues, ruler.since, ruler.until, _FIELDS)
    return {
        queue: _spark(found[queue], ruler, now_ms) if queue in found else _NONE for queue in queues
    }


def _spark(found: Series, ruler: Ruler, now_ms: int) -> Spark:
    if len(found.slots) < _LEAST:
        return _NONE
    waiting, dead = (ruler.most(found, name) for name in _FIELDS)
    lines = [("axis", f"M0 {HEIGHT - 0.5}H{POINTS}"), ("s-pending", _path(waiting, 0))]
    levels = {value for value in dead if value is not None}
    if len(levels) > 1:
        lines.append(("s-dead", _path(dead, min(levels))))
    drawing = format_html(
        '<svg class="spark" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img"'
        ' aria-label="{said}"><title>{said}</title>{}</svg>',
        POINTS,
        HEIGHT,
        format_html_join("", '<path class="{}" d="{}"/>', lines),
        said=f"{_since(found, ruler)}: pending {_said(waiting)}; dead {_said(dead)}",
    )
    return Spark(drawing, _growing(found, now_ms))


def _growing(found: Series, now_ms: int) -> str:
    grown = series.growth(found, "dead", now_ms)
    if grown is None:
        return ""
    return f"+{grown.by:,} in {max(1, round(grown.within_ms / 60_000))} min"


def _since(found: Series, ruler: Ruler) -> str:
    """Of which time the samples are."""
    if found.slots[0] < ruler.since + ruler.size:
        return "The last hour"
    return f"Since {times.exact(found.slots[0] * SLOT_MS)}"


def _said(values: list[int | None]) -> str:
    """`12 at first, 40 at most, 31 last`, of the numbers that are known."""
    known = [value for value in values if value is not None]
    if not known:
        return "unknown"
    first, most, last = known[0], max(known), known[-1]
    if len(set(known)) == 1:
        return f"{last:,} all along"
    return f"{first:,} at first, {most:,} at most, {last:,} last"


def _path(values: list[int | None], lowest: int) -> str:
    """A line from point to point; where nothing is known there is none."""
    most = max((value for value in values if value is not None), default=0)
    scale = (HEIGHT - 3) / max(1, most - lowest)
    return line(values, lowest, scale, HEIGHT - 1.5)


def line(values: list, lowest: float, scale: float, base: float) -> str:
    """Path data of a line through the values, one unit apart, from `base` upwards. It is broken at
    each `None`, and a value between two of those is a dot."""
    parts, is_open = [], False
    for at, value in enumerate(values):
        if value is None:
            is_open = False
            continue
        way = "L" if is_open else "M"
        lone = not is_open and (at + 1 == len(values) or values[at + 1] is None)
        y = base - max(0, value - lowest) * scale
        parts.append(f"{way}{at}.5 {y:.1f}{'h0' if lone else ''}")
        is_open = True
    return "".join(parts)
