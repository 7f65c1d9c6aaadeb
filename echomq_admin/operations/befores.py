"""Before a requeue, what its jobs had as dead ones is kept whole, for as long as the trash."""

from __future__ import annotations

from django.db import transaction

from echomq_admin.emq import before
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet.own_database import take_turn
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.notes import host_ms
from echomq_admin.operations.action import MANY
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.dispatch import Dispatch
from echomq_admin.operations.models import Before

# How long an error, and all errors of a call together, may be to be kept whole, bytes.
MOST_OF_AN_ERROR = 1_000_000
MOST_OF_A_CALL = 16_000_000
_AT_ONCE = 200


def keep(server: Server, call: Call, actor: str) -> Dispatch:
    """Keep errors and stall counts of those jobs that are dead now, of at most `MANY`."""
    del actor
    if len(call.job_ids) > MANY:
        return Dispatch(call)
    found = before.read(server.client, call.queue, call.job_ids, MOST_OF_AN_ERROR, MOST_OF_A_CALL)
    now = host_ms()
    rows = [
        Before(
            op_id=call.op_id,
            server=server.name,
            queue=to_wire(call.queue),
            job_id=to_wire(job_id),
            attempts=dead.attempts,
            error=dead.error,
            stalled=dead.stalled,
            is_odd=dead.is_odd,
            at_ms=now,
        )
        for job_id, dead in found.items()
    ]
    with transaction.atomic():
        take_turn("before", server.name, call.queue, call.op_id)
        _forget(server.name, call, set(found))
        Before.objects.bulk_create(rows, batch_size=50)
    return Dispatch(call)


def confirm(server: Server, done: Done) -> None:
    """What was not requeued needs no undo."""
    moved = {job_id for job_id, word in done.outcomes.items() if word == "requeued"}
    _forget(server.name, done.call, set(done.call.job_ids) - moved)


def of(server_name: str, queue: str, op_id: str) -> dict[str, Before]:
    """What is kept of the jobs of one requeue."""
    mine = Before.objects.filter(server=server_name, op_id=op_id, queue=to_wire(queue))
    return {from_wire(bytes(row.job_id)): row for row in mine}


def _forget(server_name: str, call: Call, job_ids: set[str]) -> None:
    mine = Before.objects.filter(server=server_name, op_id=call.op_id, queue=to_wire(call.queue))
    names = [to_wire(job_id) for job_id in sorted(job_ids)]
    for start in range(0, len(names), _AT_ONCE):
        mine.filter(job_id__in=names[start : start + _AT_ONCE]).delete()
