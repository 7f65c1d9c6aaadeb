"""The only writer of endings, and of what is counted of them: `Tally` and `Place.deaths`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import F

from echomq_admin.emq.batched import batched
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.buried import buried, is_buried
from echomq_admin.ledger.endings.merging import merge
from echomq_admin.ledger.endings.models import (
    DEATHS,
    SLOT_MS,
    STALLED,
    EndingKind,
    Place,
    Source,
    Tally,
)
from echomq_admin.ledger.endings.pages import Leaf, pages, write
from echomq_admin.ledger.endings.seating import UNNUMBERED, Lease, seat

# So many findings are looked up and written at a time.
AT_ONCE = 2_000
# Numbers that a double holds exactly, as the scripts write them; other ones are none.
_MOST = 2**53 - 1
_MOST_RENEWALS = 2**31 - 1
# A slot and a kind, of which endings are counted.
Cell = tuple[int, int]


@dataclass(frozen=True)
class Finding:
    """How a lease ended, as one source tells it. Times are the server's clock, unix ms.

    `attempts` is `None` when the row's is no number. The lease ended after `ended_ms - within_ms`
    and at `ended_ms` at the latest; a job found dead was dead at `ended_ms`. `stalled` is the stall
    count afterwards. `error` is what was read of it, `error_size` how long the whole is at least,
    `None` when it was read whole. `entry` is the primary key of the trail's entry that tells it.
    `is_new_life`: the observer saw that the row vanished or that attempts fell before this lease,
    and told of no lease since. `is_revived`: it saw that a late extend revived an ended lease of
    the same attempts. `may_be_forgotten`: the ledger may have had it once; it adds no row.
    """

    job_id: str
    attempts: int | None
    kind: EndingKind
    source: Source
    ended_ms: int
    within_ms: int = 0
    deadline_ms: int | None = None
    stalled: int | None = None
    renewals: int | None = None
    lane: str | None = None
    error: bytes | None = None
    error_size: int | None = None
    entry: int | None = None
    is_new_life: bool = False
    is_revived: bool = False
    may_be_forgotten: bool = False


def enter(place: Place, findings: Sequence[Finding]) -> int:
    """Enter what was found, in the order in which it is told; how many rows were added or changed.

    Needs a transaction, and keeps others from writing to the ledger to its end. Any finding will
    do: numbers that are out of range count as not known. A job found dead is left out when it was
    never claimed, and when the trail says that a person buried it with the same attempts. Raises
    `django.db.Error` only.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("the ledger is written in a transaction")
    names.one_writer()
    Place.objects.select_for_update(no_key=True).filter(pk=place.pk).first()
    return sum(_enter(place, some) for some in batched(findings, AT_ONCE))


def _enter(place: Place, findings: Sequence[Finding]) -> int:
    leases = _leases(findings)
    books = pages(place, leases)
    changes: Counter[Cell] = Counter()
    told = list(zip(findings, leases, strict=True))
    burials = buried(place, _suspects(told, books))
    for finding, lease in told:
        if is_buried(lease, burials.get((finding.job_id, lease.attempts), ())):
            continue
        is_buried_before = (finding.job_id, lease.attempts - 1) in burials
        if not is_buried_before and _only_says_stalled(books[lease.job], lease):
            _fail(lease)
        _sit(books[lease.job], finding, lease, changes)
    changed = [row for leaf in books.values() for row in leaf.changed]
    write(place, changed)
    _count(place, changes)
    return len(changed)


def _suspects(told: Sequence[tuple[Finding, Lease]], books: Mapping[bytes, Leaf]) -> set[str]:
    """The jobs found dead of whose death nothing is known yet."""
    return {
        finding.job_id
        for finding, lease in told
        if lease.source == Source.FOUND and not books[lease.job].has_death(lease.attempts)
    }


