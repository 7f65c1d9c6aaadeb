"""What is kept of jobs before a call changes them, so that it can be taken back."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import Error as DatabaseError

from echomq_admin.fleet import own_database
from echomq_admin.fleet.servers import Server
from echomq_admin.operations import befores, restoring, trashing
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.dispatch import Dispatch
from echomq_admin.operations.refusals import Trouble

log = logging.getLogger(__name__)


def before(action: Action, server: Server, call: Call, actor: str) -> Dispatch:
    """Keep what undo and trash need, and answer what is to be sent.

    Raises `Trouble` when it cannot be kept (then nothing is sent), `Refused`, and what the server
    raises. A requeue goes on when the database does not take what its undo needs: the audit has
    that too, though cut.
    """
    keep = _BEFORE.get(action.verb)
    if keep is None:
        return Dispatch(call)
    try:
        return keep(server, call, actor)
    except DatabaseError as error:
        said = own_database.said(error)
        if action.verb == "requeue":
            log.warning("what an undo of %s needs is not kept: %s", call.op_id, said)
            return Dispatch(call)
        raise Trouble(
            f"The console's database did not take what is kept of the jobs ({said}). Nothing was "
            f"sent, so nothing was changed. Press {action.label} again."
        ) from error


def after(action: Action, server: Server, done: Done) -> None:
    """Confirm what was kept for the jobs that moved, and drop it for those that did not.

    Raises nothing: what stays unconfirmed, `trash.settle` confirms or drops by the trail.
    """
    settle = _AFTER.get(action.verb)
    if settle is None:
        return
    try:
        settle(server, done)
    except DatabaseError as error:
        log.warning("%s of %s stays to be confirmed: %s", action.verb, done.call.op_id, error)


_BEFORE: dict[str, Callable[[Server, Call, str], Dispatch]] = {
    "requeue": befores.keep,
    "remove": trashing.keep,
    "restore": restoring.keep,
}
_AFTER: dict[str, Callable[[Server, Done], None]] = {
    "requeue": befores.confirm,
    "remove": trashing.confirm,
    "restore": restoring.confirm,
}
