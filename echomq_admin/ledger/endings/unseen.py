"""What the ledger cannot know of a range of endings: since when it watches, spans in which it did
not, entries of the trail that are missing, deaths that have no entry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import BigIntegerField, Count, F, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Greatest

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.ledger import trail
from echomq_admin.ledger.endings.models import Source
from echomq_admin.ledger.endings.sieve import Filter, where_of
from echomq_admin.ledger.keysets import Covers
from echomq_admin.ledger.models import Gap
from echomq_admin.ledger.observing.models import Blind, Lead, Watched

MOST_SPANS = 100
MOST_LACKING = 5
# What the agent writes down every few seconds is late after so long.
LATE_MS = 60_000


@dataclass(frozen=True)
class Span:
    """From when to when a server, or one `queue` of it, was not watched, and why: a sentence."""

    server: str
    queue: str | None
    from_ms: int
    to_ms: int
    why: str


def spans(wanted: Filter, found: Covers) -> tuple[list[Span], bool]:
    """The spans that touch a page, those that ended last first; whether there are more than the
    `MOST_SPANS` that are told. None where only scripts are asked, which no observer has to see."""
    if wanted.source == Source.SCRIPT:
        return [], False
    rows: list[Blind] = []
    for server in _watched_servers(wanted):
        touching = Blind.objects.filter(_whose(wanted), _touches(wanted, found), server=server)
        newest = touching.select_related("place").order_by("-to_ms", "-pk")
        rows += newest[: MOST_SPANS + 1]
    rows.sort(key=lambda row: (row.to_ms, row.pk), reverse=True)
    return [_span(row) for row in rows[:MOST_SPANS]], len(rows) > MOST_SPANS


def gaps(wanted: Filter, found: Covers) -> list[Gap]:
    """The gaps of the trail within a page, newest first: what a script ended may be missing there.
    None where only others than scripts are asked."""
    return trail.gaps(_of_trail(wanted), found) if _asks_scripts(wanted) else []


def has_more_gaps(wanted: Filter) -> bool:
    """Whether there are gaps that `gaps` passes over: fewer are left of one queue."""
    return _asks_scripts(wanted) and trail.has_more_gaps(_of_trail(wanted))


def _asks_scripts(wanted: Filter) -> bool:
    return wanted.source in (None, Source.SCRIPT)


def _of_trail(wanted: Filter) -> trail.Filter:
    bounds = {"since_ms": wanted.since_ms, "until_ms": wanted.until_ms}
    return trail.Filter(server=wanted.server, queue=wanted.queue, **bounds)


def _watched_servers(wanted: Filter) -> list[str]:
    """An index answers for one server at a time; there are as many as have ever been led."""
    if wanted.server:
        return [wanted.server]
    return list(Lead.objects.values_list("server", flat=True))


def _whose(wanted: Filter) -> Q:
    if wanted.queue is None:
        return Q()
    return Q(place=None) | Q(place__in=where_of(wanted.server, wanted.queue))


def _touches(wanted: Filter, found: Covers) -> Q:
    """Whether a span shares an instant with what a page covers of the times that are asked for."""
    since = [ms for ms in (wanted.since_ms, found.since_ms) if ms is not None]
    until = [ms for ms in (wanted.until_ms, found.until_ms) if ms is not None]
    touching = Q(to_ms__gt=max(since)) if since else Q()
    return touching & Q(from_ms__lt=min(until)) if until else touching


def _span(row: Blind) -> Span:
    queue = from_wire(bytes(row.place.queue)) if row.place else None
    return Span(row.server, queue, row.from_ms, row.to_ms, row.why)


@dataclass(frozen=True)
class Lacking:
    """A queue that counts so many deaths more than the ledger has."""

    server: str
    queue: str
    deaths: int


@dataclass(frozen=True)
class Watching:
    """How many `queues` are watched; the first of them since `since_ms`, the last since `all_ms`,
    both `None` for none. `seen_ms` is when some of them were looked at last, by their server. Of
    those that are looked at still, a pass over the dead jobs of each came to its end at `passed_ms`
    or later, `None` where that of one has not.

    `missing` is how many deaths the counters of the queues tell of which no ending does: a counter
    is as old as its queue, so it also tells of those from before the ledger. `lacking` names the
    queues with most of them. `unknown` counts the queues of which that is not known, as their
    counters were set back or cannot be read.
    """

    queues: int = 0
    since_ms: int | None = None
    all_ms: int | None = None
    seen_ms: Mapping[str, int] = field(default_factory=dict)
    passed_ms: int | None = None
    missing: int = 0
    unknown: int = 0
    lacking: tuple[Lacking, ...] = ()


def watching(wanted: Filter) -> Watching:
    """What is watched of the queues that a filter asks for."""
    seen = _watched(wanted).order_by()
    seen_ms = dict(seen.values_list("place__server").annotate(Max("seen_ms")))
    sums = _sums(seen, _still(seen_ms))
    return Watching(
        queues=sums["queues"],
        since_ms=sums["first"],
        all_ms=sums["last"],
        seen_ms=seen_ms,
        passed_ms=sums["whole"] if sums["passed"] == sums["still"] else None,
        missing=int(sums["missing"]),
        unknown=sums["queues"] - sums["known"],
        lacking=_lacking(seen) if sums["missing"] else (),
    )


def _sums(seen: QuerySet[Watched], still: Q) -> dict[str, Any]:
    # What is entered since the counters were read makes less than none missing for a while.
    lacking = Greatest(F("failed") - F("place__deaths"), 0, output_field=BigIntegerField())
    return seen.aggregate(
        queues=Count("pk"),
        first=Min("since_ms"),
        last=Max("since_ms"),
        still=Count("pk", filter=still),
        whole=Min("passed_ms", filter=still),
        passed=Count("passed_ms", filter=still),
        known=Count("failed"),
        missing=Sum(lacking, filter=Q(failed__isnull=False), default=0),
    )


def _still(seen_ms: Mapping[str, int]) -> Q:
    """The queues that were looked at when their server was last: the others are gone from it."""
    each = (Q(place__server=name, seen_ms__gt=ms - LATE_MS) for name, ms in seen_ms.items())
    return reduce(or_, each, Q())


def _lacking(seen: QuerySet[Watched]) -> tuple[Lacking, ...]:
    rows = seen.annotate(deaths=F("failed") - F("place__deaths")).filter(deaths__gt=0)
    most = rows.order_by("-deaths", "pk").values_list("place__server", "place__queue", "deaths")
    return tuple(
        Lacking(server, from_wire(bytes(queue)), deaths)
        for server, queue, deaths in most[:MOST_LACKING]
    )


def unwatched(found: Watching, now_ms: Mapping[str, float]) -> list[tuple[str, int]]:
    """The servers at whose queues no agent has looked for a minute by their own clocks, which
    `now_ms` tells, each with when one did last."""
    return [
        (server, found.seen_ms[server])
        for server, now in now_ms.items()
        if now - found.seen_ms.get(server, math.inf) > LATE_MS
    ]


def _watched(wanted: Filter) -> QuerySet[Watched]:
    rows = Watched.objects.all()
    if wanted.server or wanted.queue is not None:
        rows = rows.filter(place__in=where_of(wanted.server, wanted.queue))
    return rows
