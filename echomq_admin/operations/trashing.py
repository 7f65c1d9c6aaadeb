"""Before a removal the job is put into the trash; afterwards it is known whether it belongs there.

A crash between the two leaves the job where it was, and in the trash a row that nobody is shown
until the trail says that the removal was done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from django.db import transaction

from echomq_admin.emq import kept
from echomq_admin.emq.kept import Kept, Unkept
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.models import job_key
from echomq_admin.ledger.notes import host_ms
from echomq_admin.operations import packing, trash
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.held import Held
from echomq_admin.operations.models import Trashed

# What a job, and what all jobs of a call, may take in the server's memory to be kept, bytes.
MOST_OF_A_JOB = 8_000_000
MOST_OF_A_CALL = 64_000_000
_AT_ONCE = 500
# No row has such attempts: what had no row when it was looked for is not removed with one.
_NO_ROW = -1


def keep(server: Server, call: Call, actor: str) -> Held:
    """Put the jobs into the trash, and fence the call by what they were.

    A job that cannot be kept is left alone. Of an id without a row there is nothing to keep.
    """
    if call.args["unkept"]:
        return Held(call)
    trash.settle_call(server, call.queue, call.op_id)
    left, tokens, room = {}, dict(call.tokens), MOST_OF_A_CALL
    for job_ids in _chunks(_unkept(server, call)):
        found = kept.read(server.client, call.queue, job_ids, MOST_OF_A_JOB, room, _dedup_id(call))
        sound = {job_id: one for job_id, one in found.items() if isinstance(one, Kept)}
        left |= {job_id: _why(one) for job_id, one in found.items() if isinstance(one, Unkept)}
        tokens = _fences(job_ids, found) | tokens
        room -= sum(one.size for one in sound.values())
        _write(server, call, actor, sound)
    return Held(replace(call, tokens=tokens), left)


def confirm(server: Server, done: Done) -> None:
    """What was removed belongs in the trash; what was not leaves it."""
    mine = trash.of(server.name, done.call.queue).filter(
        op_id=done.call.op_id, under_way=done.call.op_id, is_removed=False
    )
    removed = [job_id for job_id, word in done.outcomes.items() if word == "removed"]
    trash.confirm(mine, removed, is_removed=True)
    mine.delete()


def _dedup_id(call: Call) -> str | None:
    dedup_id = call.args["dedup_id"]
    return None if dedup_id is None else str(dedup_id)


def _unkept(server: Server, call: Call) -> Iterator[str]:
    """The jobs that this call has not removed yet, as far as is known."""
    mine = trash.of(server.name, call.queue).filter(op_id=call.op_id, is_removed=True)
    known = {from_wire(bytes(raw)) for raw in mine.values_list("job_id", flat=True)}
    return (job_id for job_id in call.job_ids if job_id not in known)


def _chunks(job_ids: Iterator[str]) -> Iterator[list[str]]:
    while chunk := list(islice(job_ids, _AT_ONCE)):
        yield chunk


def _why(one: Unkept) -> str:
    return "unkept" if one.why else "too_large"


def _fences(job_ids: Sequence[str], found: Mapping[str, Kept | Unkept]) -> dict[str, int]:
    fences = {job_id: _NO_ROW for job_id in job_ids if job_id not in found}
    for job_id, one in found.items():
        if isinstance(one, Kept) and one.attempts is not None:
            fences[job_id] = one.attempts
    return fences


def _write(server: Server, call: Call, actor: str, jobs: Mapping[str, Kept]) -> None:
    """In place of what an earlier press of the same call has kept of them."""
    mine = trash.of(server.name, call.queue).filter(op_id=call.op_id, is_removed=False)
    with transaction.atomic():
        mine.filter(key__in=list(map(job_key, jobs))).delete()
        rows = [_row(server, call, actor, *one) for one in jobs.items()]
        Trashed.objects.bulk_create(rows, batch_size=20)


def _row(server: Server, call: Call, actor: str, job_id: str, one: Kept) -> Trashed:
    now = host_ms()
    return Trashed(
        op_id=call.op_id,
        server=server.name,
        queue=to_wire(call.queue),
        job_id=to_wire(job_id),
        key=job_key(job_id),
        actor=actor,
        reason=call.reason,
        at_ms=now,
        changed_ms=now,
        attempts=one.attempts,
        size=one.size,
        places=packing.places(one),
        body=packing.body(one),
        under_way=call.op_id,
    )
