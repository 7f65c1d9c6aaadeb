"""What the page of a job says of where the job is. Pure sentences."""

from __future__ import annotations

from echomq_admin.emq.flow import Parent
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.emq.lanes import LaneState
from echomq_admin.emq.reads import JobLook
from echomq_admin.emq.rows import ROW_MISSING
from echomq_admin.emq.whereabouts import PLACES, Held
from echomq_admin.fleet.names import brief

AWAITS = b"awaiting_children"
# The set in which a job of each state belongs.
_BELONGS = {b"pending": "pending", b"active": "active", b"scheduled": "schedule", b"dead": "dead"}
_LOST = {
    b"pending": "no worker will ever claim it",
    b"active": "no sweep will ever see it",
    b"scheduled": "nothing will ever promote it",
    b"dead": "no list shows it",
}
_ROTA = {
    "on ring": "on the ring",
    "empty": "empty",
    "paused": "paused",
    "at limit": "at its limit",
    "off ring": "off the ring: no worker takes its jobs, though it could be served",
    "needless": "on the ring, though it cannot be served",
    "twice": "on the ring more than once",
    "?": "not known to be on the ring",
}
_WAITS = {"pending", "lane"}
# What happened to a job, by where an action left it and where it is now.
_SINCE = {
    "waiting": {
        "active": "Since then it was claimed again{}.",
        "dead": "Since then it died again{}.",
        "schedule": "Since then it failed{}, and waits for its next run.",
    },
    "dead": {
        "waiting": "Since then it was requeued.",
        "active": "Since then it was requeued and claimed again{}.",
        "schedule": "Since then it was requeued and failed{}, and waits for its next run.",
    },
    "active": {
        "waiting": "Since then its lease ended, and it waits again.",
        "dead": "Since then it died{}.",
        "schedule": "Since then it failed{}, and waits for its next run.",
    },
}
FIELDS = {
    b"state": "a copy; the set that holds the id is the truth",
    b"attempts": "claims so far, and the token of the lease",
    b"stalled": "leases that lapsed and were swept",
    b"group": "its lane",
    b"parent": "the flow parent that waits for it",
    b"parent_queue": "the queue of the parent",
    b"parent_policy": "what its failure means to the parent",
    b"lock": "written by the worker that tracks it",
    b"progress": "as its worker reported it",
    b"payload": "what a worker is given",
    b"last_error": "of the last attempt that failed",
}
_POLICIES = {
    b"fp": "its failure fails the parent",
    b"id": "if it fails, the parent goes on without it",
}


def fault_note(look: JobLook) -> tuple[str, str]:
    """What is wrong with the row, as a head and its sentences; empty when nothing is. A row that
    is merely odd is moved like any other."""
    job = look.job
    if job.fault == ROW_MISSING:
        where = "only the id is left in the sets below"
        if not look.held:
            where = "no set that was looked into holds the id, and not all of them were"
        return "Row missing:", f"{where}. The job finished, was removed or was evicted."
    if job.fault and not job.is_movable:
        return "Unreadable:", f"{job.fault}. It cannot be moved as it is."
    odd = job.odd or (job.fault or "").removeprefix("unreadable row: ")
    return ("Odd row:", f"{odd}. It can be moved all the same.") if odd else ("", "")


def moved_on(look: JobLook, left_in: str) -> str:
    """What became of a job since an action; empty while it is where that left it: see
    `outcomes.Outcome.left_in`."""
    places = {"waiting" if held.place in _WAITS else held.place for held in look.held}
    if left_in in {*places, "gone"}:
        return ""
    if look.is_gone:
        return "Since then it has finished or was removed."
    attempts = "" if look.job.attempts is None else f", attempt {look.job.attempts:,}"
    since = _SINCE.get(left_in, {})
    return next((since[place].format(attempts) for place in since if place in places), "")


def set_name(held: Held) -> str:
    """A set as the page calls it."""
    return f"lane {brief(held.group)}" if held.group is not None else held.place


def oddities(look: JobLook) -> list[str]:
    """Where row and sets disagree, each a sentence; none while the job is on the move."""
    if not look.is_settled:
        return []
    if not look.held:
        return _nowhere(look)
    names = [set_name(held) for held in look.held]
    said = []
    if len(names) > 1:
        said.append(f"It is in {_listed(names)} at once, where it belongs in one set only.")
    if look.job.fault == ROW_MISSING:
        return [*said, f"Only its id is left, in {_listed(names)}: the row is missing."]
    return [*said, *_mismatch(look, names), *_strange_lanes(look), *_scores(look)]


def _nowhere(look: JobLook) -> list[str]:
    state = look.job.state
    if look.job.fault == ROW_MISSING or state == AWAITS:
        return []
    if not look.looked_everywhere:
        return ["No set that was looked into holds the id, and not all of them were."]
    lanes = f" and none of the {look.lanes_asked:,} lanes asked" if look.lanes_asked else ""
    if state is None:
        says = "The state of the row is not read" if look.job.odd else "The row names no state"
        return [f"{says}, and no set{lanes} holds the id."]
    why = _LOST.get(state, "no worker, sweep or list will ever meet it")
    return [f"The row says {_state(state)}, but no set{lanes} holds the id: {why}."]


def _mismatch(look: JobLook, names: list[str]) -> list[str]:
    """Where the state of the row names another set than those that hold the id."""
    state = look.job.state
    if look.job.fault or state is None:
        return []
    wanted = _BELONGS.get(state, "")
    places = {"pending" if held.place == "lane" else held.place for held in look.held}
    if wanted in places:
        return []
    what = "waits for its children" if state == AWAITS else f"is {_state(state)}"
    return [f"The row says that it {what}, but it is in {_listed(names)}. The set is the truth."]


def _strange_lanes(look: JobLook) -> list[str]:
    group = look.job.group
    strange = [held for held in look.held if held.place == "lane" and held.group != group]
    said = [f"It waits in {set_name(held)}, which its row does not name." for held in strange]
    if group is not None and any(held.place == "pending" for held in look.held):
        said.append(
            f"It waits outside of its lane {brief(group)}: who serves lanes will never claim it."
        )
    return said


def _scores(look: JobLook) -> list[str]:
    odd = [h for h in look.held if h.place in {"pending", "dead", "lane"} and h.score]
    return [f"Its score in {set_name(h)} is {h.score:g}, where all scores are 0." for h in odd]


def lane(state: LaneState) -> str:
    """The numbers of a lane and where it stands."""
    depth = "depth unknown" if state.depth is None else f"{state.depth:,} waiting"
    flight = "in flight unknown" if state.in_flight is None else f"{state.in_flight:,} in flight"
    limit = "" if state.limit is None else f" of at most {state.limit:,}"
    fault = f" ({state.fault})" if state.fault else ""
    return f"{depth}, {flight}{limit}; {_ROTA[state.rota]}{fault}"


def parent(parent: Parent) -> str:
    """What a flow parent is doing."""
    if parent.where == "?":
        return f"not known: {parent.fault}"
    if parent.awaits and parent.where in PLACES:
        return f"in {parent.where}, though its row waits for its children"
    return {
        "awaiting_children": "waits for its children",
        "no set": "in no set, and not waiting for children",
        "gone": "gone: it finished, was removed or was never here",
    }.get(parent.where, f"in {parent.where}")


def policy(raw: bytes | None) -> str:
    """What the failure of a child means."""
    if raw is None:
        return ""
    return _POLICIES.get(raw, f"policy {_state(raw)}")


def _state(raw: bytes) -> str:
    return brief(from_wire(raw), 60) if raw else "nothing"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
