"""Where a job is on record, whatever became of it since."""

from __future__ import annotations

from collections.abc import Iterator

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.ledger.endings.models import Ending, Place
from echomq_admin.ledger.endings.names import job_ref
from echomq_admin.ledger.models import TrailJob, job_key

# So many of the newest entries of the trail that name the job are looked at.
LOOKED = 1_000


def places_of(job_id: str) -> list[tuple[str, str]]:
    """The queues of which an ending, or an entry of the trail, names a job of this id: server and
    queue, each once."""
    found = dict.fromkeys([*_of_endings(job_id), *_of_trail(job_id)])
    return sorted(found)


def _of_endings(job_id: str) -> Iterator[tuple[str, str]]:
    # Distinct, for one queue may have more endings of the job than anybody would look at.
    rows = Ending.objects.filter(job=job_ref(job_id)).values_list("place_id", flat=True)
    for place in Place.objects.in_bulk(set(rows.distinct())).values():
        yield place.server, from_wire(bytes(place.queue))


def _of_trail(job_id: str) -> Iterator[tuple[str, str]]:
    rows = TrailJob.objects.filter(job=job_key(job_id)).order_by("-at_ms")
    for server, queue in rows.values_list("entry__server", "entry__queue")[:LOOKED]:
        if queue:
            yield server, from_wire(bytes(queue))
