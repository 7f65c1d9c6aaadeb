"""A filter of the trail as queries: which index leads, and what is looked at one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_

from django.db.models import Q, QuerySet

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.keysets import Lead, Sieve, during, narrowest, row_by_row, same
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
        """As the trail writes them: PostgreSQL takes no text with a NUL, not even to compare."""
        for name in ("actor", "op", "server", "op_id", "text"):
            object.__setattr__(self, name, getattr(self, name).replace("\0", "\\x00"))


def sieve(wanted: Filter, window: int) -> Sieve:
    """The filter with the lead that leaves the fewest entries, counted up to `window`."""
    best = narrowest(_leads(wanted), window)
    return Sieve(best, _rest(wanted, best))


def _leads(wanted: Filter) -> list[Lead]:
    """Every condition that may lead, the narrowest kind first; the bounds of time if none can."""
    bounds = during("at_ms", wanted.since_ms, wanted.until_ms)
    entries = TrailEntry.objects.filter(bounds)
    leads = []
    if wanted.op_id:
        leads.append(_lead(entries.filter(_call(wanted.op_id)), "op_id"))
    if wanted.job_id is not None:
        named = TrailJob.objects.filter(bounds, job=job_key(wanted.job_id))
        leads.append(Lead(named, frozenset({"job_id"}), key="entry_id", prefix="entry__"))
    if wanted.server and wanted.queue is not None:
        at = {"server": wanted.server, "queue": to_wire(wanted.queue)}
        leads.append(_lead(entries.filter(**at), "server", "queue"))
    for name in ("actor", "op", "kind"):
        if value := getattr(wanted, name):
            leads.append(_lead(entries.filter(**{name: value}), name))
    return leads or [_lead(entries)]


def _lead(rows: QuerySet, *covers: str) -> Lead:
    return Lead(rows, frozenset(covers))


def _call(op_id: str) -> Q:
    """All steps of a call: its op_id, and that with a number behind a dot."""
    return Q(op_id=op_id) | Q(op_id__gt=f"{op_id}.", op_id__lt=f"{op_id}/")


def _rest(wanted: Filter, lead: Lead) -> Q | None:
    """What the lead does not answer, written so that no other index is taken for it."""
    left = [
        same(f"{lead.prefix}{name}", to_wire(value) if name == "queue" else value)
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
