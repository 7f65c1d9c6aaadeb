"""What the door tells the trail: that a call is on its way, what came of it, or why not."""

from __future__ import annotations

from echomq_admin.fleet.servers import Server
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call
from echomq_admin.operations.refusals import Refused


def opened(action: Action, call: Call, actor: str) -> None:
    """Note a checked call that is about to be sent. Raises `Trouble` when it cannot be noted:
    then it is not sent."""


def settled(action: Action, server: Server, call: Call, actor: str, sentence: str) -> None:
    """Copy what the call wrote to its stream; of a change of the console's own, write the entry.

    Raises nothing: what cannot be copied now, the agent copies.
    """


def refused(call: Call, actor: str, why: Refused) -> None:
    """Write down an attempt that came to nothing. Raises nothing."""
