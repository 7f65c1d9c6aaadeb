"""Endings over time, and what stalls most: counted for the page, within bounds that it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.lookups import Exact, In

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.ledger.endings.models import (
    SLOT_MS,
    STALLS,
    Ending,
    Lane,
    Place,
    Source,
    Tally,
)
from echomq_admin.ledger.endings.names import ids_of
from echomq_admin.ledger.endings.sieve import Filter, Where, looked_through, sieve, where
from echomq_admin.ledger.endings.told import lane_name
from echomq_admin.ledger.keysets import during, number

MOST_BARS = 100
# So many of the newest endings are looked at; beyond that, the tallies of so many rows.
LOOKED = 20_000
TALLIES = 100_000
TOP = 5
HOUR_MS = 3_600_000
_S, _MIN, _DAY = 1_000, 60_000, 86_400_000
_STEPS_MS = (
    *(_S, 2 * _S, 5 * _S, 10 * _S, 15 * _S, 30 * _S),
    *(_MIN, 2 * _MIN, 5 * _MIN, 10 * _MIN, 15 * _MIN, 30 * _MIN),
    *(HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS),
    *(_DAY, 2 * _DAY, 5 * _DAY, 10 * _DAY, 30 * _DAY, 90 * _DAY),
)
_YEAR = 360 * _DAY
# Beside the kinds: what was found among the dead. When it died is not known, only by when.
FOUND = 0
# A job, a lane: the number of its queue, and its own name or number.
_Job = tuple[int, bytes]
_Lane = tuple[int, int]
# The number of a span of time, and a kind or `FOUND`.
_Bucket = tuple[int, int]


@dataclass(frozen=True)
class Bar:
    """What ended from one time (included) to another (not included), by kind or as `FOUND`."""

    from_ms: int
    to_ms: int
    counts: Mapping[int, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True)
class Top:
    """One of those that stall most, and how often; `job_id` or `lane` is `None` where it is not
    about one, `lane_cut` as of an ending."""

    count: int
    server: str = ""
    queue: str = ""
    job_id: str | None = None
    lane: str | None = None
    lane_cut: bool = False
    from_ms: int = 0


@dataclass(frozen=True)
class Shape:
    """Bars from the oldest to the newest, with those in which nothing ended, each `step_ms` wide.

    `is_tallied`: whole slots of five minutes are counted. `bars_from_ms` and `tops_from_ms` are set
    where older endings were not looked at, from where on they count; `looked` is how many endings
    were looked at.
    """

    bars: tuple[Bar, ...] = ()
    step_ms: int = 0
    is_tallied: bool = False
    bars_from_ms: int | None = None
    tops_from_ms: int | None = None
    looked: int = 0
    jobs: tuple[Top, ...] = ()
    lanes: tuple[Top, ...] = ()
    hours: tuple[Top, ...] = ()


@dataclass
class _Counted:
    """Endings by the second in which they ended and their kind or `FOUND`, and the stalls of each
    job, lane and hour; of an hour those of which it is known."""

    times: Counter[_Bucket] = field(default_factory=Counter)
    jobs: Counter[_Job] = field(default_factory=Counter)
    lanes: Counter[_Lane] = field(default_factory=Counter)
    hours: Counter[int] = field(default_factory=Counter)


def shape(wanted: Filter, now_ms: int) -> Shape:
    """The shape of what a filter finds; `now_ms` is where the bars end when it has no end."""
    sifted = sieve(wanted, LOOKED)
    edge = sifted.edge(None, newer=False, far=LOOKED)
    rows = looked_through(sifted, edge, "ended_ms", "kind", "source", "place_id", "job", "lane_id")
    counted = _counted(rows, _kinds(wanted))
    reached = edge[0] if edge else None
    tops = {
        "looked": LOOKED if edge else len(rows),
        "tops_from_ms": reached,
        "jobs": _jobs(counted.jobs),
        "lanes": _lanes(counted.lanes),
    }
    if edge and _has_tally(wanted):
        return _tallied(wanted, now_ms, tops)
    hours = _hours(counted.hours)
    bars, step = _bars(counted.times, _S, wanted, now_ms, reached)
    return Shape(bars, step, False, reached, hours=hours, **tops)


def _kinds(wanted: Filter) -> Collection[int]:
    """The kinds of which those that stall most have most."""
    return STALLS if wanted.kind is None else (wanted.kind,)


def _counted(rows: Iterable[tuple], kinds: Collection[int]) -> _Counted:
    counted = _Counted()
    for ended_ms, kind, source, place, job, lane in rows:
        is_found = source == Source.FOUND
        counted.times[ended_ms // _S, FOUND if is_found else kind] += 1
        if kind in kinds:
            counted.jobs[place, bytes(job)] += 1
            counted.hours[ended_ms // HOUR_MS] += not is_found
            if lane is not None:
                counted.lanes[place, lane] += 1
    return counted


def _has_tally(wanted: Filter) -> bool:
    """Whether tallies tell apart what the filter asks for."""
    rare = (wanted.lane, wanted.job_id, wanted.source)
    return not wanted.text and all(value is None for value in rare)


def _tallied(wanted: Filter, now_ms: int, tops: Mapping[str, object]) -> Shape:
    meant = where(wanted) or Where()
    slots, found = _slots(wanted, meant), _found(wanted, meant)
    reached = _reached(slots, found)
    if reached is not None:
        slots = slots.filter(slot__gte=reached // SLOT_MS)
        found = found.filter(ended_ms__gte=reached)
    edges = _edges(slots)
    since = wanted.since_ms if reached is None else reached
    step = _step(*_range(edges, SLOT_MS, wanted, now_ms, since), SLOT_MS)
    bars, step = _bars(_apart(slots, found, step), step, wanted, now_ms, since)
    hours = Counter[int]()
    for (hour, kind), count in _apart(slots, found, HOUR_MS).items():
        hours[hour] += count if kind in _kinds(wanted) else 0
    return Shape(bars, step, True, reached, hours=_hours(hours), **tops)


def _reached(slots: QuerySet[Tally], found: QuerySet[Ending]) -> int | None:
    """Where what is counted begins, when there is more than `TALLIES` of either."""
    tally = slots.order_by("-slot").values_list("slot", flat=True)[TALLIES : TALLIES + 1]
    row = found.order_by("-ended_ms").values_list("ended_ms", flat=True)[TALLIES : TALLIES + 1]
    beyond = [*tally, *(ms // SLOT_MS for ms in row)]
    return (max(beyond) + 1) * SLOT_MS if beyond else None


def _apart(slots: QuerySet[Tally], found: QuerySet[Ending], step: int) -> Counter[_Bucket]:
    """What is counted by spans of `step`, with what was found among the dead apart."""
    apart = _sums(slots, step)
    for (bucket, kind), count in _sums_of_found(found, step).items():
        moved = min(count, apart[bucket, kind])
        apart[bucket, kind] -= moved
        apart[bucket, FOUND] += moved
    return apart


def _found(wanted: Filter, meant: Where) -> QuerySet[Ending]:
    rows = Ending.objects.filter(during("ended_ms", *_whole_slots(wanted)), source=Source.FOUND)
    if wanted.kind is not None:
        rows = rows.filter(Exact(number("kind"), wanted.kind))
    if meant.one is not None:
        return rows.filter(Exact(number("place"), meant.one))
    return rows if meant.several is None else rows.filter(_is_in(meant.several))


def _whole_slots(wanted: Filter) -> tuple[int | None, int | None]:
    """The times that are asked for, out to the edges of slots."""
    since, until = wanted.since_ms, wanted.until_ms
    return (
        None if since is None else since // SLOT_MS * SLOT_MS,
        None if until is None else -(-until // SLOT_MS) * SLOT_MS,
    )


def _is_in(places: QuerySet[Place]) -> Q:
    return Q(In(number("place"), places.values("pk").query))


def _slots(wanted: Filter, meant: Where) -> QuerySet[Tally]:
    since, until = _whole_slots(wanted)
    slots = Tally.objects.all()
    if since is not None:
        slots = slots.filter(slot__gte=since // SLOT_MS)
    if until is not None:
        slots = slots.filter(slot__lt=until // SLOT_MS)
    if wanted.kind is not None:
        slots = slots.filter(kind=wanted.kind)
    if meant.one is not None:
        return slots.filter(place=meant.one)
    return slots if meant.several is None else slots.filter(_is_in(meant.several))


def _edges(slots: QuerySet[Tally]) -> list[int]:
    """The first and the last slot, none where there is no tally."""
    first = slots.order_by("slot").values_list("slot", flat=True)[:1]
    last = slots.order_by("-slot").values_list("slot", flat=True)[:1]
    return [*first, *last]


def _sums(slots: QuerySet[Tally], step: int) -> Counter[_Bucket]:
    grouped = slots.order_by().annotate(bucket=F("slot") / (step // SLOT_MS))
    rows = grouped.values("bucket", "kind").annotate(sum=Sum("count"))
    return Counter({(row["bucket"], row["kind"]): row["sum"] for row in rows})


def _sums_of_found(found: QuerySet[Ending], step: int) -> Counter[_Bucket]:
    grouped = found.order_by().annotate(bucket=F("ended_ms") / step)
    rows = grouped.values("bucket", "kind").annotate(sum=Count("pk"))
    return Counter({(row["bucket"], row["kind"]): row["sum"] for row in rows})


def _hours(counts: Counter[int]) -> tuple[Top, ...]:
    most = sorted(((n, hour) for hour, n in counts.items() if n), reverse=True)[:TOP]
    return tuple(Top(n, from_ms=hour * HOUR_MS) for n, hour in most)


def _bars(
    times: Counter[_Bucket], unit: int, wanted: Filter, now_ms: int, reached: int | None
) -> tuple[tuple[Bar, ...], int]:
    """Bars over counts by (number of the unit, kind), and how wide each is. `reached` is where what
    was looked at begins."""
    since, until = _range([at for at, _ in times], unit, wanted, now_ms, reached)
    if since >= until or not times:
        return (), 0
    step = _step(since, until, unit)
    buckets: dict[int, Counter[int]] = {}
    for (at, kind), count in times.items():
        buckets.setdefault(at * unit // step, Counter())[kind] += count
    numbers = range(since // step, -(-until // step))
    return tuple(_bar(at, step, wanted, buckets.get(at, Counter())) for at in numbers), step


def _bar(at: int, step: int, wanted: Filter, counts: Mapping[int, int]) -> Bar:
    """A bar within the times that are asked for."""
    since = at * step if wanted.since_ms is None else max(at * step, wanted.since_ms)
    until = (at + 1) * step
    return Bar(since, until if wanted.until_ms is None else min(until, wanted.until_ms), counts)


def _range(
    numbers: list[int], unit: int, wanted: Filter, now_ms: int, reached: int | None
) -> tuple[int, int]:
    """From where to where bars are drawn: what is asked for, without what is to come."""
    first, last = min(numbers, default=0) * unit, (max(numbers, default=0) + 1) * unit
    since = first if wanted.since_ms is None else wanted.since_ms
    until = max(now_ms, last)
    since = since if reached is None else max(since, reached)
    return since, until if wanted.until_ms is None else min(until, wanted.until_ms)


def _step(since: int, until: int, least: int) -> int:
    """The width with which no more than `MOST_BARS` cover the range, in whole `least`."""
    for step in _STEPS_MS:
        if step % least == 0 and -(-until // step) - since // step <= MOST_BARS:
            return step
    return _YEAR * max(1, -(-(until - since) // (_YEAR * (MOST_BARS - 1))))


def _jobs(counts: Counter[_Job]) -> tuple[Top, ...]:
    most = counts.most_common(TOP)
    ids = ids_of({job for (_, job), _ in most})
    where_at = _places(place for (place, _), _ in most)
    return tuple(Top(n, *where_at[place], job_id=ids[job]) for (place, job), n in most)


def _lanes(counts: Counter[_Lane]) -> tuple[Top, ...]:
    most = counts.most_common(TOP)
    lanes = Lane.objects.in_bulk([lane for (_, lane), _ in most])
    where_at = _places(place for (place, _), _ in most)
    known = ((n, place, lanes[lane]) for (place, lane), n in most if lane in lanes)
    return tuple(Top(n, *where_at[place], None, *lane_name(lane)) for n, place, lane in known)


def _places(pks: Iterable[int]) -> dict[int, tuple[str, str]]:
    found = Place.objects.in_bulk(set(pks))
    return {pk: (one.server, from_wire(bytes(one.queue))) for pk, one in found.items()}
