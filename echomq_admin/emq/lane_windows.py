"""The part of many lanes that makes a page: by name, by a number, by where they stand.

Up to `MOST_SORTED` matching lanes are read whole and can be ordered by any number; more of them
come by name only, and a choice that needs their state looks at that many at a time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .cursors import Cursor, decode
from .keyspace import from_wire, to_wire
from .lanes import LaneState

MOST_SORTED = 1_000

Sort = Literal["name", "depth", "in_flight"]
Only = Literal["", "off", "paused", "limit"]

_FITS: dict[Only, Callable[[LaneState], bool]] = {
    "": lambda _state: True,
    "off": lambda state: state.rota in {"off ring", "needless", "twice"},
    "paused": lambda state: bool(state.paused),
    "limit": lambda state: state.rota == "at limit",
}


@dataclass(frozen=True)
class LaneLook:
    """Which lanes are wanted: those whose name holds `text` (any case), standing as `only` says,
    in an order. "off" are those that the ring should treat otherwise than it does.

    `cursor` is one of a page; what is none opens the first page. `limit` is brought into 1 to 100.
    """

    text: str = ""
    only: Only = ""
    sort: Sort = "name"
    descending: bool = False
    cursor: str = ""
    limit: int = 25


class LaneWindow:
    """The names that are asked about, and once `take` has their states, the rows of the page."""

    def __init__(self, names: Sequence[str], look: LaneLook, limit: int) -> None:
        wanted = look.text.casefold()
        self._names = [name for name in names if wanted in name.casefold()]
        self._look, self._limit, self._cursor = look, limit, decode(look.cursor)
        self.is_whole = len(self._names) <= MOST_SORTED
        self._start, self._stop = (0, len(self._names)) if self.is_whole else self._span()
        self.asked = self._names[self._start : self._stop]

    def _span(self) -> tuple[int, int]:
        """The names to look at when there are too many for all."""
        reach = MOST_SORTED if self._look.only else self._limit
        cursor, size = self._cursor, len(self._names)
        if cursor is None:
            return 0, reach
        wires = [to_wire(name) for name in self._names]
        if cursor.back:
            # At the beginning a whole page is looked at, but never more: what comes behind it
            # was seen already.
            stop = max(bisect_left(wires, cursor.member), min(self._limit, size))
            return max(0, stop - reach), stop
        start = bisect_right(wires, cursor.member)
        start = max(0, size - reach) if start == size else start
        return start, min(start + reach, size)

    def take(self, states: Sequence[LaneState]) -> None:
        """The states of `asked`, in its order."""
        fits = [state for state in states if _FITS[self._look.only](state)]
        self._fits = _ordered(fits, self._look) if self.is_whole else fits
        start = self._first()
        self._at, self._to = start, min(start + self._limit, len(fits))
        self.rows = self._fits[self._at : self._to]

    @property
    def matching(self) -> int | None:
        """How many lanes match; `None` when not all were looked at."""
        if self.is_whole:
            return len(self._fits)
        return None if self._look.only else len(self._names)

    @property
    def looked(self) -> tuple[int, int]:
        """Which of the names that match were looked at: the first and the last, from 1."""
        return self._start + 1, self._stop

    @property
    def previous(self) -> str | None:
        """The cursor of the page before, if there is one."""
        if self._at > 0 and self.rows:
            return _cursor(self.rows[0].group, back=True)
        return _cursor(self.asked[0], back=True) if self._start > 0 else None

    @property
    def next(self) -> str | None:
        """The cursor of the page behind, if there is one; it may look at further lanes."""
        if self._to < len(self._fits):
            return _cursor(self.rows[-1].group, back=False)
        has_more = self._stop < len(self._names)
        return _cursor(self.asked[-1], back=False) if has_more else None

    def _first(self) -> int:
        """Where the page begins among the lanes that fit: behind the cursor's lane, or with the
        page that ends before it; the nearest rows when nothing is left there."""
        cursor, last = self._cursor, max(0, len(self._fits) - self._limit)
        if cursor is None:
            return 0
        if not self.is_whole:
            return last if cursor.back else 0
        place, is_here = self._place(from_wire(cursor.member))
        if cursor.back:
            return max(0, place - self._limit)
        start = place + is_here
        return start if start < len(self._fits) else last

    def _place(self, group: str) -> tuple[int, bool]:
        """Where a lane stands among those that fit. One that left has kept its place only in
        the order of names; in any other the page starts anew."""
        groups = [state.group for state in self._fits]
        if group in groups:
            return groups.index(group), True
        if self._look.sort != "name":
            return 0, False
        wire, wires = to_wire(group), sorted(map(to_wire, groups))
        before = bisect_left(wires, wire)
        return (len(wires) - before if self._look.descending else before), False


def _cursor(group: str, *, back: bool) -> str:
    return Cursor("id", back, 0.0, 0, to_wire(group)).encode()


def _ordered(states: list[LaneState], look: LaneLook) -> list[LaneState]:
    """By the number asked for, unknown ones last, equal ones by name."""
    if look.sort == "name":
        return states[::-1] if look.descending else states
    sign = -1 if look.descending else 1

    def order(state: LaneState) -> tuple[bool, int]:
        number = state.depth if look.sort == "depth" else state.in_flight
        return number is None, sign * (number or 0)

    return sorted(states, key=order)
