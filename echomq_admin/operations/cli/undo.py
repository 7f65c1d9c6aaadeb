"""`emq undo`: a requeue is taken back by the op_id that its answer and the trail tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from echomq_admin.fleet.names import shown, to_url
from echomq_admin.operations import undoing
from echomq_admin.operations.actions import ACTIONS, MANY
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.cli.names import place, typed
from echomq_admin.operations.cli.options import add_common, text

VERB = "undo"
HELP = "Undoes a requeue by its op_id: jobs that still wait return to dead."


def add(verbs) -> None:
    """The sub-command."""
    parser = verbs.add_parser(
        VERB,
        description=f"{HELP} Error and stall count come back as they were; where only the text of "
        "the audit is left, the answer says so.",
    )
    add_common(parser)
    parser.add_argument("place", metavar="[SERVER/]QUEUE")
    parser.add_argument("undone", metavar="OP_ID", help="that of the requeue")
    parser.add_argument("--reason", default="", help="why, for the trail")


def call(given: Mapping[str, object]) -> Call:
    """The call that was typed, without the jobs that it names. Raises `Usage`."""
    server, queue = place(str(given["place"]))
    op_id = undoing.undo_id(server, queue, _undone(given))
    reason = text(given["reason"])
    return Call("return_to_dead", server, queue, op_id=op_id, reason=reason)


def undo(user, given: Mapping[str, object], call: Call) -> Done:
    """Do it. Raises `Refused`."""
    return undoing.undo(user, call.server, call.queue, _undone(given), call.reason)


def way(steps: Sequence[Done]) -> list[str]:
    """The line that says how a call is taken back; none where there is no taking back."""
    call, moved = steps[0].call, len(steps[0].outcomes) - len(steps[0].refusals)
    if ACTIONS[call.action].undo != "return_to_dead" or len(steps) > 1 or not 0 < moved <= MANY:
        return []
    return [f"To undo it: emq undo {call.server}/{to_url(call.queue)} {shown(call.op_id)}"]


def _undone(given: Mapping[str, object]) -> str:
    return typed(str(given["undone"]))
