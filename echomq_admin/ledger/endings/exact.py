"""Endings as the scripts of the console tell them, in the entries of the audit stream.

Anyone may write to a stream: nothing in an entry raises, and what cannot be one of a script is
left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import isfinite

from echomq_admin.emq import audit
from echomq_admin.emq.audit import Entry, Moved
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings.book import Finding, enter
from echomq_admin.ledger.endings.forgotten import Forgotten
from echomq_admin.ledger.endings.models import EndingKind, Place, Source, is_stall
from echomq_admin.ledger.endings.names import place
from echomq_admin.ledger.models import Gap
from echomq_admin.ledger.notes import MOST_NAMED
from echomq_admin.ledger.observing import flights

# A script takes its time and the server the id of its entry from one clock, which may be set.
_APART_MS = 86_400_000
_REMOVALS = {"remove", "obliterate"}
_STALLS = {"recovered": EndingKind.RECOVERED, "dead": EndingKind.DEAD}
_RETURNS = {"recovered": EndingKind.REAPED}
# By verb, what each outcome says of the lease of the job.
_KINDS = {
    "sweep": _STALLS,
    "recover_now": _STALLS,
    "reap": _RETURNS,
    "reap_group": _RETURNS,
    "retry": {"dead": EndingKind.FAILED},
    "bury": {"buried": EndingKind.OPERATOR},
    "remove": {"removed": EndingKind.OPERATOR},
    "obliterate": {"removed": EndingKind.OPERATOR},
}


def enter_entries(server: str, queue: str, entries: Iterable[tuple[Entry, int]]) -> int:
    """Enter what entries of a queue tell, each given with its primary key in the trail, where it
    stands by now; how many rows were added or changed. Needs a transaction."""
    told = [finding for entry, pk in entries for finding in findings(entry, pk)]
    if not told:
        return 0
    here = place(server, queue)
    return enter(here, _seen(here, _aged(here, _doubted(server, queue, told))))


def _seen(here: Place, told: list[Finding]) -> list[Finding]:
    """With what the observer saw: a script does not know that a lease was revived, and of one that
    it takes out of active nobody else may tell."""
    ids = {finding.job_id for finding in told if finding.source == Source.SCRIPT}
    leases = flights.of(here, ids)[1] if ids else {}
    return [
        replace(finding, is_revived=True)
        if _is_revived(finding, leases.get(finding.job_id))
        else finding
        for finding in told
    ]


def _is_revived(finding: Finding, lease: flights.Lease | None) -> bool:
    if lease is None or finding.source != Source.SCRIPT or not lease.is_revived:
        return False
    # Else it is the lease of another life, or one that ended before this one was revived.
    is_same = (lease.attempts, lease.deadline_ms) == (finding.attempts, finding.deadline_ms)
    return is_same and lease.first_ms <= finding.ended_ms


def _aged(here: Place, told: list[Finding]) -> list[Finding]:
    """Deaths that are told late may have been known, and be forgotten."""
    deaths = [finding for finding in told if finding.source == Source.FOUND]
    if not deaths:
        return told
    forgotten = Forgotten(here, max(finding.ended_ms for finding in deaths))
    return [
        replace(finding, may_be_forgotten=True)
        if finding.source == Source.FOUND and forgotten.may_have(finding.job_id)
        else finding
        for finding in told
    ]


def _doubted(server: str, queue: str, told: list[Finding]) -> list[Finding]:
    """Where entries are missing, a job that is dead may have been buried: it is known that its
    lease ended, and no more."""
    if not any(_may_be_buried(finding) for finding in told):
        return told
    if not Gap.objects.filter(server=server, queue=to_wire(queue)).exists():
        return told
    return [
        replace(finding, kind=EndingKind.UNCERTAIN) if _may_be_buried(finding) else finding
        for finding in told
    ]


def _may_be_buried(finding: Finding) -> bool:
    return (finding.source, finding.kind) == (Source.FOUND, EndingKind.FAILED)


def findings(entry: Entry, entry_pk: int) -> list[Finding]:
    """The leases of which an entry tells how they ended.

    Of a job that was requeued, or removed with the error of a stall, it tells that it was dead
    until then, which is what one who finds it dead would tell. An entry without a time, or with
    one far from that of its id, is none of a script.
    """
    if entry.at_ms <= 0 or abs(entry.at_ms - audit.place(entry.entry_id)[0]) > _APART_MS:
        return []
    jobs = entry.jobs[:MOST_NAMED]
    told = (_ending(entry, job, entry_pk) or _death(entry, job) for job in jobs)
    return [finding for finding in told if finding]


def _ending(entry: Entry, job: Moved, entry_pk: int) -> Finding | None:
    kind = _KINDS.get(entry.op, {}).get(job.outcome)
    # Without a deadline it was not in flight: its lease had ended before.
    if kind is None or job.deadline_ms is None:
        return None
    return Finding(
        job_id=job.job_id,
        attempts=job.attempts,
        kind=kind,
        source=Source.SCRIPT,
        ended_ms=entry.at_ms,
        deadline_ms=_ms(job.deadline_ms),
        # The scripts take a count that is absent, or no number, for none.
        stalled=job.stalled or 0,
        lane=job.group,
        entry=entry_pk,
    )


def _death(entry: Entry, job: Moved) -> Finding | None:
    is_swept = is_stall(job.error, job.stalled)
    if not _was_dead(entry, job, is_swept=is_swept):
        return None
    return Finding(
        job_id=job.job_id,
        attempts=job.attempts,
        kind=EndingKind.DEAD if is_swept else EndingKind.FAILED,
        source=Source.FOUND,
        ended_ms=entry.at_ms,
        # Nobody knows since when.
        within_ms=entry.at_ms,
        stalled=job.stalled or 0,
        lane=job.group,
        error=None if is_swept else job.error,
        # How long a cut one was is not told.
        error_size=len(job.error) + 1 if job.error_cut else None,
    )


def _was_dead(entry: Entry, job: Moved, *, is_swept: bool) -> bool:
    # Nobody failed a job that has no error: it came into dead in some other way.
    if (entry.op, job.outcome) == ("requeue", "requeued"):
        return job.error is not None
    # Only a job that a sweep killed has this error, and only as long as it is dead.
    is_removed = entry.op in _REMOVALS and job.outcome == "removed"
    return is_removed and is_swept and job.deadline_ms is None


def _ms(deadline: float) -> int | None:
    return int(deadline) if isfinite(deadline) else None
