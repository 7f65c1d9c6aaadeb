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
from echomq_admin.ledger.keysets import Cut, cut

__all__ = ["COUNTED", "MOST_OF_JOB", "WINDOW", "Filter", "Page", "every", "of_job", "page"]

WINDOW = 20_000
COUNTED = 10_000
CHUNK = 500
MOST_OF_JOB = 1_000


@dataclass(frozen=True)
class Page(Cut):
    """Endings, newest first. `total` is how many there are, at most one above `COUNTED`; `None`
    where it was not asked for, or when it takes looking at each one to tell."""

    endings: tuple[Told, ...] = ()
    total: int | None = None


def page(wanted: Filter, rows: int, cursor: str = "", *, counted: bool = False) -> Page:
    """At most `rows` endings from `cursor` on; with `counted`, how many there are.

    A cursor that is none of ours means the newest, as does one of a page with nothing newer.
    """
    sifted = sieve(wanted, WINDOW)
    found = cut(sifted, rows, cursor, WINDOW)
    endings = told([pk for _, pk in found.keys])
    return Page(**vars(found), endings=endings, total=sifted.total(COUNTED) if counted else None)


def every(wanted: Filter) -> Iterator[Told]:
    """All endings, newest first, read a few at a time. What is written meanwhile is not met."""
    sifted = sieve(wanted, WINDOW)
    cursor: str | None = ""
    while cursor is not None:
        found = cut(sifted, CHUNK, cursor, WINDOW)
        yield from told([pk for _, pk in found.keys])
        cursor = found.next


def of_job(server: str, queue: str, job_id: str) -> list[Told]:
    """The leases of a job that ended, in the order of their lives and attempts; of more than
    `MOST_OF_JOB` the last ones."""
    at = {"place__server": server, "place__queue": to_wire(queue), "job": job_ref(job_id)}
    newest = Ending.objects.filter(**at).order_by("-life", "-attempts", "-n")[:MOST_OF_JOB]
    return list(told(list(newest.values_list("pk", flat=True))[::-1]))
