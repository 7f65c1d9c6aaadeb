"""Before named jobs are moved: where each stands now, and which of them a call would reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from echomq_admin.console import links, words
from echomq_admin.console.acting import keeps
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.fitness import lease
from echomq_admin.console.acting.preview import Shown
from echomq_admin.emq import kept
from echomq_admin.emq.standing import Standing, keyed_standing, standings
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.operations import trashing
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call
from echomq_admin.operations.verdicts import doubled, flow, verdict

LISTED = 100
# Where all jobs are that an action moves: to say it of each of them tells nothing.
_PLAIN = {"requeue": "dead", "promote_now": "scheduled"}
# Why a removal is not even sent: the trash does not take the job.
_TRASH = ("too_large", "unkept")
_SETS = {"dead": "dead", "schedule": "scheduled", "pending": "in pending", "active": "active"}


@dataclass(frozen=True, slots=True)
class AskedJob:
    """A job of the confirmation, with its counts as they are now. `now` says where it is, or why
    the call would leave it: then it `is_left`."""

    name: str
    href: str
    attempts: str
    stalls: str
    next_attempt: str
    now: str
    is_left: bool


def look(asked: Asked, call: Call) -> Shown:
    """Where the jobs stand, those first that would be left as they are."""
    action = asked.action
    judged, starts = _found(asked, call)
    found = [job for job, _ in judged]
    counts = Counter(word for _, word in judged)
    judged.sort(key=lambda one: one[1] == _success(action))
    moves, forced = counts[_success(action)], _forced(action, counts)
    lost = sum(counts[word] for word in _TRASH)
    return Shown(
        template="console/_ask_jobs.html",
        about=_about(action, len(found)),
        numbers={action.outcomes[word].many: n for word, n in forced.items()},
        overlooked=frozenset() if call.args.get("force") else _names(action),
        press=_press(action, moves, lost, forced, found),
        by_force=_by_force(action, forced, found, moves) if forced and moves else "",
        is_nothing=not (moves or forced or lost),
        without=_without(forced, starts),
        starts=starts,
        context=_context(asked, judged, counts, forced),
    )


def _found(asked: Asked, call: Call) -> tuple[list[tuple[Standing, str]], dict[str, object]]:
    """What the call would answer for each job, and of one to be removed the idempotency key that
    holds it. What the trash does not take is not even sent."""
    where = asked.place.server.client, asked.place.queue
    if asked.action.verb != "remove":
        return _judged(call, standings(*where, call.job_ids), {}), {}
    sizes = kept.Sizes(call.queue, () if call.args.get("unkept") else call.job_ids)
    if len(call.job_ids) > 1:
        found = standings(*where, call.job_ids, sizes)
        return _judged(call, found, trashing.refused(sizes)), {}
    job, dedup_id = keyed_standing(*where, call.job_ids[0], sizes)
    starts: dict[str, object] = {} if dedup_id is None else {"dedup_id": to_url(dedup_id)}
    return _judged(call, (job,), trashing.refused(sizes)), starts


def _judged(
    call: Call, found: Sequence[Standing], refused: Mapping[str, str]
) -> list[tuple[Standing, str]]:
    verb, tokens = call.action, call.tokens
    return [
        (job, refused.get(job.job_id) or verdict(verb, job, tokens.get(job.job_id)))
        for job in found
    ]


def _context(
    asked: Asked,
    judged: Sequence[tuple[Standing, str]],
    counts: Counter[str],
    forced: dict[str, int],
) -> dict[str, object]:
    """What the template draws."""
    action = asked.action
    jobs = [_asked(asked, job, word) for job, word in judged[:LISTED]]
    return {
        "jobs": jobs,
        "shows_now": any(job.now != _PLAIN.get(action.verb) for job in jobs),
        "unlisted": max(0, len(judged) - LISTED),
        "left": _left(action, judged),
        "kept": keeps.promise(len(judged)) if action.verb == "remove" else "",
        "shows_next": action.verb == "requeue",
        "forced": _counted(action, forced) if len(judged) > 1 else "",
        "by_force": _consequence(forced),
        "needs_force": bool(forced) and not counts[_success(action)],
        "needs_unkept": not forced and not counts[_success(action)],
    }


def _success(action: Action) -> str:
    return next(iter(action.outcomes))


def _forced(action: Action, counts: Counter[str]) -> dict[str, int]:
    """How many more a call by force would reach, by what stands against it."""
    return {word: counts[word] for word in action.overrides if counts[word]}


def _names(action: Action) -> frozenset[str]:
    return frozenset(action.outcomes[word].many for word in action.overrides)


def _press(
    action: Action, moves: int, lost: int, forced: dict[str, int], found: Sequence[Standing]
) -> str:
    """The button: how many go, or how many by what it takes, when none goes without it."""
    if not moves and forced:
        return _by_force(action, forced, found)
    count, reached = len(found), moves or lost
    return "" if reached == count else f"{action.label} {reached:,} of {words.jobs(count)}"


def _by_force(
    action: Action, forced: dict[str, int], found: Sequence[Standing], moves: int = 0
) -> str:
    count, reached = len(found), moves + sum(forced.values())
    of = "" if reached == count else f"{reached:,} of "
    return f"{action.label} {of}{words.jobs(count)} by force"


def _about(action: Action, count: int) -> str:
    """What becomes of the jobs; of a requeue the confirmation tells more than could stand here."""
    it = "It" if count == 1 else "Each"
    return {
        "promote_now": f"{it} goes back into its own lane, or into pending, before its time.",
        "bury": f"{it} goes to dead, with the reason as its error. It can be requeued from there.",
        "remove": f"{it} leaves the queue, with its row, its logs and all other keys of it.",
    }.get(action.verb, "")


def _without(forced: dict[str, int], starts: dict[str, object]) -> frozenset[str]:
    """What is of no use for these jobs gets no field."""
    found = set() if forced else {"force"}
    return frozenset(found if "dedup_id" in starts else found | {"dedup_id"})


def _left(action: Action, judged: Sequence[tuple[Standing, str]]) -> str:
    """How many would not be moved and why, as a sentence; empty when all would."""
    count, success = len(judged), _success(action)
    done = action.outcomes[success].one
    if count == 1:
        (job, word) = judged[0]
        return "" if word == success else f"It cannot be {done} now: {_short(action, job, word)}."
    twice = sum(1 for job, word in judged if doubled(word, job))
    left = Counter(word for job, word in judged if not doubled(word, job))
    moves = left.pop(success, 0)
    parts = [f"left as they are: {_counted(action, left)}"] if left else []
    if twice:
        parts.append(f"active too, and not brought back: {twice:,}")
    return f"Of {words.jobs(count)}, {moves:,} can be {done} now; {'; '.join(parts)}." * bool(parts)


def _counted(action: Action, left: Mapping[str, int]) -> str:
    said = ((n, action.outcomes[word]) for word, n in left.items())
    return ", ".join(f"{n:,} {word.one if n == 1 else word.many}" for n, word in said)


def _consequence(forced: dict[str, int]) -> str:
    """What force does to those that it reaches."""
    said = {
        "active": "A lease ends at once, and what its worker still reports is refused.",
        "locked": "A worker still marks a locked job as its own.",
        "child": "A parent that waits for its child then waits for ever.",
    }
    return " ".join(said[word] for word in forced)


def _asked(asked: Asked, job: Standing, word: str) -> AskedJob:
    place, action = asked.place, asked.action
    is_left = word != _success(action)
    return AskedJob(
        brief(job.job_id),
        links.job_href(place.server.name, place.queue, job.job_id),
        "?" if job.attempts is None else f"{job.attempts:,}",
        "?" if job.stalled is None or not job.has_row else f"{job.stalled:,}",
        "?" if job.attempts is None or is_left else f"{job.attempts + 1:,}",
        _why(asked, job, word) if is_left else _where(job),
        is_left,
    )


def _why(asked: Asked, job: Standing, word: str) -> str:
    action = asked.action
    if word == "child":
        return flow(asked.place.queue, job.parent, job.parent_queue)
    if word == "active" and job.remaining_ms is not None:
        return f"{action.outcomes[word].one}, {lease(job.remaining_ms)}"
    return _short(action, job, word)


def _short(action: Action, job: Standing, word: str) -> str:
    return doubled(word, job) or action.outcomes[word].one


def _where(job: Standing) -> str:
    """The sets that hold it, in words."""
    if "lane" in job.held and job.group is not None:
        return f"in lane {brief(job.group, 60)}"
    said = [name for place, name in _SETS.items() if place in job.held]
    if not job.has_row:
        return f"row missing, {', '.join(said) or 'no set outside of lanes holds it'}"
    return ", ".join(said) or ("awaits children" if job.awaits else "in no set")
