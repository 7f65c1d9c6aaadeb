"""What the console keeps of jobs that are moved, in words: the trash, and what an undo needs."""

from __future__ import annotations

from django.conf import settings
from django.db import Error as DatabaseError

from echomq_admin.operations import trash
from echomq_admin.operations.actions import MANY, Action
from echomq_admin.operations.calls import Done


def promise(count: int) -> str:
    """What the confirmation of a removal says of the way back."""
    each = "Its row, its logs and its place are" if count == 1 else "Rows, logs and places are"
    return f"{each} kept in the trash for {_days()}; until then a removal can be taken back."


def note(done: Done) -> str:
    """What an outcome says of the way back."""
    moved = sum(1 for job_id in done.outcomes if job_id not in done.refusals)
    count = _kept(done) if done.call.action == "remove" else 0
    if not count:
        return ""
    it = "It" if moved == 1 else "They" if count == moved else f"{count:,} of {moved:,}"
    return f"{it} can be restored from the trash for {_days()}."


def _kept(done: Done) -> int:
    """How many of them are in the trash. What was done is told, whatever the database says now."""
    try:
        return trash.count_of(done.call.server, done.call.queue, done.call.op_id)
    except DatabaseError:
        return 0


def undo(action: Action, done: Done) -> str:
    """The op_id under which a call can be undone, empty when it cannot."""
    if action.undo != "return_to_dead" or len(done.call.job_ids) > MANY:
        return ""
    has_moved = any(job_id not in done.refusals for job_id in done.outcomes)
    return done.call.op_id if has_moved else ""


def _days() -> str:
    days = settings.EMQ_TRASH_DAYS
    return "1 day" if days == 1 else f"{days:,g} days"
