"""What the door tells the trail: that a call is on its way, what came of it, or why not."""

from __future__ import annotations

import logging

from django.db import Error as DatabaseError

from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import TROUBLE, Server, trouble
from echomq_admin.ledger import copying, notes, presses
from echomq_admin.ledger.models import Kind
from echomq_admin.operations import failures
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call
from echomq_admin.operations.refusals import Refused, Trouble

logger = logging.getLogger(__name__)


def opened(action: Action, call: Call, actor: str) -> None:
    """Note a checked call that is about to be sent. Raises `Trouble` when it cannot be noted:
    then it is not sent."""
    if action.changes == "console":
        return
    try:
        presses.press(call.server, call.queue, call.op_id, actor, action.verb, call.reason)
    except DatabaseError as error:
        raise Trouble(
            f"The console's database could not note this ({shown(str(error))}), and without a "
            f"record nothing is sent. Nothing was changed{failures.in_step(call)}. Press "
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


def kept(action: Action, call: Call, actor: str, sentence: str) -> None:
    """Write down a change of what the console itself keeps. Raises `django.db.Error`: it belongs
    into the transaction of the change."""
    notes.note(
        Kind.KEPT, action.verb, actor, sentence, call.server, call.queue, call.op_id, call.reason
    )


def refused(call: Call, actor: str, why: Refused) -> None:
    """Write down an attempt that came to nothing. Raises nothing."""
    try:
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
            job_ids=call.job_ids,
        )
    except DatabaseError as error:
        logger.warning("a refusal is not in the trail: %s", error)
