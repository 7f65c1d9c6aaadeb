"""When jobs died, as far as the ledger knows: of those on a page, and the deaths of a queue one
after another.

What died may have been requeued or removed since: only the server says which jobs are dead now.
Nothing here writes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from operator import itemgetter

from django.db.models import BigIntegerField, F, Func, Max, Q, QuerySet
from django.db.models.lookups import Exact, In

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.models import DEATHS, Ending, Place, Source
from echomq_admin.ledger.models import TrailJob, job_key

# How many endings of a queue, of whatever kind, are looked through for a page of deaths.
WINDOW = 20_000
# So many deaths are held against the server at most, and ids of so many bytes.
MOST, MOST_BYTES = 1_000, 400_000
_LARGEST = 2**63 - 1
_CURSOR = re.compile(r"([on])(-?[0-9]{1,18})\.([0-9]{1,19})\Z")
_FIELDS = ("pk", "job", "attempts", "source", "ended_ms", "within_ms")

# When a lease ended, and the primary key of its row: the order of deaths.
Key = tuple[int, int]


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
        found = _CURSOR.match(cursor)
        if found:
            key = int(found[2]), min(int(found[3]), _LARGEST)
            return cls(key, found[1] == "n")
        if at_ms is None:
            return cls()
        return cls((min(max(at_ms, -_LARGEST), _LARGEST), _LARGEST))


def cursor(way: str, key: Key) -> str:
    """The text of an address for what lies before a key ("o") or after it ("n")."""
    return f"{way}{key[0]}.{key[1]}"


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


def buried(server: str, queue: str, job_ids: Iterable[str]) -> dict[str, int]:
    """When a person last buried each of these jobs, by the server's clock, where one did."""
    keys = {job_key(job_id): job_id for job_id in job_ids}
    if not keys:
        return {}
    rows = TrailJob.objects.filter(
        job__in=list(keys), entry__op="bury", entry__server=server, entry__queue=to_wire(queue)
    )
    last = rows.values_list("job").annotate(at=Max("at_ms")).order_by()
    return {keys[bytes(job)]: at for job, at in last}


def walk(server: str, queue: str, start: Start) -> Walk:
    """The deaths of a queue from there on: the newest first, or from a newer key upwards."""
    place = names.find_place(server, queue)
    if place is None:
        return Walk()
    edge = _edge(place, start)
    rows = _from(place, start).filter(kind__in=DEATHS)
    if edge:
        rows = rows.filter(_bound(edge, not start.is_newer, "e"))
    found = list(rows.values_list(*_FIELDS)[: MOST + 1])
    deaths, is_cut = _light_enough(_told(_newest_of_jobs(place, found[:MOST])))
    if is_cut:
        return Walk(deaths, deaths[-1].key)
    return Walk(deaths, (found[MOST - 1][4], found[MOST - 1][0]) if len(found) > MOST else edge)


def _edge(place: Place, start: Start) -> Key | None:
    """The key of the last ending of a full window of the queue, `None` when it does not fill."""
    keys = _from(place, start).values_list("ended_ms", "pk")
    return next(iter(keys[WINDOW - 1 : WINDOW]), None)


def _from(place: Place, start: Start) -> QuerySet[Ending]:
    sign = "" if start.is_newer else "-"
    rows = Ending.objects.filter(place=place).order_by(f"{sign}ended_ms", f"{sign}pk")
    return rows.filter(_bound(start.key, start.is_newer)) if start.key else rows


def _bound(key: Key, is_newer: bool, itself: str = "") -> Q:
    """What lies behind a key, with "e" itself too; the bound on the time alone is what an index
    can use."""
    way = "gt" if is_newer else "lt"
    at_once = Q(ended_ms=key[0], **{f"pk__{way}{itself}": key[1]})
    behind = Q(**{f"ended_ms__{way}": key[0]}) | at_once
    return Q(**{f"ended_ms__{way}e": key[0]}) & behind


def _newest_of_jobs(place: Place, rows: list[tuple]) -> list[tuple]:
    """Those of these deaths that are the last of their job."""
    last: dict[bytes, Key] = {}
    for row in _of_refs(place, {bytes(row[1]) for row in rows}):
        job = bytes(row[1])
        last[job] = max((row[4], row[0]), last.get(job, (row[4], row[0])))
    return [row for row in rows if last.get(bytes(row[1])) == (row[4], row[0])]


def _of_refs(place: Place, refs: Collection[bytes]) -> QuerySet[Ending]:
    """The deaths of these jobs, in no order: one would make a database read the whole queue."""
    rows = Ending.objects.filter(Exact(_plain("place_id"), place.pk), job__in=list(refs))
    return rows.filter(In(_plain("kind"), [kind.value for kind in DEATHS])).values_list(*_FIELDS)


def _plain(name: str) -> Func:
    """A field that no index is looked up for."""
    return Func(F(name), template="(%(expressions)s + 0)", output_field=BigIntegerField())


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
