"""Before a lane is paused, resumed or limited: how it stands now."""

from __future__ import annotations

from typing import cast

from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.preview import Preview
from echomq_admin.console.acting.queues import TEMPLATE, Fact
from echomq_admin.emq.lanes import LaneState
from echomq_admin.emq.reads import lane_state
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.operations.calls import Call

_STANDS = {
    "on ring": "consumers take from it in turn",
    "empty": "no job waits in it",
    "paused": "it is paused",
    "at limit": "as many of its jobs are in flight as its limit allows",
    "off ring": "it has jobs and room, but is missing on the ring",
    "needless": "it is on the ring although nothing may be taken from it",
    "twice": "it is on the ring more than once",
    "?": "where it stands cannot be read",
}


def look(asked: Asked, call: Call) -> Preview:
    """How the lane of the call stands, and what the action would make of it."""
    if "group" not in call.args:
        return Preview("", is_draft=True)
    group = cast(str, call.args["group"])
    state = lane_state(asked.place.server.client, asked.place.queue, group)
    verb = asked.action.verb
    said = _idle(verb, state)
    facts = [
        Fact("Waiting", state.depth, _STANDS[state.rota]),
        Fact("In flight", state.in_flight, "their workers may finish them"),
        *([Fact("Limit", state.limit)] if state.limit is not None else []),
    ]
    return Preview(
        TEMPLATE,
        args=("group",),
        sets={"group": to_url(group)},
        without=frozenset({"group"}),
        starts={"n": state.limit},
        about=f"Lane {brief(group)}. {_about(asked)}",
        is_nothing=bool(said),
        context={"facts": facts, "said": said},
    )


def _about(asked: Asked) -> str:
    if asked.action.verb == "limit_lane":
        return (
            "Sets how many of its jobs may be active at once; empty takes the limit away. "
            "Jobs in flight beyond a lower limit stay in flight."
        )
    return asked.action.help


def _idle(verb: str, state: LaneState) -> list[str]:
    """Why the action would change nothing, if so. A lane that stands wrong is always put right."""
    if state.paused is None or state.rota in {"off ring", "needless", "twice", "?"}:
        return []
    if verb == "pause_lane" and state.paused:
        return ["It is paused already: there is nothing to do."]
    if verb == "resume_lane" and not state.paused:
        return ["It is not paused: there is nothing to do."]
    return []
