"""A filter of the trail as queries: which index leads, and what is looked at one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_

from django.db.models import Q, QuerySet

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.keysets import Driver, Sieve, bounded, during, narrowest, row_by_row, same
from echomq_admin.ledger.models import TrailEntry, TrailJob, job_key

__all__ = ["Filter", "row_by_row", "sieve"]


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

    def __post_init__(self) -> None:
        """As the trail writes them: PostgreSQL takes no text with a NUL, not even to compare, and
        neither database a number beyond 64 bits."""
        for name in ("actor", "op", "server", "op_id", "text"):
            object.__setattr__(self, name, getattr(self, name).replace("\0", "\\x00"))
        for name in ("since_ms", "until_ms"):
            object.__setattr__(self, name, bounded(getattr(self, name)))


def sieve(wanted: Filter, window: int) -> Sieve:
    """The filter with the driver that leaves the fewest entries, counted up to `window`."""
    best = narrowest(_drivers(wanted), window)
    return Sieve(best, _rest(wanted, best))


def _drivers(wanted: Filter) -> list[Driver]:
    """Every condition that may drive, the narrowest kind first; the bounds of time if none can."""
    bounds = during("at_ms", wanted.since_ms, wanted.until_ms)
    entries = TrailEntry.objects.filter(bounds)
    drivers = []
    if wanted.op_id:
        drivers.append(_driver(entries.filter(_call(wanted.op_id)), "op_id"))
    if wanted.job_id is not None:
        named = TrailJob.objects.filter(bounds, job=job_key(wanted.job_id))
        drivers.append(Driver(named, frozenset({"job_id"}), key="entry_id", prefix="entry__"))
    if wanted.server and wanted.queue is not None:
        at = {"server": wanted.server, "queue": to_wire(wanted.queue)}
        drivers.append(_driver(entries.filter(**at), "server", "queue"))
    for name in ("actor", "op", "kind"):
        if value := getattr(wanted, name):
            drivers.append(_driver(entries.filter(**{name: value}), name))
    return drivers or [_driver(entries)]


def _driver(rows: QuerySet, *covers: str) -> Driver:
    return Driver(rows, frozenset(covers))


def _call(op_id: str) -> Q:
    """All steps of a call: its op_id, and that with a number behind a dot."""
    return Q(op_id=op_id) | Q(op_id__gt=f"{op_id}.", op_id__lt=f"{op_id}/")


def _rest(wanted: Filter, driver: Driver) -> Q | None:
    """What the driver does not answer, written so that no other index is taken for it."""
    left = [
        same(f"{driver.prefix}{name}", to_wire(value) if name == "queue" else value)
        for name in ("actor", "op", "kind", "server", "queue")
        if name not in driver.covers and (value := getattr(wanted, name)) not in ("", None)
    ]
    if wanted.op_id and "op_id" not in driver.covers:
        left.append(_is_in(driver, TrailEntry.objects.filter(_call(wanted.op_id)).values("pk")))
    if wanted.job_id is not None and "job_id" not in driver.covers:
        named = TrailJob.objects.filter(job=job_key(wanted.job_id))
        left.append(_is_in(driver, named.values("entry_id")))
    if wanted.text:
        said = (f"{driver.prefix}{name}__icontains" for name in ("reason", "sentence"))
        left.append(reduce(lambda one, other: one | other, (Q(**{at: wanted.text}) for at in said)))
    return reduce(and_, left) if left else None


def _is_in(driver: Driver, ids: QuerySet) -> Q:
    return Q(**{f"{driver.key}__in": ids})
