"""The history of a job as a picture: its leases in order, and what people did between them.

Waits are not to scale, or a stall of seconds in a life of days would not be seen: a wait is drawn
longer the longer it was, but grows with its logarithm. The template only draws what is laid here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from echomq_admin.console.history.shapes import (
    BASE,
    HEIGHT,
    NO_FLAGS,
    Cell,
    Mark,
    Text,
    cell,
    life_cell,
)
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.endings.lives import Life

WIDTHS = (1100, 660, 380)
MARGIN = 10
# A wait that is drawn this wide has room for its length in words.
_ROOM = 46
_LEAST_WAIT, _MOST_WAIT = 6.0, 120.0
# As if it had been so long, in powers of ten, a wait is drawn whose length is not known.
_UNKNOWN = 0.2


@dataclass(frozen=True)
class Drawing:
    """One drawing, in units of its own view box, which begins at `top`. `left_out` counts the older
    items for which there is no room."""

    width: int
    top: int
    height: int
    marks: tuple[Mark, ...]
    left_out: int


def drawings(lives: Sequence[Life], now_ms: int, widths: Sequence[int] = WIDTHS) -> list[Drawing]:
    """The same picture in several widths; none when there is nothing to draw."""
    cells = [one for life in lives for one in _cells(life, len(lives) > 1, now_ms)]
    return [_draw(cells, width) for width in widths] if cells else []


def _cells(life: Life, is_one_of_many: bool, now_ms: int) -> list[Cell]:
    heading = [life_cell(life.number)] if is_one_of_many else []
    return heading + [cell(item, now_ms) for item in life.items]


def _draw(cells: Sequence[Cell], width: int) -> Drawing:
    room = width - 2 * MARGIN
    fits = _fitting(cells, room)
    waits = [0.0, *(_wait(one, after) for one, after in pairwise(fits))]
    spare = room - sum(one.least for one in fits) - _LEAST_WAIT * (len(fits) - 1)
    scale = min(_MOST_WAIT, spare / (sum(waits) or 1))
    marks: list[Mark] = []
    x = float(MARGIN)
    for at, (one, wait) in enumerate(zip(fits, waits, strict=True)):
        if at:
            x += _put_wait(marks, x, _LEAST_WAIT + wait * scale, _length(fits[at - 1], one))
        marks.append(one.mark(x))
        x += one.least
    top = 0 if any(one.shape == "flag" for one in fits) else NO_FLAGS
    return Drawing(width, top, HEIGHT - top, tuple(marks), len(cells) - len(fits))


def _fitting(cells: Sequence[Cell], room: float) -> Sequence[Cell]:
    """The newest cells that have room beside each other, at least one."""
    at = len(cells)
    while at > 0:
        room -= cells[at - 1].least + _LEAST_WAIT
        if room < 0 and at < len(cells):
            break
        at -= 1
    return cells[at:]


def _length(before: Cell, after: Cell) -> tuple[int, bool]:
    """How long a wait was, ms, 0 where that is not known; and whether that is exact: where nobody
    knows when a lease was claimed, it is from end to end, and so at most."""
    upto_ms = after.until_ms if after.from_ms is None else after.from_ms
    if before.until_ms is None or upto_ms is None:
        return 0, False
    return max(0, upto_ms - before.until_ms), after.from_ms is not None


def _wait(before: Cell, after: Cell) -> float:
    """How long a wait is drawn, beside others."""
    return _UNKNOWN + math.log10(1 + _length(before, after)[0] / 1_000)


def _put_wait(marks: list[Mark], x: float, width: float, length: tuple[int, bool]) -> float:
    ms, is_exact = length
    said = span(ms) if ms >= 1_000 else ""
    is_written = said and is_exact and width >= _ROOM
    texts = [Text(x + width / 2, BASE - 9, said, "wait")] if is_written else []
    title = f"{'' if is_exact else 'at most '}{said} between" if said else ""
    marks.append(Mark("wait", f"M{x:.1f} {BASE}h{width:.1f}", title, tuple(texts)))
    return width
