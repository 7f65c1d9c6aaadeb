"""When jobs died, as far as the ledger knows: of those on a page, and the deaths of a queue one
after another.

What died may have been requeued or removed since: only the server says which jobs are dead now.
Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from operator import itemgetter

from django.db.models import Q, QuerySet
from django.db.models.lookups import Exact, In

from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.models import DEATHS, Ending, Place, Source
from echomq_admin.ledger.keysets import Driver, Key, Sieve, bounded, number, read_cursor

# How many endings of a queue, of whatever kind, are looked through for a page of deaths.
WINDOW = 20_000
# So many deaths are held against the server at most, and ids of so many bytes.
MOST, MOST_BYTES = 1_000, 400_000
# Behind the ids of all rows of an instant.
_LAST = 10**18 - 1
_IS_DEATH = Q(kind__in=DEATHS)
_FIELDS = ("pk", "job", "attempts", "source", "ended_ms", "within_ms")


@dataclass(frozen=True)
class Death:
    """The newest death of a job that is known: after `ended_ms - within_ms`, at `ended_ms` at the
    latest, by the server's clock. `attempts` is `None` where the row's was no number."""

    job_id: str
    attempts: int | None
    source: Source
    ended_ms: int
    within_ms: int
    pk: int

    @property
    def key(self) -> Key:
        """Its place in the order of deaths."""
        return self.ended_ms, self.pk


@dataclass(frozen=True)
class Walk:
    """The newest deaths of jobs, one of each job, in the order walked; `edge` is where looking
    stopped before there were no more, `None` when there were no more."""

    deaths: tuple[Death, ...] = ()
    edge: Key | None = None


@dataclass(frozen=True)
class Start:
    """Where a page begins: at deaths before `key`, or with `is_newer` after it."""

    key: Key | None = None
    is_newer: bool = False

    @classmethod
    def read(cls, cursor: str, at_ms: int | None = None) -> Start:
        """From the cursor of a page; where it is none of ours, at deaths of `at_ms` and before."""
        way, key = read_cursor(cursor)
        if key:
            return cls(key, way == "n")
        until_ms = bounded(at_ms)
        return cls() if until_ms is None else cls((until_ms, _LAST))


def of_jobs(server: str, queue: str, job_ids: Iterable[str]) -> dict[str, Death]:
    """The newest death of each of these jobs of a queue, where one is known."""
    place = names.find_place(server, queue)
    refs = {names.job_ref(job_id): job_id for job_id in job_ids}
    if place is None or not refs:
        return {}
    found: dict[str, Death] = {}
    for row in sorted(_of_refs(place, refs), key=itemgetter(4, 0)):
        job_id = refs[bytes(row[1])]
        found[job_id] = _death(row, job_id)
    return found


def walk(server: str, queue: str, start: Start) -> Walk:
    """The deaths of a queue from there on: the newest first, or from a newer key upwards."""
    place = names.find_place(server, queue)
    if place is None:
        return Walk()
    sifted = Sieve(Driver(Ending.objects.filter(place=place), time="ended_ms"), _IS_DEATH)
    edge = sifted.edge(start.key, newer=start.is_newer, far=WINDOW)
    rows = sifted.rows(start.key, edge, newer=start.is_newer)
    found = list(rows.values_list(*_FIELDS)[: MOST + 1])
    deaths, is_cut = _light_enough(_told(_newest_of_jobs(place, found[:MOST])))
    if is_cut:
        return Walk(deaths, deaths[-1].key)
    return Walk(deaths, (found[MOST - 1][4], found[MOST - 1][0]) if len(found) > MOST else edge)


def _newest_of_jobs(place: Place, rows: list[tuple]) -> list[tuple]:
    """Those of these deaths that are the last of their job."""
    last: dict[bytes, Key] = {}
    for row in _of_refs(place, {bytes(row[1]) for row in rows}):
        job = bytes(row[1])
        last[job] = max((row[4], row[0]), last.get(job, (row[4], row[0])))
    return [row for row in rows if last.get(bytes(row[1])) == (row[4], row[0])]


def _of_refs(place: Place, refs: Collection[bytes]) -> QuerySet[Ending]:
    """The deaths of these jobs, in no order: one would make a database read the whole queue."""
    rows = Ending.objects.filter(Exact(number("place_id"), place.pk), job__in=list(refs))
    return rows.filter(In(number("kind"), [kind.value for kind in DEATHS])).values_list(*_FIELDS)


def _told(rows: list[tuple]) -> list[Death]:
    ids = names.ids_of(bytes(row[1]) for row in rows)
    return [_death(row, ids[bytes(row[1])]) for row in rows]


def _death(row: tuple, job_id: str) -> Death:
    pk, _, attempts, source, ended_ms, within_ms = row
    known = None if attempts < 0 else attempts
    return Death(job_id, known, Source(source), ended_ms, within_ms, pk)


def _light_enough(deaths: list[Death]) -> tuple[tuple[Death, ...], bool]:
    """These up to where their ids weigh `MOST_BYTES`, at least one; whether any were left out."""
    total = 0
    for at, death in enumerate(deaths):
        total += len(death.job_id)
        if at and total > MOST_BYTES:
            return tuple(deaths[:at]), True
    return tuple(deaths), False
