"""What the database knows of jobs that are dead."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator

from django.db import Error as DatabaseError

from echomq_admin.emq.batched import batched
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import TROUBLE, Server
from echomq_admin.ledger import copying
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.models import Ending
from echomq_admin.ledger.models import Gap, Kind, TrailJob, job_key

# How many values one statement takes.
VALUES = 500
# Verbs that put a job back among the dead that had died before.
_BACK = ("restore", "return_to_dead")

Job = tuple[str, str]

log = logging.getLogger(__name__)


def told_attempts(server_name: str, jobs: Iterable[Job]) -> dict[Job, set[int]]:
    """The attempts in the last life of each (queue, id) of a server that have an ending."""
    by_ref = {(queue, names.job_ref(job_id)): (queue, job_id) for queue, job_id in jobs}
    lives: dict[Job, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for queue, ref, life, attempts in _endings(server_name, (ref for _, ref in by_ref)):
        if job := by_ref.get((queue, ref)):
            lives[job][life].add(attempts)
    return defaultdict(set, {job: found[max(found)] for job, found in lives.items()})


def came_back(server_name: str, queue: str, job_ids: Iterable[str]) -> set[str]:
    """Those of these jobs that a person has put back among the dead at some time."""
    keys = {job_key(job_id): job_id for job_id in job_ids}
    named = TrailJob.objects.filter(
        job__in=list(keys),
        entry__server=server_name,
        entry__queue=to_wire(queue),
        entry__op__in=_BACK,
        entry__kind=Kind.MOVED,
    )
    return {keys[bytes(key)] for key in named.values_list("job", flat=True)}


def is_audit_whole(server: Server, queue: str) -> bool:
    """Copy the audit of a queue to its end; whether nothing of it is missing, so that whoever is
    not in it was not buried. Raises redis-py's errors and `django.db.Error`."""
    try:
        step = copying.Step(0, True)
        while step.more:
            step = copying.copy_piece(server, queue, step.count)
    except (*TROUBLE, DatabaseError):
        raise
    except Exception as error:
        # The copyist tells of it.
        log.debug("the audit of %s/%s: %s", server.name, shown(queue), error)
        return False
    gaps = Gap.objects.filter(server=server.name, queue=to_wire(queue))
    return not (step.fault or gaps.exists())


def _endings(server_name: str, refs: Iterable[bytes]) -> Iterator[tuple[str, bytes, int, int]]:
    mine = Ending.objects.filter(place__server=server_name)
    for some in batched(dict.fromkeys(refs), VALUES):
        rows = mine.filter(job__in=some).values_list("place__queue", "job", "life", "attempts")
        for queue, ref, life, attempts in rows:
            yield from_wire(bytes(queue)), bytes(ref), life, attempts
