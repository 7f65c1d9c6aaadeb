"""The samples as pages read them: of one queue over days, of many over an hour."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.ledger.samples.models import SampleHour
from echomq_admin.ledger.samples.packing import SLOT_MS, Column, Sample, columns, hour_of

FIELDS = Sample.__slots__[1:]
SLOTS_PER_MINUTE = 60_000 // SLOT_MS
# Two samples of a counter tell its pace while no more slots than these lie between them.
_NEAR = 3
# A number grows over so many slots, of which the first and the last known lie so far apart, and
# the last one so near to now.
_GROWTH, _LEAST, _RECENT = 60, 6, 3
# By so much, and by such a part of what there was, it grows; by less where it does so steadily.
_MUCH, _PART = 5, 0.05


@dataclass
class Series:
    """The samples of a queue in the order of their `slots`; `columns` are the fields asked for, by
    name, `None` where the number is unknown."""

    slots: list[int] = field(default_factory=list)
    columns: dict[str, Column] = field(default_factory=dict)


@dataclass(frozen=True)
class Growth:
    """By how much a number grew within so many ms."""

    by: int
    within_ms: int


@dataclass(frozen=True)
class Ruler:
    """Spans of `size` slots, `count` of them, from slot `since` on."""

    since: int
    size: int
    count: int

    @classmethod
    def upto(cls, now_ms: int, hours: int, count: int) -> Ruler:
        """The spans that cover the last hours, the last one with the present slot in it."""
        size = hours * 60 * SLOTS_PER_MINUTE // count
        return cls((now_ms // SLOT_MS // size + 1 - count) * size, size, count)

    @property
    def until(self) -> int:
        """The last slot."""
        return self.since + self.size * self.count - 1

    def ms(self, span: int) -> int:
        """When a span begins."""
        return (self.since + span * self.size) * SLOT_MS

    def spans(self, found: Series, name: str) -> list[list[int]]:
        """The known numbers of a field within each span."""
        parted: list[list[int]] = [[] for _ in range(self.count)]
        for slot, value in zip(found.slots, found.columns.get(name, ()), strict=False):
            at = (slot - self.since) // self.size
            if value is not None and 0 <= at < self.count:
                parted[at].append(value)
        return parted

    def most(self, found: Series, name: str) -> Column:
        """The largest number of each span; `None` for one without a sample."""
        return [max(values, default=None) for values in self.spans(found, name)]

    def pace(self, found: Series, name: str) -> list[float | None]:
        """By how much a counter grew a minute in each span. What was lost when it fell, and what
        lies between samples that are far apart, is not known."""
        grown, took = [0] * self.count, [0] * self.count
        known = zip(found.slots, found.columns.get(name, ()), strict=False)
        told = [(slot, value) for slot, value in known if value is not None]
        for (before, old), (slot, new) in pairwise(told):
            at = (slot - self.since) // self.size
            if slot - before <= _NEAR and new >= old and 0 <= at < self.count:
                grown[at] += new - old
                took[at] += slot - before
        pairs = zip(grown, took, strict=True)
        return [by * SLOTS_PER_MINUTE / slots if slots else None for by, slots in pairs]


def read(
    server: str, queues: Collection[str], since: int, until: int, fields: Sequence[str] = FIELDS
) -> dict[str, Series]:
    """The samples of these queues from slot `since` to slot `until`, both included, in one query;
    a queue without any is left out."""
    rows = SampleHour.objects.filter(
        place__server=server,
        place__queue__in=[to_wire(queue) for queue in queues],
        hour__in=range(hour_of(since), hour_of(until) + 1),
    )
    found: dict[str, Series] = {}
    for queue, hour, packed in rows.order_by("hour").values_list("place__queue", "hour", "packed"):
        kept = columns(hour, packed, fields)
        slots = kept["slot"]
        part = slice(bisect_left(slots, since), bisect_left(slots, until + 1))
        if slots[part]:
            one = found.setdefault(from_wire(bytes(queue)), Series())
            one.slots += slots[part]
            for name in fields:
                one.columns.setdefault(name, []).extend(kept[name][part])
    return found


def last_ms(server: str, queue: str) -> int | None:
    """When the last sample of a queue was taken, at about 10 s; `None` when there is none."""
    rows = SampleHour.objects.filter(place__server=server, place__queue=to_wire(queue))
    last = rows.order_by("-hour").values_list("hour", "packed").first()
    slots = columns(*last, ())["slot"] if last else ()
    return slots[-1] * SLOT_MS if slots else None


def growth(found: Series, name: str, now_ms: int) -> Growth | None:
    """By how much a number grew in the last ten minutes, as far as samples tell; `None` when it
    does not.

    It grows when it has grown in the last third of that time, and either by much in all or in each
    third. Nothing is said on few samples, or on old ones.
    """
    now = now_ms // SLOT_MS
    part = slice(bisect_left(found.slots, now - _GROWTH), bisect_left(found.slots, now + 1))
    pairs = zip(found.slots[part], found.columns.get(name, [])[part], strict=False)
    recent = [(slot, value) for slot, value in pairs if value is not None]
    if not recent or recent[-1][0] - recent[0][0] < _LEAST or now - recent[-1][0] > _RECENT:
        return None
    (first, old), (last, new) = recent[0], recent[-1]
    thirds = _thirds(recent)
    is_much = new - old >= max(_MUCH, _PART * old)
    if new <= old or not thirds[-1] or not (is_much or all(thirds)):
        return None
    return Growth(new - old, (last - first) * SLOT_MS)


def _thirds(told: Sequence[tuple[int, int]]) -> list[bool]:
    """Whether a number grew in each third of the time from the first to the last of its values."""
    slots, values = zip(*told, strict=True)
    first, last = slots[0], slots[-1]
    ends = [first + (last - first) * at // 3 for at in range(4)]
    at_ends = [values[bisect_right(slots, end) - 1] for end in ends]
    return [new > old for old, new in pairwise(at_ends)]
