"""What the ledger cannot know of a range of endings: since when it watches, spans in which it did
not, entries of the trail that are missing, deaths that have no entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.ledger import trail
from echomq_admin.ledger.endings.models import Source
from echomq_admin.ledger.endings.sieve import Filter, where_of
from echomq_admin.ledger.keysets import Covers
from echomq_admin.ledger.models import Gap
from echomq_admin.ledger.observing.models import Blind, Lead, Watched

MOST_SPANS = 100


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
    if wanted.source not in (None, Source.SCRIPT):
        return []
    bounds = {"since_ms": wanted.since_ms, "until_ms": wanted.until_ms}
    return trail.gaps(trail.Filter(server=wanted.server, queue=wanted.queue, **bounds), found)


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
class Watching:
    """How many `queues` are watched; the first of them since `since_ms`, the last since `all_ms`,
    both `None` for none. `seen_ms` is when some of them were looked at last, by their server. A
    pass over the dead jobs of each came to its end at `passed_ms` or later, `None` where that of
    one has not.

    `missing` is how many deaths the counters of the queues tell of which no ending does, as
    `observing/found.py` says it of one; `unknown` counts the queues of which that is not known.
    """

    queues: int = 0
    since_ms: int | None = None
    all_ms: int | None = None
    seen_ms: Mapping[str, int] = field(default_factory=dict)
    passed_ms: int | None = None
    missing: int = 0
    unknown: int = 0


def watching(wanted: Filter) -> Watching:
    """What is watched of the queues that a filter asks for."""
    is_known = Q(failed__gte=F("place__deaths"))
    seen = _watched(wanted).order_by()
    told = seen.aggregate(
        queues=Count("pk"),
        first=Min("since_ms"),
        last=Max("since_ms"),
        whole=Min("passed_ms"),
        passed=Count("passed_ms"),
        known=Count("pk", filter=is_known),
        counted=Sum("failed", filter=is_known, default=0),
        deaths=Sum("place__deaths", filter=is_known, default=0),
    )
    return Watching(
        queues=told["queues"],
        since_ms=told["first"],
        all_ms=told["last"],
        seen_ms=dict(seen.values_list("place__server").annotate(Max("seen_ms"))),
        passed_ms=told["whole"] if told["passed"] == told["queues"] else None,
        missing=int(told["counted"] - told["deaths"]),
        unknown=told["queues"] - told["known"],
    )


def _watched(wanted: Filter) -> QuerySet[Watched]:
    rows = Watched.objects.all()
    if wanted.server or wanted.queue is not None:
        rows = rows.filter(place__in=where_of(wanted.server, wanted.queue))
    return rows
