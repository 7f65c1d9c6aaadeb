"""What a verb on named jobs would answer for each, judged in the order of its script."""

from __future__ import annotations

from collections.abc import Callable

from echomq_admin.emq.standing import Standing
from echomq_admin.emq.whereabouts import Place
from echomq_admin.fleet.names import shown

# Where a move did not find the job, by its word: the set and its name for people.
_SOUGHT: dict[str, tuple[Place, str]] = {
    "not_dead": ("dead", "dead"),
    "not_scheduled": ("schedule", "the scheduled jobs"),
}


def verdict(verb: str, job: Standing, token: int | None) -> str:
    """The word of the verb's outcomes for this job, without force. `token` is the attempts that
    the caller saw, `None` for no fence.

    An id without a row that no set holds may still lie in a lane, so a removal of it is "removed".
    """
    return _JUDGES[verb](job, token)


def doubled(word: str, job: Standing) -> str:
    """Why a move does not bring back a job that is active too, as a clause: the script answers
    that it is not where it was sought, and takes it out there all the same. Empty for any other."""
    place, name = _SOUGHT.get(word, ("active", ""))
    if not name or not {place, "active"} <= job.held:
        return ""
    return f"active too: this would only take it out of {name}, the lease stays"


def flow(queue: str, parent: str | None, parent_queue: str | None) -> str:
    """Which part a job of `queue` has in its flow, as a clause; its parent is named."""
    if parent is None:
        return "a flow parent that waits for its children"
    there = "" if parent_queue in (None, queue) else f" in queue {shown(parent_queue)}"
    return f"child of {shown(parent)}{there}, which would wait for it for ever"


def _back(success: str, refusal: str) -> Callable[[Standing, int | None], str]:
    place, _ = _SOUGHT[refusal]

    def judge(job: Standing, token: int | None) -> str:
        if not job.has_row:
            return "gone"
        if job.attempts is None or job.is_homeless:
            return "unreadable"
        if place not in job.held or "active" in job.held:
            return refusal
        return "changed" if _is_changed(job, token) else success

    return judge


def _bury(job: Standing, token: int | None) -> str:
    if not job.has_row:
        return "gone"
    if job.attempts is None:
        return "unreadable"
    if job.held == {"dead"}:
        return "already_dead"
    if _is_changed(job, token):
        return "changed"
    if "active" in job.held and token is None:
        return "active"
    return "child" if job.is_child or job.awaits else "buried"


def _remove(job: Standing, token: int | None) -> str:
    if not job.has_row:
        return "removed"
    if job.is_hash and token is not None and job.attempts != token:
        return "changed"
    if "active" in job.held:
        return "active"
    if job.is_locked:
        return "locked"
    return "child" if job.is_child else "removed"


def _is_changed(job: Standing, token: int | None) -> bool:
    return token is not None and job.attempts is not None and job.attempts != token


_JUDGES: dict[str, Callable[[Standing, int | None], str]] = {
    "requeue": _back("requeued", "not_dead"),
    "promote_now": _back("promoted", "not_scheduled"),
    "bury": _bury,
    "remove": _remove,
}
