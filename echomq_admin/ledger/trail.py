"""The trail as it is read: newest first, cut by time and id, never by a count of rows.

Nothing here writes. One filter is read from its index; where several are given, the one that leaves
the fewest entries leads, and the others look through at most `WINDOW` of these at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.db.models.functions import Length

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.models import Gap, Kind, TrailEntry, TrailJob, job_key
from echomq_admin.ledger.sieve import Filter, Key, Sieve, sieve

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
_CURSOR = re.compile(r"([on])(-?[0-9]{1,18})\.([0-9]{1,18})\Z")


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


@dataclass(frozen=True)
class _Walked:
    """Keys in the order walked; `is_more` behind them, `edge` where the window ended."""

    keys: list[Key]
    is_more: bool
    edge: Key | None


def page(wanted: Filter, rows: int, cursor: str = "") -> Page:
    """At most `rows` entries from `cursor` on; fewer where their jobs are heavy.

    A cursor that is none of ours means the newest, as does one of a page with nothing newer.
    """
    sifted = sieve(wanted, WINDOW)
    found = _CURSOR.match(cursor)
    start = (int(found[2]), int(found[3])) if found else None
    if found and found[1] == "n":
        newer = _newer(sifted, rows, start)
        if newer:
            return newer
        start = None
    return _older(sifted, rows, start)


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
    inside = [gap for gap in newest if _is_within(gap_ms(gap), wanted, found)]
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


def _is_within(ms: int, wanted: Filter, found: Page) -> bool:
    far = 2**63
    on_page = _or(found.since_ms, -far) < ms <= _or(found.until_ms, far)
    return on_page and _or(wanted.since_ms, -far) <= ms < _or(wanted.until_ms, far)


def _or(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


def names_job(server: str, queue: str, job_id: str) -> bool:
    """Whether an entry of this queue names the job."""
    named = TrailJob.objects.filter(job=job_key(job_id))
    return named.filter(entry__server=server, entry__queue=to_wire(queue)).exists()


def _older(sifted: Sieve, rows: int, start: Key | None) -> Page:
    walked = _walk(sifted, rows, start, newer=False)
    kept, is_cut = _light_enough(walked.keys)
    last = kept[-1] if kept and (is_cut or walked.is_more) else walked.edge
    first = kept[0] if kept else start
    return Page(
        entries=_loaded(kept),
        previous=_cursor("n", first) if start else None,
        next=_cursor("o", last),
        since_ms=last[0] if last else None,
        until_ms=start[0] if start else None,
        reached_ms=walked.edge[0] if walked.edge and last is walked.edge else None,
    )


def _newer(sifted: Sieve, rows: int, start: Key | None) -> Page | None:
    """The page before a key, or `None` when that is the newest."""
    walked = _walk(sifted, rows, start, newer=True)
    kept, is_cut = _light_enough(walked.keys)
    if not (is_cut or walked.is_more or walked.edge):
        return None
    first = kept[-1] if kept and (is_cut or walked.is_more) else walked.edge
    last = kept[0] if kept else start
    return Page(
        entries=_loaded(kept[::-1]),
        previous=_cursor("n", first),
        next=_cursor("o", last),
        since_ms=last[0] if last else None,
        until_ms=first[0] if first else None,
        reached_ms=walked.edge[0] if walked.edge and first is walked.edge else None,
    )


def _walk(sifted: Sieve, rows: int, start: Key | None, *, newer: bool) -> _Walked:
    edge = sifted.edge(start, newer=newer, far=WINDOW) if sifted.has_rest else None
    keys = sifted.keys(start, edge, newer=newer, most=rows + 1)
    is_more = len(keys) > rows
    return _Walked(keys[:rows], is_more, None if is_more else edge)


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


def _cursor(way: str, key: Key | None) -> str | None:
    return f"{way}{key[0]}.{key[1]}" if key else None
