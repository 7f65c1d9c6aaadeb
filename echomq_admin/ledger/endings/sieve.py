"""A filter of endings as queries: which index leads, and what is looked at one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import and_

from django.db.models import Q, QuerySet
from django.db.models.lookups import Exact, In

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings.models import Ending, ErrorText, Lane, Place
from echomq_admin.ledger.endings.names import job_ref, lane_key
from echomq_admin.ledger.keysets import Driver, Key, Sieve, bounded, during, narrowest, number

# So many rows are asked for at once while errors are looked through.
BATCH = 2_000
# Of more errors it is not remembered whether they hold a text.
MOST_KNOWN = 50_000
_TIME = "ended_ms"


@dataclass(frozen=True)
class Filter:
    """Which endings are meant; what is empty or `None` is not asked for.

    `server` is meant whole, `queue`, `lane` and `job_id` are names of the wire, `kind` and `source`
    values of `EndingKind` and `Source`. `since_ms` is included, `until_ms` is not. `text` is a part
    of the error, of any case.
    """

    server: str = ""
    queue: str | None = None
    lane: str | None = None
    job_id: str | None = None
    kind: int | None = None
    source: int | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    text: str = ""

    def __post_init__(self) -> None:
        """PostgreSQL takes no text with a NUL, not even to compare, and neither database a number
        beyond 64 bits."""
        object.__setattr__(self, "server", self.server.replace("\0", "\\x00"))
        for name in ("since_ms", "until_ms"):
            object.__setattr__(self, name, bounded(getattr(self, name)))


@dataclass(frozen=True)
class _Texts:
    """Which errors hold a text, of any case; each is read once."""

    wanted: str
    known: dict[int, bool] = field(default_factory=dict)

    def hold(self, pks: set[int]) -> set[int]:
        """Those of these errors, by their keys."""
        if len(self.known) > MOST_KNOWN:
            self.known.clear()
        new = pks - self.known.keys()
        self.known.update(dict.fromkeys(new, False))
        for pk, text in ErrorText.objects.filter(pk__in=new).values_list("pk", "text"):
            self.known[pk] = self.wanted in folded(bytes(text))
        return {pk for pk in pks if self.known[pk]}


def folded(raw: bytes) -> str:
    """Bytes to be compared without case; those that are no text stay as they are."""
    return raw.decode("utf-8", "surrogateescape").casefold()


@dataclass(frozen=True)
class TextSieve(Sieve):
    """A sieve that also asks for a part of the error. That is looked for here, not in the database:
    neither of them folds the case of bytes. Errors repeat, so the text of each is read once."""

    texts: _Texts

    @property
    def has_rest(self) -> bool:
        return True

    def keys(self, start: Key | None, edge: Key | None, *, newer: bool, most: int) -> list[Key]:
        """As of any sieve."""
        found: list[Key] = []
        while len(found) < most:
            rows = self.rows(start, edge, newer=newer)
            batch = list(rows.values_list("error_id", _TIME, "pk")[:BATCH])
            found += self.passing(batch)
            if len(batch) < BATCH:
                break
            start = batch[-1][1:]
        return found[:most]

    def passing(self, rows: list[tuple]) -> list[tuple]:
        """Of rows that begin with the key of their error those that hold the text, without it."""
        holding = self.texts.hold({row[0] for row in rows} - {None})
        return [row[1:] for row in rows if row[0] in holding]


def looked_through(sifted: Sieve, edge: Key | None, *names: str) -> list[tuple]:
    """These fields of all that passes, from the newest up to `edge`."""
    rows = sifted.rows(None, edge, newer=False)
    if isinstance(sifted, TextSieve):
        return sifted.passing(list(rows.values_list("error_id", *names)))
    return list(rows.values_list(*names))


def sieve(wanted: Filter, window: int) -> Sieve:
    """The filter with the driver of the fewest endings, counted up to `window`. A name that
    no ending has leaves none."""
    meant = where(wanted)
    lane = _lane(wanted.lane)
    if meant is None or (wanted.lane is not None and lane is None):
        return Sieve(_driver(Ending.objects.none()), None)
    best = narrowest(_drivers(wanted, meant, lane), window)
    rest = _rest(wanted, best, meant, lane)
    if wanted.text:
        return TextSieve(best, rest, _Texts(folded(to_wire(wanted.text))))
    return Sieve(best, rest)


@dataclass(frozen=True)
class Where:
    """The queues that are meant: the key of `one`, `several` by a query, or, with neither, all."""

    one: int | None = None
    several: QuerySet[Place] | None = None


def where_of(server: str, queue: str | None) -> QuerySet[Place]:
    """The queues of a server, of a name, or both."""
    rows = Place.objects.filter(**({"server": server} if server else {}))
    return rows if queue is None else rows.filter(queue=to_wire(queue))


def where(wanted: Filter) -> Where | None:
    """The queues that a filter asks for; `None` when no ending has one of them."""
    if not wanted.server and wanted.queue is None:
        return Where()
    rows = where_of(wanted.server, wanted.queue)
    first = list(rows.values_list("pk", flat=True)[:2])
    if len(first) < 2:
        return Where(one=first[0]) if first else None
    is_all = wanted.queue is None and not Place.objects.exclude(server=wanted.server).exists()
    return Where() if is_all else Where(several=rows)


def _lane(name: str | None) -> int | None:
    if name is None:
        return None
    return Lane.objects.filter(key=lane_key(to_wire(name))).values_list("pk", flat=True).first()


def _drivers(wanted: Filter, meant: Where, lane: int | None) -> list[Driver]:
    """Every condition that may drive, the narrowest kind first; the bounds of time if none can."""
    rows = Ending.objects.filter(during(_TIME, wanted.since_ms, wanted.until_ms))
    drivers = []
    if wanted.job_id is not None:
        drivers.append(_driver(rows.filter(job=job_ref(wanted.job_id)), "job_id"))
    if lane is not None:
        drivers.append(_driver(rows.filter(lane=lane), "lane"))
    if meant.one is not None:
        drivers.append(_driver(rows.filter(place=meant.one), "place"))
    for name in ("kind", "source"):
        if (value := getattr(wanted, name)) is not None:
            drivers.append(_driver(rows.filter(**{name: value}), name))
    return drivers or [_driver(rows)]


def _driver(rows: QuerySet, *covers: str) -> Driver:
    return Driver(rows, frozenset(covers), _TIME)


def _rest(wanted: Filter, driver: Driver, meant: Where, lane: int | None) -> Q | None:
    """What the driver does not answer, written so that no other index is taken for it."""
    values = {"kind": wanted.kind, "source": wanted.source, "lane": lane, "place": meant.one}
    left = [
        Q(Exact(number(name), value))
        for name, value in values.items()
        if value is not None and name not in driver.covers
    ]
    if meant.several is not None:
        left.append(Q(In(number("place"), meant.several.values("pk").query)))
    if wanted.job_id is not None and "job_id" not in driver.covers:
        left.append(Q(job=job_ref(wanted.job_id)))
    return reduce(and_, left) if left else None
