"""What the door tells the trail: that a call is on its way, what came of it, or why not."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from django.db import Error as DatabaseError
from django.db.models import QuerySet

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet import own_database
from echomq_admin.fleet.servers import TROUBLE, Server, trouble
from echomq_admin.ledger import copying, notes, presses
from echomq_admin.ledger.models import Kind, TrailEntry
from echomq_admin.ledger.sieve import row_by_row
from echomq_admin.ledger.texts import fit, sound
from echomq_admin.operations import failures
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.refusals import Refused, Trouble

# Whoever asks can be refused as often as they like: an entry names so many jobs, and is not written
# again so soon.
MOST_JOBS = 100
AGAIN_MS = 60_000

logger = logging.getLogger(__name__)


def opened(action: Action, call: Call, actor: str) -> None:
    """Note a checked call that is about to be sent; with its first step, all its steps. Raises
    `Trouble` when it cannot be noted: then it is not sent."""
    if action.changes == "console" or call.step:
        return
    try:
        presses.press(call.server, call.queue, call.op_id, actor, action.verb, call.reason)
    except DatabaseError as error:
        raise Trouble(
            f"The console's database could not note this ({own_database.said(error)}), and "
            f"without a record nothing is sent. Nothing was changed{failures.in_step(call)}. Press "
            f"{action.label} again."
        ) from error


def settled(action: Action, server: Server, call: Call) -> None:
    """Copy what the call wrote to its stream. Raises nothing: what cannot be copied now, the agent
    copies."""
    if action.changes == "console":
        return
    try:
        copying.copy(server, call.queue)
    except TROUBLE as error:
        logger.warning("the audit is copied later: %s", trouble(server, error))
    except DatabaseError as error:
        logger.warning("the audit of %s is copied later: %s", server.name, error)


def done_before(action: Action, call: Call) -> tuple[int, int]:
    """How many entries the trail has of a step under its op_id, and the server's time of the first,
    0 for none. Raises nothing: a trail that cannot be read tells of none."""
    if action.changes == "console":
        return 0, 0
    try:
        found = list(_of_step(action, call).order_by("pk").values_list("at_ms", flat=True))
    except DatabaseError as error:
        logger.warning("whether %s was sent before is not known: %s", call.op_id, error)
        return 0, 0
    return len(found), found[0] if found else 0


def replay(action: Action, call: Call, before: tuple[int, int]) -> str:
    """What to say of a step that was done before and moved nothing now; empty for any other."""
    count, at_ms = before
    if not count or done_before(action, call)[0] != count:
        return ""
    return f"This was done before, at {moment(at_ms)}, and nothing was done now."


def moment(ms: int) -> str:
    """An instant as the sentences of the door name it."""
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _of_step(action: Action, call: Call) -> QuerySet[TrailEntry]:
    """The entries of a step; those of a call that is sent in parts have its op_id with a number."""
    op_id = call.step_op_id
    found = TrailEntry.objects.filter(op_id=op_id)
    if not action.in_steps:
        # Between `op_id.` and the character behind the dot, which an index can use.
        found |= TrailEntry.objects.filter(op_id__gt=f"{op_id}.", op_id__lt=f"{op_id}/")
    here = row_by_row(server=call.server, queue=to_wire(call.queue), kind=Kind.MOVED)
    return found.filter(here, op=action.verb)


def kept(action: Action, call: Call, actor: str, sentence: str) -> None:
    """Write down a change of what the console itself keeps. Raises `django.db.Error`: it belongs
    into the transaction of the change."""
    notes.note(
        Kind.KEPT, action.verb, actor, sentence, call.server, call.queue, call.op_id, call.reason
    )


def moved_nothing(action: Action, actor: str, done: Done) -> None:
    """Write down a call of which every job was refused: no script writes an entry of that. Raises
    nothing."""
    if action.changes == "server" and done.outcomes and len(done.refusals) == len(done.outcomes):
        refused(done.call, actor, Refused(f"{done.sentence}."))


def refused(call: Call, actor: str, why: Refused) -> None:
    """Write down an attempt that came to nothing, unless that has just been done. Raises
    nothing."""
    try:
        if _is_noted(call, actor, why):
            return
        notes.note(
            Kind.REFUSED,
            call.action,
            actor,
            why.sentence,
            server=call.server,
            queue=call.queue,
            op_id=call.op_id,
            reason=call.reason,
            n=len(call.job_ids),
            job_ids=call.job_ids[:MOST_JOBS],
        )
    except DatabaseError as error:
        logger.warning("a refusal is not in the trail: %s", error)


def _is_noted(call: Call, actor: str, why: Refused) -> bool:
    """Whether the same press was refused for the same reason a moment ago."""
    if not call.op_id:
        return False
    mine = TrailEntry.objects.filter(op_id=fit(call.op_id, 120), kind=Kind.REFUSED)
    same = mine.filter(op=fit(call.action, 100), actor=fit(actor, 300), server=fit(call.server, 64))
    soon = same.filter(at_ms__gt=notes.host_ms() - AGAIN_MS)
    return sound(why.sentence) in soon.values_list("sentence", flat=True)
