"""How long the ledger keeps what: endings, and what is counted of them, for `EMQ_LEDGER_DAYS` by
their kind, samples for two days, all else for the longest of the days.

Time is that of each server, as the observer saw it last: what it has not seen pass has not passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Event

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Model, Q, QuerySet

from echomq_admin.fleet import servers
from echomq_admin.ledger.endings.models import (
    SLOT_MS,
    Ending,
    EndingKind,
    ErrorText,
    Lane,
    LongId,
    Place,
    Tally,
)
from echomq_admin.ledger.endings.names import one_writer
from echomq_admin.ledger.notes import host_ms
from echomq_admin.ledger.observing.models import Blind, Watched
from echomq_admin.ledger.samples.models import KEPT_H, SampleHour

HOUR_MS, DAY_MS = 3_600_000, 86_400_000
# So many rows are looked at, and deleted, at a time; others write meanwhile.
AT_ONCE = 500
BREATH_S = 0.05
# Where a server says to be, seen from this host, at most: one wrong clock deletes nothing.
_APART_MS = DAY_MS
_WORDS = {
    EndingKind.RECOVERED: "stalled",
    EndingKind.DEAD: "stalled",
    EndingKind.REAPED: "reaped",
    EndingKind.FAILED: "failed",
    EndingKind.OPERATOR: "operator",
    EndingKind.UNCERTAIN: "uncertain",
}
# By server, before when its rows are kept no more, unix ms.
Cuts = Mapping[str, int]


def prune(stop: Event) -> int:
    """Delete what has been kept for long enough, until `stop` is set; how many rows. Queues stay.

    Raises `django.db.Error`, and `servers.UnreadableSetting`.
    """
    now_ms, count = _clocks(), 0
    if not now_ms or stop.is_set():
        return 0
    for deleted in _steps(now_ms, settings.EMQ_LEDGER_DAYS):
        count += deleted
        if stop.wait(BREATH_S):
            break
    return count


def _steps(now_ms: Cuts, days: Mapping[str, float]) -> Iterator[int]:
    """Delete a few rows each, and tell how many; names only after all that may name them."""
    for kind, word in _WORDS.items():
        cuts = _cuts(now_ms, days[word])
        yield from _placed(Ending, "ended_ms", cuts, Q(kind=kind))
        slots = {name: cut // SLOT_MS for name, cut in cuts.items()}
        yield from _placed(Tally, "slot", slots, Q(kind=kind))
    last = _cuts(now_ms, max(days.values()))
    for name, cut in last.items():
        yield from _plain(Blind.objects.filter(server=name, to_ms__lt=cut), "to_ms")
    # Who takes samples of a server prunes them, too; these are of those that nobody samples.
    for name, ms in now_ms.items():
        old = {"place__server": name, "hour__lt": ms // HOUR_MS - KEPT_H}
        yield from _plain(SampleHour.objects.filter(**old), "hour")
    for model in (Lane, ErrorText, LongId):
        yield from _plain(model.objects.filter(last_ms__lt=min(last.values())), "last_ms")


def _placed(model: type[Model], column: str, cuts: Cuts, which: Q) -> Iterator[int]:
    """Rows of queues, whose servers have each its own clock: all that one of them may not keep are
    passed once, in the order of an index."""
    cut_of = {
        pk: cuts[server]
        for pk, server in Place.objects.values_list("pk", "server")
        if server in cuts
    }
    rows = model.objects.filter(which, **{f"{column}__lt": max(cuts.values())})
    left = rows.order_by(column, "pk")
    while some := list(left.values_list(column, "pk", "place_id")[:AT_ONCE]):
        old = [pk for value, pk, place in some if place in cut_of and value < cut_of[place]]
        yield model.objects.filter(pk__in=old).delete()[0]
        value, pk, _ = some[-1]
        behind = Q(**{f"{column}__gt": value}) | Q(**{column: value, "pk__gt": pk})
        left = rows.filter(behind, **{f"{column}__gte": value}).order_by(column, "pk")


def _plain(rows: QuerySet, column: str) -> Iterator[int]:
    while some := list(rows.order_by(column).values_list("pk", flat=True)[:AT_ONCE]):
        with transaction.atomic():
            one_writer()
            # Asked again: what was named anew meanwhile stays.
            deleted = rows.filter(pk__in=some).delete()[0]
        yield deleted


def _clocks() -> dict[str, int]:
    """What each server's clock says at least, of those that the ledger knows something of."""
    watched = Watched.objects.values_list("place__server").annotate(Max("seen_ms"))
    seen: dict[str, int] = dict(watched)
    for pk, server in Place.objects.exclude(server__in=list(seen)).values_list("pk", "server"):
        newest = Ending.objects.filter(place=pk).order_by("-ended_ms").values_list("ended_ms")
        for (ended_ms,) in newest[:1]:
            seen[server] = max(ended_ms, seen.get(server, ended_ms))
    here, configured = host_ms(), {one.name for one in servers.servers()}
    # Of a server that is no longer looked at, time goes on here.
    return {
        name: min(ms if name in configured else max(ms, here - _APART_MS), here + _APART_MS)
        for name, ms in seen.items()
    }


def _cuts(now_ms: Cuts, days: float) -> dict[str, int]:
    return {name: ms - int(days * DAY_MS) for name, ms in now_ms.items()}
