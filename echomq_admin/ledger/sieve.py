"""A filter of the trail as queries: which index leads, and what is looked at one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_

from django.db.models import F, Func, Q, QuerySet
from django.db.models.lookups import Exact

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.models import TrailEntry, TrailJob, job_key

# The time and the id of an entry, by which the trail is ordered.
Key = tuple[int, int]


@dataclass(frozen=True)
class Filter:
    """Which entries are meant; what is empty or `None` is not asked for.

    `actor`, `op`, `kind` and `server` are meant whole, `queue` and `job_id` are names of the wire.
    `op_id` means all steps of a call. `since_ms` is included, `until_ms` is not. `text` is a part
    of a reason or of a sentence, of any case.
    """

    actor: str = ""
    op: str = ""
    kind: str = ""
    server: str = ""
    queue: str | None = None
    job_id: str | None = None
    op_id: str = ""
    since_ms: int | None = None
    until_ms: int | None = None
    text: str = ""


@dataclass(frozen=True)
class Lead:
    """A condition that an index answers in the order of time: a queryset, what stands before the
    fields of an entry in it, and the name of the id of the entry."""

    rows: QuerySet
    prefix: str
    key: str
    covers: frozenset[str]


@dataclass(frozen=True)
class Sieve:
    """A lead in its bounds of time, and the `rest` that each of its rows must pass."""

    lead: Lead
    rest: Q | None

    @property
    def has_rest(self) -> bool:
        return self.rest is not None

    def count(self, most: int) -> int:
        """How many rows lead, at most `most`."""
        return self.lead.rows[:most].count()

    def edge(self, start: Key | None, *, newer: bool, far: int) -> Key | None:
        """The key of the row that is `far` rows away from `start`, `None` when there is none."""
        found = self._from(start, newer)[far - 1 : far]
        return next(iter(self._keys(found)), None)

    def keys(self, start: Key | None, edge: Key | None, *, newer: bool, most: int) -> list[Key]:
        """At most `most` keys behind `start`, up to `edge`, in the order walked."""
        rows = self._from(start, newer)
        if edge:
            at_edge = Q(at_ms=edge[0], **{self.lead.key: edge[1]})
            rows = rows.filter(_reach(edge, not newer), self._beside(edge, not newer) | at_edge)
        if self.rest is not None:
            rows = rows.filter(self.rest)
        return list(dict.fromkeys(self._keys(rows[:most])))

    def _from(self, start: Key | None, newer: bool) -> QuerySet:
        sign = "" if newer else "-"
        rows = self.lead.rows.order_by(f"{sign}at_ms", f"{sign}{self.lead.key}")
        if start is None:
            return rows
        return rows.filter(_reach(start, newer), self._beside(start, newer))

    def _beside(self, key: Key, newer: bool) -> Q:
        way = "gt" if newer else "lt"
        at_once = Q(at_ms=key[0], **{f"{self.lead.key}__{way}": key[1]})
        return Q(**{f"at_ms__{way}": key[0]}) | at_once

    def _keys(self, rows: QuerySet) -> list[Key]:
        return list(rows.values_list("at_ms", self.lead.key))


def _reach(key: Key, newer: bool) -> Q:
    """The bound on the time alone, which is what an index can use."""
    return Q(at_ms__gte=key[0]) if newer else Q(at_ms__lte=key[0])


def sieve(wanted: Filter, window: int) -> Sieve:
    """The filter with the lead that leaves the fewest entries, counted up to `window`."""
    leads = _leads(wanted)
    # What is told by its first rows needs no count.
    best = leads[0] if len(leads) == 1 else min(leads, key=lambda one: _size(one, window))
    return Sieve(best, _rest(wanted, best))


def _size(lead: Lead, window: int) -> int:
    return lead.rows[: window + 1].count()


def _leads(wanted: Filter) -> list[Lead]:
    """Every condition that may lead, the narrowest kind first; the bounds of time if none can."""
    during = _during(wanted)
    entries = TrailEntry.objects.filter(during)
    leads = []
    if wanted.op_id:
        leads.append(_lead(entries.filter(_call(wanted.op_id)), "op_id"))
    if wanted.job_id is not None:
        named = TrailJob.objects.filter(during, job=job_key(wanted.job_id))
        leads.append(Lead(named, "entry__", "entry_id", frozenset({"job_id"})))
    if wanted.server and wanted.queue is not None:
        at = {"server": wanted.server, "queue": to_wire(wanted.queue)}
        leads.append(_lead(entries.filter(**at), "server", "queue"))
    for name in ("actor", "op", "kind"):
        if value := getattr(wanted, name):
            leads.append(_lead(entries.filter(**{name: value}), name))
    return leads or [_lead(entries)]


def _lead(rows: QuerySet, *covers: str) -> Lead:
    return Lead(rows, "", "id", frozenset(covers))


def _during(wanted: Filter) -> Q:
    since = Q() if wanted.since_ms is None else Q(at_ms__gte=wanted.since_ms)
    return since if wanted.until_ms is None else since & Q(at_ms__lt=wanted.until_ms)


def _call(op_id: str) -> Q:
    """All steps of a call: its op_id, and that with a number behind a dot."""
    return Q(op_id=op_id) | Q(op_id__gt=f"{op_id}.", op_id__lt=f"{op_id}/")


def _rest(wanted: Filter, lead: Lead) -> Q | None:
    """What the lead does not answer, written so that no other index is taken for it."""
    left = [
        _same(f"{lead.prefix}{name}", to_wire(value) if name == "queue" else value)
        for name in ("actor", "op", "kind", "server", "queue")
        if name not in lead.covers and (value := getattr(wanted, name)) not in ("", None)
    ]
    if wanted.op_id and "op_id" not in lead.covers:
        left.append(_is_in(lead, TrailEntry.objects.filter(_call(wanted.op_id)).values("pk")))
    if wanted.job_id is not None and "job_id" not in lead.covers:
        named = TrailJob.objects.filter(job=job_key(wanted.job_id))
        left.append(_is_in(lead, named.values("entry_id")))
    if wanted.text:
        said = (f"{lead.prefix}{name}__icontains" for name in ("reason", "sentence"))
        left.append(reduce(lambda one, other: one | other, (Q(**{at: wanted.text}) for at in said)))
    return reduce(and_, left) if left else None


def _is_in(lead: Lead, ids: QuerySet) -> Q:
    return Q(**{f"{lead.key}__in": ids})


def row_by_row(**values: str | bytes) -> Q:
    """Columns that have these values, with no index taken for them: one for another condition is
    the better one, which the database cannot know."""
    return reduce(and_, (_same(name, value) for name, value in values.items()))


def _same(name: str, value: str | bytes) -> Q:
    return Q(Exact(_Unindexed(F(name)), value))


class _Unindexed(Func):
    """A column that the database compares row by row: a plus in front keeps its index out."""

    template = "(+%(expressions)s)"
