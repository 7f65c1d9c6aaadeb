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
from echomq_admin.ledger.keysets import Covers, Cut, Key, cut, is_within
from echomq_admin.ledger.models import Gap, Kind, TrailEntry, TrailJob, job_key
from echomq_admin.ledger.sieve import Filter, sieve

__all__ = [
    "COUNTED",
    "MOST_GAPS",
    "WINDOW",
    "Filter",
    "Page",
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
class Page(Cut):
    """Entries, newest first. `total` is how many there are, at most one above `COUNTED`; `None`
    where it was not asked for, or when it takes looking at each one to tell."""

    entries: tuple[TrailEntry, ...] = ()
    total: int | None = None


def page(wanted: Filter, rows: int, cursor: str = "", *, counted: bool = False) -> Page:
    """At most `rows` entries from `cursor` on, fewer where their jobs are heavy; with `counted`,
    how many there are.

    A cursor that is none of ours means the newest, as does one of a page with nothing newer.
    """
    sifted = sieve(wanted, WINDOW)
    found = cut(sifted, rows, cursor, WINDOW, _light_enough)
    total = sifted.total(COUNTED) if counted else None
    return Page(**vars(found), entries=_loaded(found.keys), total=total)


def every(wanted: Filter) -> Iterator[TrailEntry]:
    """All entries, newest first, read a few at a time. What is written meanwhile is not met."""
    sifted = sieve(wanted, WINDOW)
    cursor: str | None = ""
    while cursor is not None:
        found = cut(sifted, CHUNK, cursor, WINDOW, _light_enough)
        yield from _loaded(found.keys)
        cursor = found.next


def gaps(wanted: Filter, found: Covers) -> list[Gap]:
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
