"""The answer to a call that was made before, when what it says holds no more.

A form of an old page, sent again, is answered with the reply of then. A second click needs no word
about it; but a person who reads "resumed" of a queue that another has paused since is misled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from echomq_admin.console import words
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.outcomes import Outcome
from echomq_admin.emq import reads
from echomq_admin.emq.lanes import LaneState
from echomq_admin.emq.standing import Standing, standings
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.spans import span
from echomq_admin.operations import looks
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.failures import FAILURES


def done_ago_ms(asked: Asked, call: Call) -> int | None:
    """How long ago this call was made; `None` when it was not, or where it cannot be asked."""
    is_judged = asked.action.verb in _CHANGES
    return looks.begun_ago_ms(asked.place.server, call) if is_judged else None


def told(asked: Asked, done: Done, outcome: Outcome, ago_ms: int) -> Outcome:
    """The outcome of a call made before: as it was while it holds, else what has changed since."""
    try:
        change = _CHANGES[asked.action.verb](asked, done)
    except FAILURES:
        return outcome
    if not change:
        return outcome
    return replace(
        outcome,
        level="part",
        sentence=f"Nothing was done now: this was done {span(ago_ms)} ago, and {change}",
        note=f"The answer of then: {outcome.sentence}. To do it again, press its button anew.",
        undo="",
        left_in="",
    )


def _paused(asked: Asked, _done: Done) -> str:
    return "" if _is_paused(asked) else "the queue was resumed since"


def _resumed(asked: Asked, _done: Done) -> str:
    return "the queue was paused since" if _is_paused(asked) else ""


def _is_paused(asked: Asked) -> bool:
    place = asked.place
    _, (found,) = reads.counts(place.server.client, {place.queue: ()})
    return bool(found.paused)


def _lane_paused(asked: Asked, done: Done) -> str:
    return "" if _lane(asked, done).paused else "the lane was resumed since"


def _lane_resumed(asked: Asked, done: Done) -> str:
    return "the lane was paused since" if _lane(asked, done).paused else ""


def _lane_limited(asked: Asked, done: Done) -> str:
    limit = _lane(asked, done).limit
    if limit == done.call.args["n"]:
        return ""
    return f"its limit was {'taken away' if limit is None else f'set to {limit:,}'} since"


def _lane(asked: Asked, done: Done) -> LaneState:
    place = asked.place
    return reads.lane_state(place.server.client, place.queue, str(done.call.args["group"]))


def _moved(is_back: Callable[[Standing], bool], where: str) -> Callable[[Asked, Done], str]:
    """Which of the jobs that a call moved are back; `where` says in which words."""

    def judge(asked: Asked, done: Done) -> str:
        moved = [job_id for job_id in done.outcomes if job_id not in done.refusals]
        found = standings(asked.place.server.client, asked.place.queue, moved)
        back = [job.job_id for job in found if is_back(job)]
        if not back:
            return ""
        if len(done.outcomes) == 1:
            return f"{brief(back[0], 60)} is {where} since"
        return f"of {words.jobs(len(done.outcomes))}, {len(back):,} are {where} since"

    return judge


_CHANGES: dict[str, Callable[[Asked, Done], str]] = {
    "pause": _paused,
    "resume": _resumed,
    "pause_lane": _lane_paused,
    "resume_lane": _lane_resumed,
    "limit_lane": _lane_limited,
    "requeue": _moved(lambda job: "dead" in job.held, "dead again"),
    "promote_now": _moved(lambda job: "schedule" in job.held, "scheduled again"),
    "recover_now": _moved(lambda job: "active" in job.held, "active again"),
    "bury": _moved(lambda job: "dead" not in job.held, "not dead any more"),
    "remove": _moved(lambda job: job.has_row, "there again"),
}
