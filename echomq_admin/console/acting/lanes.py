"""Before a lane is paused, resumed or limited: what becomes of its jobs."""

from __future__ import annotations

from typing import cast

from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.preview import Shown
from echomq_admin.console.acting.queues import TEMPLATE, Fact
from echomq_admin.emq.lanes import LaneState
from echomq_admin.emq.reads import lane_state
from echomq_admin.fleet.names import to_url
from echomq_admin.operations.calls import Call

# Where ring and lane disagree, which the scripts put right whatever else they do.
_WRONG = {
    "off ring": "it has jobs and room, but is missing on the ring",
    "needless": "it is on the ring although nothing may be taken from it",
    "twice": "it is on the ring more than once",
}


def look(asked: Asked, call: Call) -> Shown:
    """How the lane of the call stands, and what the action would make of it."""
    if "group" not in call.args:
        return Shown("", is_draft=True)
    group = cast(str, call.args["group"])
    state = lane_state(asked.place.server.client, asked.place.queue, group)
    verb = asked.action.verb
    idle = _idle(verb, state)
    facts = [
        Fact("Waiting", state.depth, _waiting(verb, state)),
        Fact("In flight", state.in_flight, "their workers may finish them"),
        *([Fact("Limit", state.limit)] if state.limit is not None else []),
    ]
    return Shown(
        TEMPLATE,
        args=("group",),
        sets={"group": to_url(group)},
        without=frozenset({"group"}),
        starts={"n": state.limit},
        about=_about(asked, state),
        is_nothing=bool(idle),
        context={"facts": facts, "said": idle or _wrong(state)},
    )


def _about(asked: Asked, state: LaneState) -> str:
    if asked.action.verb != "limit_lane":
        return asked.action.help
    away = "; an empty field takes the limit away" if state.limit is not None else ""
    return (
        f"Sets how many of its jobs may be active at once{away}. "
        "Jobs in flight beyond a lower limit stay in flight."
    )


def _waiting(verb: str, state: LaneState) -> str:
    """What becomes of the jobs that wait in the lane."""
    if verb == "pause_lane":
        return "stay, and no worker claims one until the lane is resumed"
    if verb == "limit_lane":
        limited = "wait while the lane is at its limit"
        return f"{limited}; the lane stays paused" if state.paused else limited
    if state.limit is not None and (state.in_flight or 0) >= state.limit:
        return "stay until one that is in flight ends: the lane is at its limit"
    return "can be claimed from then on"


def _idle(verb: str, state: LaneState) -> list[str]:
    """Why the action would change nothing, if so. A lane that stands wrong is always put right."""
    if state.paused is None or state.rota == "?" or state.rota in _WRONG:
        return []
    if verb == "pause_lane" and state.paused:
        return ["It is paused already: there is nothing to do."]
    if verb == "resume_lane" and not state.paused:
        return ["It is not paused: there is nothing to do."]
    return []


def _wrong(state: LaneState) -> list[str]:
    why = _WRONG.get(state.rota)
    return [f"It stands wrong now: {why}. This puts it right."] if why else []
