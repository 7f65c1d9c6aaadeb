"""What an action would do, read before it is asked for and held against its result afterwards."""

from __future__ import annotations

from collections.abc import Callable

from echomq_admin.console.acting import jobs, lanes, leases, payload, queues
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.preview import Shown
from echomq_admin.console.outcomes import Outcome
from echomq_admin.operations.calls import Call, Done

__all__ = ["Shown", "numbers", "preview", "told"]


# By verb: what reads the preview, and what holds a result against it.
_LOOKS: dict[str, Callable[[Asked, Call], Shown]] = {
    **dict.fromkeys(("requeue", "promote_now", "bury", "remove"), jobs.look),
    "recover_now": leases.recovery,
    "extend": leases.extension,
    "update_payload": payload.edit,
    "pause": queues.pause,
    "resume": queues.resume,
    "promote": queues.promote,
    "drain": queues.drain,
    "obliterate": queues.obliterate,
    **dict.fromkeys(("pause_lane", "resume_lane", "limit_lane"), lanes.look),
}
# What these reach is fenced job by job.
_UNCOUNTED = {"requeue", "promote_now", "recover_now", "extend", "update_payload"}
_TELLS: dict[str, Callable[[Asked, Done], Outcome]] = {"promote": queues.promoted}


def preview(asked: Asked, call: Call) -> Shown | None:
    """The preview of a call, `None` where the action has none."""
    look = _LOOKS.get(asked.action.verb)
    return look(asked, call) if look else None


def numbers(asked: Asked, call: Call) -> dict[str, int]:
    """The numbers now, that a confirmation must cover; none is read for a call that has none."""
    verb = asked.action.verb
    needs_force = bool(asked.action.overrides)
    if verb in _UNCOUNTED or (needs_force and not call.args.get("force")):
        return {}
    found = preview(asked, call)
    return found.held_to if found else {}


def told(asked: Asked, done: Done) -> Outcome | None:
    """The outcome of an action that has a result of its own kind, else `None`."""
    tell = _TELLS.get(asked.action.verb)
    return tell(asked, done) if tell else None
