"""Before a removal the job is put into the trash; afterwards it is known whether it belongs there.

A crash between the two leaves the job where it was, and in the trash a row that nobody is shown
until the trail says that the removal was done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from django.db import transaction

from echomq_admin.emq import kept
from echomq_admin.emq.kept import Kept, Unkept
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet.own_database import take_turn
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.models import job_key
from echomq_admin.ledger.notes import host_ms
from echomq_admin.operations import packing, trash
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.dispatch import NO_ROW, Dispatch
from echomq_admin.operations.models import Trashed

# What a job, and what all jobs of a call, may take in the server's memory to be kept, bytes.
MOST_OF_A_JOB = 8_000_000
MOST_OF_A_CALL = 64_000_000
_AT_ONCE = 500
_CAME = (
    "changed meanwhile: it had no row when it was looked at a moment ago, and has one now. "
    "It was not removed. Look again before you repeat it."
)
_RESTORED = (
    "not removed: the same press removed it before, and it was restored since. Nothing was done "
    "now. Press Remove anew if it is to go."
)
_MOVED = (
    "changed meanwhile: it was claimed or moved since it was put into the trash a moment ago. "
    "It was not removed and is not in the trash. Look again before you repeat it."
)


def keep(server: Server, call: Call, actor: str) -> Dispatch:
    """Put the jobs into the trash, and fence the call by what they were and where.

    A job that cannot be kept is left alone. Of an id without a row there is nothing to keep.
    """
    if call.args["unkept"]:
        return Dispatch(call)
    trash.settle_call(server, call.queue, call.op_id)
    barred = _removed(server, call)
    left: dict[str, str] = {}
    fences: dict[str, int] = {}
    seen: dict[str, str] = {}
    room = MOST_OF_A_CALL
    for job_ids in _chunks(job_id for job_id in call.job_ids if job_id not in barred):
        found = kept.read(server.client, call.queue, job_ids, MOST_OF_A_JOB, room, _dedup_id(call))
        sound = {job_id: one for job_id, one in found.items() if isinstance(one, Kept)}
        left |= {job_id: _why(one) for job_id, one in found.items() if isinstance(one, Unkept)}
        fences |= _fences(job_ids, found)
        seen |= {job_id: one.place for job_id, one in sound.items()}
        room -= sum(one.size for one in sound.values())
        _write(server, call, actor, sound)
    told = _told(call, fences, seen)
    told |= {(job_id, word): _RESTORED for job_id, word in barred.items() if word == "changed"}
    return Dispatch(call, left, fences, seen, barred, told)


def refused(sizes: kept.Sizes) -> dict[str, str]:
    """Which of these jobs `keep` would leave alone, as they were, by the words of `remove`."""
    found = sizes.unkept(MOST_OF_A_JOB, MOST_OF_A_CALL)
    return {job_id: _why(one) for job_id, one in found.items()}


def _told(
    call: Call, fences: Mapping[str, int], seen: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """What it means that a job changed, but where its attempts were not the caller's before."""
    came = {job_id: _CAME for job_id in fences if job_id not in seen}
    moved = {
        job_id: _MOVED for job_id in seen
        if call.tokens.get(job_id) in (None, fences.get(job_id))
    }  # fmt: skip
    return {(job_id, "changed"): said for job_id, said in (came | moved).items()}


def confirm(server: Server, done: Done) -> None:
    """What was removed belongs in the trash; what was not leaves it. What is gone may have been
    removed by an earlier press whose answer was lost: that is settled later."""
    mine = trash.of(server.name, done.call.queue).filter(
        op_id=done.call.op_id, under_way=done.call.op_id, is_removed=False
    )
    removed = [job_id for job_id, word in done.outcomes.items() if word == "removed"]
    trash.confirm(mine, removed, is_removed=True)
    there = [job_id for job_id, word in done.outcomes.items() if word not in {"removed", "gone"}]
    trash.drop(mine, there)


def _dedup_id(call: Call) -> str | None:
    dedup_id = call.args["dedup_id"]
    return None if dedup_id is None else str(dedup_id)


def _removed(server: Server, call: Call) -> dict[str, str]:
    """The jobs that this call has removed before, each with what is to be said of it."""
    mine = trash.of(server.name, call.queue).filter(op_id=call.op_id, is_removed=True)
    return {
        from_wire(bytes(raw)): "changed" if is_restored else "removed"
        for raw, is_restored in mine.values_list("job_id", "is_restored")
    }


def _chunks(job_ids: Iterator[str]) -> Iterator[list[str]]:
    while chunk := list(islice(job_ids, _AT_ONCE)):
        yield chunk


def _why(one: Unkept) -> str:
    return "unkept" if one.why else "too_large"


def _fences(job_ids: Sequence[str], found: Mapping[str, Kept | Unkept]) -> dict[str, int]:
    fences = {job_id: NO_ROW for job_id in job_ids if job_id not in found}
    for job_id, one in found.items():
        if isinstance(one, Kept) and one.attempts is not None:
            fences[job_id] = one.attempts
    return fences


def _write(server: Server, call: Call, actor: str, jobs: Mapping[str, Kept]) -> None:
    """In place of what an earlier press of the same call has kept of them; what another press of
    it has removed by now stays as that one kept it."""
    rows = [_row(server, call, actor, *one) for one in jobs.items()]
    mine = trash.of(server.name, call.queue).filter(
        op_id=call.op_id, key__in=[row.key for row in rows]
    )
    with transaction.atomic():
        take_turn("trash", server.name, call.queue, call.op_id)
        mine.filter(is_removed=False).delete()
        removed = {bytes(key) for key in mine.values_list("key", flat=True)}
        fresh = [row for row in rows if row.key not in removed]
        Trashed.objects.bulk_create(fresh, batch_size=50)


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
