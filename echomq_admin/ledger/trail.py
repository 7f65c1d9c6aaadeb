"""The trail as it is read: newest first, cut by time and id, never by a count of rows.

Nothing here writes. One filter is read from its index; where several are given, the one that leaves
the fewest entries leads, and the others look through at most `WINDOW` of these at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.db.models.functions import Length

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.keysets import Key, cut, is_within
from echomq_admin.ledger.models import Gap, Kind, TrailEntry, TrailJob, job_key
from echomq_admin.ledger.sieve import Filter, sieve

__all__ = [
    "COUNTED",
    "MOST_GAPS",
    "WINDOW",
    "Filter",
    "Page",
    "count",
    "every",
    "gap_ms",
    "gaps",
    "has_more_gaps",
    "names_job",
    "page",
]

WINDOW = 20_000
COUNTED = 10_000
# What the jobs of one page may weigh: a thousand of them, with their errors, are 150 kB.
MOST_BYTES = 2_000_000
CHUNK = 200
MOST_GAPS = 500


@dataclass(frozen=True)
class Page:
    """Entries, newest first, with the cursors of the pages beside them, `None` at an end.

    `reached_ms` is set when `WINDOW` entries were looked through without filling the page: how far
    back it has looked, and `next` goes on there. The page covers the times from `since_ms`
    (excluded) to `until_ms` (included), `None` for no end.
    """

    entries: tuple[TrailEntry, ...]
    previous: str | None
    next: str | None
    since_ms: int | None = None
    until_ms: int | None = None
    reached_ms: int | None = None


def page(wanted: Filter, rows: int, cursor: str = "") -> Page:
    """At most `rows` entries from `cursor` on; fewer where their jobs are heavy.

    A cursor that is none of ours means the newest, as does one of a page with nothing newer.
    """
    found = cut(sieve(wanted, WINDOW), rows, cursor, WINDOW, _light_enough)
    bounds = found.since_ms, found.until_ms, found.reached_ms
    return Page(_loaded(found.keys), found.previous, found.next, *bounds)


def count(wanted: Filter) -> int | None:
    """How many entries there are, at most one above `COUNTED`; `None` when it takes looking at
    each one to tell."""
    sifted = sieve(wanted, WINDOW)
    return None if sifted.has_rest else sifted.count(COUNTED + 1)


def every(wanted: Filter) -> Iterator[TrailEntry]:
    """All entries, newest first, read a few at a time. What is written meanwhile is not met."""
    cursor: str | None = ""
    while cursor is not None:
        found = page(wanted, CHUNK, cursor)
        yield from found.entries
        cursor = found.next


def gaps(wanted: Filter, found: Page) -> list[Gap]:
    """What is missing within the times of a page, newest first; none where the filter asks for
    what is not copied from streams. A gap may have held entries of any person, verb or job."""
    newest = _gap_rows(wanted)[:MOST_GAPS]
    bounds = wanted.since_ms, wanted.until_ms
    inside = [gap for gap in newest if is_within(gap_ms(gap), bounds, found)]
    return sorted(inside, key=gap_ms, reverse=True)


def has_more_gaps(wanted: Filter) -> bool:
    """Whether there are gaps that `gaps` passes over, as it looks at the last `MOST_GAPS` that were
    found: fewer are left of one queue."""
    return _gap_rows(wanted)[MOST_GAPS : MOST_GAPS + 1].exists()


def _gap_rows(wanted: Filter) -> QuerySet[Gap]:
    """Those that were found last first."""
    if wanted.kind not in ("", Kind.MOVED):
        return Gap.objects.none()
    rows = Gap.objects.filter(**({"server": wanted.server} if wanted.server else {}))
    if wanted.queue is not None:
        rows = rows.filter(queue=to_wire(wanted.queue))
    return rows.order_by("-pk")


def gap_ms(gap: Gap) -> int:
    """When the gap ended: the instant of the first entry behind it, by the server's clock, or
    that of its finding when no entry is."""
    ms, _, _ = gap.before_id.partition("-")
    return int(ms) if ms.isdecimal() and len(ms) <= 15 else gap.found_at_ms


def names_job(server: str, queue: str, job_id: str) -> bool:
    """Whether an entry of this queue names the job."""
    named = TrailJob.objects.filter(job=job_key(job_id))
    return named.filter(entry__server=server, entry__queue=to_wire(queue)).exists()


def _light_enough(keys: Sequence[Key]) -> tuple[list[Key], bool]:
    """The keys up to where the jobs of their entries weigh `MOST_BYTES`, at least one; whether
    any were left out."""
    ids = [entry_id for _, entry_id in keys]
    found = TrailEntry.objects.filter(pk__in=ids).values_list("pk", Length("jobs"))
    sizes, total = dict(found), 0
    for at, (_, entry_id) in enumerate(keys):
        total += sizes.get(entry_id) or 0
        if at and total > MOST_BYTES:
            return list(keys[:at]), True
    return list(keys), False


def _loaded(keys: Sequence[Key]) -> tuple[TrailEntry, ...]:
    found = TrailEntry.objects.in_bulk([entry_id for _, entry_id in keys])
    return tuple(found[entry_id] for _, entry_id in keys if entry_id in found)
