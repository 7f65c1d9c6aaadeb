"""Endings as they are read: newest first, cut by time and id, never by a count of rows.

Nothing here writes. One filter is read from its index; where several are given, the one that leaves
the fewest endings leads, and the others look through at most `WINDOW` of these at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings.models import Ending
from echomq_admin.ledger.endings.names import job_ref
from echomq_admin.ledger.endings.sieve import Filter, sieve
from echomq_admin.ledger.endings.told import Told, told
from echomq_admin.ledger.keysets import cut

__all__ = ["COUNTED", "MOST_OF_JOB", "WINDOW", "Filter", "Page", "count", "every", "of_job", "page"]

WINDOW = 20_000
COUNTED = 10_000
CHUNK = 500
MOST_OF_JOB = 1_000


@dataclass(frozen=True)
class Page:
    """Endings, newest first; the other fields are those of a `Cut`."""

    endings: tuple[Told, ...]
    previous: str | None
    next: str | None
    since_ms: int | None = None
    until_ms: int | None = None
    reached_ms: int | None = None


def page(wanted: Filter, rows: int, cursor: str = "") -> Page:
    """At most `rows` endings from `cursor` on.

    A cursor that is none of ours means the newest, as does one of a page with nothing newer.
    """
    found = cut(sieve(wanted, WINDOW), rows, cursor, WINDOW)
    endings = told([pk for _, pk in found.keys])
    bounds = found.since_ms, found.until_ms, found.reached_ms
    return Page(endings, found.previous, found.next, *bounds)


def count(wanted: Filter) -> int | None:
    """How many endings there are, at most one above `COUNTED`; `None` when it takes looking at
    each one to tell."""
    if wanted.text:
        return None
    sifted = sieve(wanted, WINDOW)
    return None if sifted.has_rest else sifted.count(COUNTED + 1)


def every(wanted: Filter) -> Iterator[Told]:
    """All endings, newest first, read a few at a time. What is written meanwhile is not met."""
    sifted, cursor = sieve(wanted, WINDOW), ""
    while True:
        found = cut(sifted, CHUNK, cursor, WINDOW)
        yield from told([pk for _, pk in found.keys])
        if found.next is None:
            return
        cursor = found.next


def of_job(server: str, queue: str, job_id: str) -> list[Told]:
    """The leases of a job that ended, in the order of their lives and attempts; of more than
    `MOST_OF_JOB` the last ones."""
    at = {"place__server": server, "place__queue": to_wire(queue), "job": job_ref(job_id)}
    newest = Ending.objects.filter(**at).order_by("-life", "-attempts", "-n")[:MOST_OF_JOB]
    return list(told(list(newest.values_list("pk", flat=True))[::-1]))
