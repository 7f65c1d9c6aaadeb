"""The samples of an hour as a few hundred bytes, and back.

Each sample is the differences to the one before it: they are small where a queue is steady, and
what they repeat zlib makes little of.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from types import NoneType

import msgpack

SLOT_MS = 10_000
SLOTS_PER_HOUR = 360
# No hour takes more before zlib, whatever its numbers are.
_MOST_BYTES = 40_000
# How msgpack begins a list whose length takes four bytes.
_LIST = b"\xdd"
_UNREADABLE = (zlib.error, ValueError, TypeError, OverflowError, msgpack.UnpackException)


@dataclass(frozen=True, slots=True)
class Sample:
    """What a queue held in one slot: `slot` counts steps of `SLOT_MS` since 1970 by the server's
    clock. `pending` are all waiting jobs, those in lanes too; `completed` and `failed` are the
    queue's own counts. `None` is unknown."""

    slot: int
    pending: int | None
    active: int | None
    scheduled: int | None
    dead: int | None
    lapsed: int | None
    completed: int | None
    failed: int | None


Column = list[int | None]

_FIELDS = Sample.__slots__
_NOTHING = (0,) * len(_FIELDS)
_row = attrgetter(*_FIELDS)


class Packing:
    """The samples of one hour while it is under way, as small in memory as they are kept."""

    def __init__(self, samples: Iterable[Sample] = ()) -> None:
        self._raw, self._count = bytearray(), 0
        self._before = _NOTHING
        for sample in samples:
            self.add(sample)

    @property
    def last_slot(self) -> int:
        """That of the last sample, 0 without any."""
        return self._before[0]

    def add(self, sample: Sample) -> None:
        """Add the next; its slot is behind that of the last."""
        row = _row(sample)
        pairs = zip(row, self._before, strict=True)
        steps = [None if new is None else new - old for new, old in pairs]
        # All samples are one list: what heads the list of one is left out.
        self._raw += msgpack.packb(steps)[1:]
        self._count += len(steps)
        pairs = zip(row, self._before, strict=True)
        self._before = tuple(old if new is None else new for new, old in pairs)

    def packed(self) -> bytes:
        return zlib.compress(_LIST + self._count.to_bytes(4) + self._raw, 6)


def hour_of(slot: int) -> int:
    """The hour since 1970 that a slot lies in."""
    return slot // SLOTS_PER_HOUR


def unpack(hour: int, packed: bytes) -> list[Sample]:
    """The samples of an hour, in the order of their slots; none of what cannot be read."""
    return [Sample(*row) for row in zip(*columns(hour, packed).values(), strict=True)]


def columns(hour: int, packed: bytes, wanted: Collection[str] = _FIELDS) -> dict[str, Column]:
    """The same by field: the slots and what else is wanted, which is a good deal faster."""
    places = {name: at for at, name in enumerate(_FIELDS) if name == "slot" or name in wanted}
    try:
        steps = _steps(bytes(packed))
        found = {name: _values(steps[at :: len(_FIELDS)]) for name, at in places.items()}
    except _UNREADABLE:
        return {name: [] for name in places}
    slots = found["slot"]
    is_sound = None not in slots and slots == sorted(set(slots))
    if slots and not (is_sound and hour_of(slots[0]) == hour_of(slots[-1]) == hour):
        return {name: [] for name in places}
    return found


def _steps(packed: bytes) -> list[int | None]:
    """Raises one of `_UNREADABLE` for what is none of ours."""
    opened = zlib.decompressobj()
    raw = opened.decompress(packed, _MOST_BYTES)
    steps = msgpack.unpackb(raw) if opened.eof else None
    is_ours = isinstance(steps, list) and set(map(type, steps)) <= {int, NoneType}
    if not is_ours or len(steps) % len(_FIELDS):
        raise ValueError("cut short, too large, or no samples")
    return steps


def _values(steps: Column) -> Column:
    if None not in steps:
        return list(accumulate(steps))
    values, last = [], 0
    for step in steps:
        last += step or 0
        values.append(None if step is None else last)
    return values
