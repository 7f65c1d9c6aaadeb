"""Jobs of the trash are put back, each newest removal once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.db.models import Q

from echomq_admin.emq import Outcome
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.models import job_key
from echomq_admin.ledger.notes import host_ms
from echomq_admin.operations import packing, trash
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.dispatch import Dispatch
from echomq_admin.operations.models import Trashed
from echomq_admin.operations.recording import moment

# What the jobs of one call may have taken in the server's memory, bytes.
MOST_OF_A_CALL = 64_000_000
_AT_ONCE = 500
_LOOKED_AT = (
    "id", "key", "attempts", "size", "restored_by", "is_restored", "under_way", "changed_ms",
)  # fmt: skip


def keep(server: Server, call: Call, actor: str) -> Dispatch:
    """Choose for each job the removal that is taken back: of those with the token's attempts the
    newest. A second press of the same call chooses the same."""
    del actor
    _settle_earlier(server, call)
    found = _found(server, call)
    chosen = {job_id: _choice(call, job_id, found[job_key(job_id)]) for job_id in call.job_ids}
    left: dict[str, str] = {}
    told: dict[tuple[str, str], str] = {}
    for job_id, row in chosen.items():
        if row is None:
            left[job_id] = "not_kept"
        elif row.under_way not in ("", call.op_id):
            left[job_id] = "under_way"
            told[job_id, "under_way"] = _ends(row)
    wanted = {job_id: row for job_id, row in chosen.items() if row and job_id not in left}
    left |= dict.fromkeys(_too_large(wanted), "too_large")
    ours = _marked(call, [row for job_id, row in wanted.items() if job_id not in left])
    left |= {
        job_id: "under_way"
        for job_id, row in wanted.items()
        if job_id not in left and row.id not in ours
    }
    return Dispatch(replace(call, tokens={}), left, told=told)


def _found(server: Server, call: Call) -> dict[bytes, list]:
    """The removals of each job that can be taken back or that this call takes back, by the key of
    its id, the newest first."""
    found = defaultdict(list)
    in_time = Q(is_restored=False, at_ms__gte=trash.oldest_ms())
    is_open = Q(is_removed=True) & (in_time | Q(restored_by=call.op_id))
    for keys in _keys(call):
        mine = trash.of(server.name, call.queue).filter(is_open, key__in=keys)
        rows = mine.order_by("-at_ms", "-id").values_list(*_LOOKED_AT, named=True)
        for row in rows:
            found[bytes(row.key)].append(row)
    return found


def _choice(call: Call, job_id: str, rows: Sequence):
    """A row that may be another call's, if that is what the caller means; `None` for none."""
    token = call.tokens.get(job_id)
    ours = (row for row in rows if row.restored_by == call.op_id)
    fit = (row for row in rows if not row.is_restored and token in (None, row.attempts))
    return next(ours, None) or next(fit, None)


def _ends(row) -> str:
    """What is said of a job that another call is restoring, or broke off from restoring."""
    began, ends = moment(row.changed_ms), row.changed_ms + trash.OVER_MS
    call = f"the restore {shown(row.restored_by)}, which began at {began}"
    if ends > host_ms():
        return (
            f"not restored: {call}, is under way or broke off. If the trail does not tell by "
            f"{moment(ends)} that it was done, it may be restored again then."
        )
    return (
        f"not restored: {call}, broke off, and the trail does not tell whether it was done: "
        "entries of the queue's audit are missing or not copied yet."
    )


def _too_large(wanted: dict) -> Iterator[str]:
    """Those with which the call would be too large; the first is never too large by itself."""
    room = MOST_OF_A_CALL
    for job_id, row in wanted.items():
        if row.size > room and room < MOST_OF_A_CALL:
            yield job_id
        else:
            room -= row.size


def _marked(call: Call, rows: Sequence) -> set[int]:
    """Make them this call's own, but for those at which another call was faster; the others."""
    ours = set()
    mark = {"restored_by": call.op_id, "under_way": call.op_id, "changed_ms": host_ms()}
    for start in range(0, len(rows), _AT_ONCE):
        mine = Trashed.objects.filter(id__in=[row.id for row in rows[start : start + _AT_ONCE]])
        mine.filter(under_way__in=["", call.op_id], is_restored=False).update(**mark)
        ours |= set(mine.filter(restored_by=call.op_id).values_list("id", flat=True))
    return ours


def _keys(call: Call) -> Iterator[list[bytes]]:
    keys = list(map(job_key, call.job_ids))
    for start in range(0, len(keys), _AT_ONCE):
        yield keys[start : start + _AT_ONCE]


def send(server: Server, call: Call, actor: str) -> dict[str, Outcome]:
    """Put back what was chosen. Raises what the verb raises."""
    rows = {}
    for keys in _keys(call):
        mine = trash.of(server.name, call.queue).filter(restored_by=call.op_id, key__in=keys)
        rows |= {from_wire(bytes(row.job_id)): row for row in mine}
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
    op_ids: set[str] = set()
    for keys in _keys(call):
        op_ids |= set(mine.filter(key__in=keys).values_list("under_way", flat=True))
    for op_id in op_ids:
        trash.settle_call(server, call.queue, op_id, trash.OVER_MS)
