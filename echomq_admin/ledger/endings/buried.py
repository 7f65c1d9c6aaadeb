"""Jobs that a person buried: they are dead, and no lease of theirs ended so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from echomq_admin.emq.audit import Moved, told
from echomq_admin.emq.batched import batched
from echomq_admin.ledger.endings.models import Place, Source
from echomq_admin.ledger.endings.seating import Lease
from echomq_admin.ledger.keysets import row_by_row
from echomq_admin.ledger.models import Kind, TrailEntry, TrailJob, job_key

# Of so many entries that name the jobs it is looked up whom they buried, the newest first.
MOST_ENTRIES, _AT_ONCE = 10_000, 500
# By job and attempts, when it was buried, the server's clock.
Burials = Mapping[tuple[str, int], Sequence[int]]


def buried(place: Place, job_ids: Collection[str]) -> Burials:
    """When each of the jobs was buried; as far as it is copied."""
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    if job_ids:
        for at_ms, moved in _moved(place, job_ids):
            if moved.outcome == "buried" and moved.attempts is not None:
                found[moved.job_id, moved.attempts].append(at_ms)
    return found


def is_buried(lease: Lease, buried_ms: Sequence[int]) -> bool:
    """Whether a job was found dead that no lease brought there: it was buried by then, or was never
    claimed."""
    if lease.source != Source.FOUND:
        return False
    return lease.attempts < 1 or any(at_ms <= lease.ended_ms for at_ms in buried_ms)


def _moved(place: Place, job_ids: Collection[str]) -> Iterator[tuple[int, Moved]]:
    named = TrailJob.objects.filter(job__in=[job_key(job_id) for job_id in job_ids])
    entries = sorted(set(named.values_list("entry_id", flat=True)), reverse=True)[:MOST_ENTRIES]
    # What leads is which entries: of a queue, and of people who bury, there may be a million.
    which = row_by_row(op="bury", kind=Kind.MOVED, server=place.server, queue=bytes(place.queue))
    for some in batched(entries, _AT_ONCE):
        calls = TrailEntry.objects.filter(which, pk__in=some)
        for at_ms, jobs in calls.values_list("at_ms", "jobs").iterator():
            yield from ((at_ms, moved) for moved in told("0-0", {b"jobs": bytes(jobs)}).jobs)
