"""What is kept of jobs before a call changes them, so that it can be taken back."""

from __future__ import annotations

from echomq_admin.fleet.servers import Server
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call, Done


def before(action: Action, server: Server, call: Call, actor: str) -> Call:
    """Keep what undo and trash need, and answer the call to send.

    Raises `Trouble` when it cannot be kept (then nothing is sent), `Refused`, and what the server
    raises.
    """
    return call


def after(action: Action, done: Done) -> None:
    """Confirm what was kept for the jobs that moved, and drop it for those that did not.

    Raises nothing.
    """
