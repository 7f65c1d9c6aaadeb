"""Jobs of the trash are put back, each newest removal once."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from echomq_admin.emq import Outcome
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.models import job_key
from echomq_admin.ledger.notes import host_ms
from echomq_admin.operations import packing, trash
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.held import Held
from echomq_admin.operations.models import Trashed

# What the jobs of one call may have taken in the server's memory, bytes.
MOST_OF_A_CALL = 64_000_000


def keep(server: Server, call: Call, actor: str) -> Held:
    """Choose for each job the removal that is taken back: of those with the token's attempts the
    newest. A second press of the same call chooses the same."""
    del actor
    _settle_earlier(server, call)
    with transaction.atomic():
        left = _left(server, call)
    return Held(replace(call, tokens={}), left)


def _left(server: Server, call: Call) -> dict[str, str]:
    """Mark what is chosen; which jobs are left, and why."""
    room, left = MOST_OF_A_CALL, {}
    for job_id in call.job_ids:
        row = _chosen(server, call, job_id)
        if row and row.size > room and room < MOST_OF_A_CALL:
            left[job_id] = "too_large"
        elif row and _mark(row, call):
            room -= row.size
        else:
            left[job_id] = "not_kept"
    return left


def send(server: Server, call: Call, actor: str) -> dict[str, Outcome]:
    """Put back what was chosen. Raises what the verb raises."""
    mine = trash.of(server.name, call.queue).filter(restored_by=call.op_id)
    rows = {from_wire(bytes(row.job_id)): row for row in mine}
    jobs = {job_id: packing.job(rows[job_id]) for job_id in call.job_ids if job_id in rows}
    return server.emq.restore(call.queue, jobs, actor=actor, op_id=call.step_op_id)


def confirm(server: Server, done: Done) -> None:
    """What was put back leaves the trash; what was not may be tried again."""
    mine = trash.of(server.name, done.call.queue).filter(under_way=done.call.op_id)
    back = [job_id for job_id, word in done.outcomes.items() if word == "restored"]
    trash.confirm(mine, back, is_restored=True)
    mine.update(under_way="", restored_by="", changed_ms=host_ms())


def _settle_earlier(server: Server, call: Call) -> None:
    """What a call that broke off has put back is not put back again."""
    mine = trash.restorable(server.name, call.queue).filter(under_way__gt="")
    keys = {job_key(job_id) for job_id in call.job_ids}
    for key, op_id in mine.values_list("key", "under_way"):
        if bytes(key) in keys:
            trash.settle_call(server, call.queue, op_id, trash.OVER_MS)


def _chosen(server: Server, call: Call, job_id: str) -> Trashed | None:
    mine = trash.of(server.name, call.queue).filter(restored_by=call.op_id, key=job_key(job_id))
    found = mine.values_list("id", flat=True)[:1] or trash.chosen(
        server.name, call.queue, job_id, call.tokens.get(job_id)
    )
    return Trashed.objects.filter(id__in=list(found)).defer("body").first()


def _mark(row: Trashed, call: Call) -> bool:
    """Make it this call's own, unless another call was faster."""
    if row.is_restored:
        return True
    mine = Trashed.objects.filter(id=row.id, under_way__in=["", call.op_id], is_restored=False)
    changes = {"restored_by": call.op_id, "under_way": call.op_id, "changed_ms": host_ms()}
    return mine.update(**changes) == 1