def _sit(leaf: Leaf, finding: Finding, lease: Lease, changes: Counter[Cell]) -> None:
    at = seat(leaf.rows, lease, is_new_life=finding.is_new_life, is_revived=finding.is_revived)
    for row, life, n in at.moves:
        if leaf.move(row, life, n):
            leaf.touch(row)
    if at.row is None and finding.may_be_forgotten:
        return
    if at.row is None:
        lease.life, lease.n = at.life, at.n
        leaf.add(lease)
        changes[_cell(lease)] += 1
        return
    changes[_cell(at.row)] -= 1
    is_moved = leaf.move(at.row, at.life, at.n)
    if merge(at.row, lease) or is_moved:
        leaf.touch(at.row)
    changes[_cell(at.row)] += 1


def _only_says_stalled(leaf: Leaf, lease: Lease) -> bool:
    """Whether a job found dead with the error of a sweep was failed with that text by its worker:
    a sweep would have raised the stall count that the lease before it left."""
    if (lease.source, lease.kind) != (Source.FOUND, EndingKind.DEAD):
        return False
    last = max((row.life for row in leaf.rows), default=0)
    before = [r for r in leaf.rows if (r.life, r.attempts) == (last, lease.attempts - 1)]
    # One that went to dead may have been requeued with a count that was reset.
    stayed = (EndingKind.RECOVERED, EndingKind.REAPED)
    return any(r.kind in stayed and (r.stalled or 0) >= (lease.stalled or 1) for r in before)


def _fail(lease: Lease) -> None:
    error = STALLED, len(STALLED)
    lease.kind = int(EndingKind.FAILED)
    lease.error_id = names.keep_errors([error], lease.ended_ms)[error]


def _cell(lease: Lease) -> Cell:
    return lease.ended_ms // SLOT_MS, lease.kind


def _leases(findings: Sequence[Finding]) -> list[Lease]:
    """What is told, in numbers that the tables take, its names kept."""
    last_ms = max(_time(finding.ended_ms) for finding in findings)
    lanes = {finding.lane for finding in findings if finding.lane is not None}
    errors = {error for finding in findings if (error := _error(finding))}
    names.keep_ids({finding.job_id for finding in findings}, last_ms)
    lane_ids = names.keep_lanes(lanes, last_ms)
    error_ids = names.keep_errors(errors, last_ms)
    return [
        replace(
            _lease(finding),
            lane_id=lane_ids.get(finding.lane),
            error_id=error_ids.get(_error(finding)),
        )
        for finding in findings
    ]


def _lease(finding: Finding) -> Lease:
    ended_ms = _time(finding.ended_ms)
    attempts = _whole(finding.attempts)
    return Lease(
        job=names.job_ref(finding.job_id),
        attempts=UNNUMBERED if attempts is None or attempts < 0 else attempts,
        kind=int(finding.kind),
        source=int(finding.source),
        ended_ms=ended_ms,
        within_ms=min(_time(finding.within_ms), ended_ms),
        deadline_ms=_whole(finding.deadline_ms),
        stalled=_whole(finding.stalled),
        renewals=None
        if finding.renewals is None
        else min(max(finding.renewals, 0), _MOST_RENEWALS),
        entry=finding.entry,
    )


def _error(finding: Finding) -> tuple[bytes, int] | None:
    if finding.error is None:
        return None
    size = min(finding.error_size or 0, _MOST)
    return finding.error, max(size, len(finding.error))


def _whole(number: int | None) -> int | None:
    return number if number is not None and -_MOST <= number <= _MOST else None


def _time(ms: int) -> int:
    return min(max(ms, 0), _MOST)


def _count(place: Place, changes: Counter[Cell]) -> None:
    """Add to what is counted. Pruned counts are begun again, and no count falls below nothing."""
    real = {cell: by for cell, by in changes.items() if by}
    deaths = sum(by for (_, kind), by in real.items() if kind in DEATHS)
    Place.objects.filter(pk=place.pk).update(deaths=F("deaths") + deaths)
    mine = Tally.objects.filter(place=place, slot__in={slot for slot, _ in real})
    known = {(slot, kind): count for slot, kind, count in mine.values_list("slot", "kind", "count")}
    fresh = [
        Tally(place=place, slot=slot, kind=kind, count=max(0, known.get((slot, kind), 0) + by))
        for (slot, kind), by in real.items()
    ]
    Tally.objects.bulk_create(
        fresh,
        update_conflicts=True,
        unique_fields=["slot", "place", "kind"],
        update_fields=["count"],
    )
