"""A requeue is taken back: jobs that still wait return to dead, with what they had there."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from django.db import Error as DatabaseError
from django.db.models import QuerySet

from echomq_admin.emq import audit
from echomq_admin.emq.audit import Moved
from echomq_admin.emq.calls import step_id
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import TROUBLE
from echomq_admin.ledger import copying
from echomq_admin.ledger.models import Kind, TrailEntry
from echomq_admin.ledger.sieve import row_by_row
from echomq_admin.ledger.texts import fit
from echomq_admin.operations import befores, earlier, services
from echomq_admin.operations.action import MANY
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.recording import moment
from echomq_admin.operations.refusals import Invalid, Refused

Was = tuple[int, bytes | None, int | None]


@dataclass(frozen=True)
class Undo:
    """What a requeue can be undone with: for each job its attempts, error and stall count.

    `from_audit` are those of which only the audit's text is left, `cut` those of them whose error
    is not whole there; `odd` those whose stall count was no number. `later` are jobs that were
    moved since, each with the sentence that says by what. `why_not` is a sentence when nothing can
    be undone.
    """

    jobs: Mapping[str, Was]
    from_audit: frozenset[str] = frozenset()
    cut: frozenset[str] = frozenset()
    odd: frozenset[str] = frozenset()
    later: Mapping[str, str] = field(default_factory=dict)
    why_not: str = ""


def undo(user, server_name: str, queue: str, op_id: str, reason: str = "") -> Done:
    """Undo the requeue of that op_id. Raises `Refused`, as `services.perform`; `Done.note` says
    what did not come back to the letter. A second undo of the same requeue is refused, and
    jobs that a later call moved are left alone."""
    call = Call(
        "return_to_dead", server_name, queue, op_id=undo_id(server_name, queue, op_id),
        reason=reason,
    )  # fmt: skip
    if not services.allowed(user, call.action):
        return services.perform(user, call)
    found = _found(user, call, op_id)
    jobs = dict(found.jobs)
    done = services.perform(user, replace(call, job_ids=tuple(jobs), args={"before": jobs}))
    return _with_later(replace(done, note=done.note or _note(found, done)), found.later)


def _with_later(done: Done, later: Mapping[str, str]) -> Done:
    if not later:
        return done
    return replace(
        done,
        outcomes={**done.outcomes, **dict.fromkeys(later, "changed")},
        sentence=f"{done.sentence}, {len(later):,} moved again since",
        refusals={**done.refusals, **later},
    )


def _found(user, call: Call, op_id: str) -> Undo:
    try:
        found = look(call.server, call.queue, op_id)
        if found.why_not:
            raise Refused(found.why_not)
    except Refused as refused:
        services.refuse(call, user.get_username(), refused)
    return found


def look(server_name: str, queue: str, op_id: str) -> Undo:
    """What the requeue of that op_id can be undone with, as the trail spells it. Raises `Invalid`
    for an unknown server."""
    try:
        server = servers.server(server_name)
    except LookupError:
        raise Invalid(f"There is no server {shown(server_name)} in EMQ_SERVERS.") from None
    # Without the newest entries, the undo works with those that are copied.
    with suppress(DatabaseError, *TROUBLE):
        copying.copy(server, queue)
    name, said = fit(op_id, 120), shown(op_id)
    kept = befores.of(server_name, queue, name)
    moved = _requeued(server_name, queue, name)
    if why_not := _why_not(server_name, queue, op_id, moved, bool(kept)):
        return Undo({}, why_not=why_not)
    told = moved if moved is not None else dict.fromkeys(kept)
    jobs: dict[str, Was] = {}
    for job_id, entry in told.items():
        row = kept.get(job_id)
        if row:
            error = None if row.error is None else bytes(row.error)
            jobs[job_id] = (row.attempts, error, row.stalled)
        elif entry and entry.attempts is not None:
            jobs[job_id] = (entry.attempts, entry.error, entry.stalled)
    audited = frozenset(jobs.keys() - kept.keys())
    cut = frozenset(job_id for job_id in audited if told[job_id] and told[job_id].error_cut)
    odd = frozenset(job_id for job_id, row in kept.items() if row.is_odd)
    later = earlier.moved_since(server_name, queue, name, jobs)
    left = {job_id: was for job_id, was in jobs.items() if job_id not in later}
    why_not = "" if left else _nothing_left(said, later)
    return Undo(left, audited, cut, odd, later, why_not)


def undo_id(server_name: str, queue: str, op_id: str) -> str:
    """The op_id of the undo of a call: always the same, so that it moves nothing twice."""
    return earlier.undo_id(server_name, queue, fit(op_id, 120))


def _requeued(server_name: str, queue: str, op_id: str) -> dict[str, Moved] | None:
    """The jobs that a requeue moved, as the trail has them; `None` when it has no such call."""
    mine = _requeues(server_name, queue).filter(op_id=op_id)
    entries = list(mine.values_list("jobs", flat=True))
    moved = (job for jobs in entries for job in audit.told("0-0", {b"jobs": bytes(jobs)}).jobs)
    found = {job.job_id: job for job in moved if job.outcome == "requeued"}
    return found if entries else None


def _requeues(server_name: str, queue: str) -> QuerySet[TrailEntry]:
    return TrailEntry.objects.filter(
        row_by_row(server=server_name, queue=to_wire(queue), kind=Kind.MOVED, op="requeue")
    )


def _why_not(
    server_name: str, queue: str, op_id: str, moved: Mapping[str, Moved] | None, is_kept: bool
) -> str:
    name = fit(op_id, 120)
    if undone := earlier.undone(server_name, queue, name):
        count, at_ms = undone
        return (
            f"The requeue {shown(op_id)} was undone before, at {moment(at_ms)}: {count:,} returned "
            "to dead then. Nothing was changed now."
        )
    second = step_id(name, 1)
    if _requeues(server_name, queue).filter(op_id=second).exists():
        return (
            f"The requeue {shown(op_id)} moved more than {MANY:,} jobs, which cannot be undone at "
            "once. Nothing was changed."
        )
    if moved is None and not is_kept:
        return (
            f"The trail knows no requeue {shown(op_id)} in queue {shown(queue)} on {server_name}. "
            "Nothing was changed."
        )
    return ""


def _nothing_left(said: str, later: Mapping[str, str]) -> str:
    if later:
        why = "it" if len(later) == 1 else "the first of them"
        return (
            f"All that the requeue {said} moved was moved again since; {why} "
            f"{next(iter(later.values()))} Nothing was changed."
        )
    return (
        f"The requeue {said} moved no job that can be returned: the trail names none "
        "whose attempts are known. Nothing was changed."
    )


def _note(found: Undo, done: Done) -> str:
    """What did not come back to the letter."""
    back = {job_id for job_id, word in done.outcomes.items() if word == "returned"}
    if not back:
        return ""
    audited, cut, odd = (len(some & back) for some in (found.from_audit, found.cut, found.odd))
    said = f" Of {_jobs(odd)} the stall count was no number: it is gone." if odd else ""
    if not audited:
        rest = "Errors" if odd else "Error and stall count"
        return f"{rest} are what they were, to the byte.{said}"
    return (
        f"Of {_jobs(audited)} only the text of the audit was left: "
        f"{f'{cut:,} came back with a cut error.' if cut else 'no error is cut there.'}"
        f"{said}"
    )


def _jobs(count: int) -> str:
    return "1 job" if count == 1 else f"{count:,} jobs"
