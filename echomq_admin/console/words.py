"""Sentences that say what will happen. Each is true whatever is on the page."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from echomq_admin.console.links import LONGEST_ID
from echomq_admin.console.places import Place
from echomq_admin.emq.rows import ROW_MISSING, Job
from echomq_admin.fleet.names import to_url
from echomq_admin.operations.words import ATTEMPTS_STAY, SWEEP

SWEEP_STARTS_AT = 2
_NEVER_AGAIN = ATTEMPTS_STAY.removeprefix("Attempts stay")
# The tab that shows a set of jobs; its name is what people call the state.
TABS = {"pending": "pending", "active": "active", "schedule": "scheduled", "dead": "dead"}
# What becomes of a job in flight that cannot go back, by the word of the scripts.
LOST = {
    "orphaned": SWEEP["orphaned"].one,
    "unreadable": SWEEP["unreadable"].one,
}
_COMMAND = ".venv/bin/python manage.py emq"
TOO_LONG = "This id is too long for a form of the console: use manage.py emq."
NO_ROOM = "This page is too full for another box to tick: open the job to act on it."
NO_LINK = "This page is too full for another link: show fewer rows, or open the job by its id."
MEND_THERE = "Open the job: its page says what can be done."


def see(place: Place, job_id: str, who: str = "NAME") -> str:
    """How to look at all of a job."""
    return command(place, "job", job_id, who=who)


def command(place: Place, verb: str, job_id: str, *options: str, who: str = "NAME") -> str:
    """How to do something with a job on the command line; `who` is the name of the account."""
    # A name that begins with a dash would be taken for an option.
    account = f"--as{'=' if who.startswith('-') else ' '}{quote(who)}"
    return " ".join((_COMMAND, verb, account, *options, _target(place, job_id)))


def lane_command(place: Place, verb: str, group: str) -> str:
    """How to do something with a lane on the command line."""
    return f"{_COMMAND} {verb} --as NAME --group={_spelled(group)} {_queue(place)}"


def mend(place: Place, job: Job) -> str:
    """What to do about a row that is missing or cannot be read."""
    remove = command(place, "remove", job.job_id, "--yes")
    if job.fault == ROW_MISSING:
        return (
            "The job finished, was removed or was evicted; only its id is left in this list. "
            f"To take it out:\n{remove}"
        )
    if not job.is_read:
        return f"To look at it:\n{see(place, job.job_id)}"
    if job.is_movable:
        return (
            "It has no field that these scripts write, but every action takes it as a job that was "
            f"never claimed. To look at it:\n{see(place, job.job_id)}"
        )
    return (
        f"It cannot be moved as it is. To look at it:\n{see(place, job.job_id)}\n"
        f"Then repair the row, or remove the job:\n{remove}"
    )


def _target(place: Place, job_id: str) -> str:
    # A name that begins with a dash would be taken for an option.
    stop = "-- " if job_id.startswith("-") else ""
    return f"{stop}{_queue(place)} {_spelled(job_id)}"


def _queue(place: Place) -> str:
    return f"{place.server.name}/{to_url(place.queue)}"


def _spelled(name: str) -> str:
    return to_url(name) if len(name) <= LONGEST_ID else "~…"


def stalls(stalled: int, budget: int) -> str:
    """What a stall count means for the next sweep."""
    times = "once" if stalled == 1 else f"{stalled:,} times"
    head = f"its lease lapsed {times} and a sweep took it back" if stalled else "no stall yet"
    return f"{head}; a sweep with max stalled {budget:,} sends it to dead at {budget:,}"


def jobs(count: int) -> str:
    """`1 job`, `1,204 jobs`."""
    return counted(count, "job")


def counted(number: int, what: str) -> str:
    """A number of things whose plural takes an s: `1 lane`, `1,204 lanes`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def attempts_kept(attempts: Sequence[int | None]) -> str:
    """What a requeue does with the attempts of these jobs."""
    if len(attempts) == 1 and attempts[0] is not None:
        now = attempts[0]
        return f"Attempts stay {now:,}{_NEVER_AGAIN} The next claim is attempt {now + 1:,}."
    return f"{ATTEMPTS_STAY} The next claim of each job adds one."


def stalls_kept(stalls: Sequence[int | None], max_stalled: int) -> str:
    """What the next stall does to these jobs when their stall counts stay; `max_stalled` is that of
    the queue."""
    known = [count for count in stalls if count is not None]
    if len(known) < len(stalls):
        return "Stall counts stay as they are; not all of them can be read."
    low, high = min(known), max(known)
    head = "Its stall count stays" if len(stalls) == 1 else "Stall counts stay"
    if low == high:
        return f"{head} {high:,}: {_next_stall(high, max_stalled, len(stalls))}."
    fatal = sum(1 for count in known if count + 1 >= max_stalled)
    return (
        f"{head} {low:,} to {high:,}: at this queue's max stalled {max_stalled:,} the next stall "
        f"sends {fatal:,} of {len(stalls):,} to dead."
    )


def stalls_reset(stalls: Sequence[int | None], max_stalled: int) -> str:
    """What the next stall does to these jobs when their stall counts are reset."""
    each = "Its stall count starts" if len(stalls) == 1 else "Stall counts start"
    return f"{each} at 0: {_next_stall(0, max_stalled, len(stalls))}."


def _next_stall(stalled: int, max_stalled: int, count: int) -> str:
    what = "it" if count == 1 else "each"
    fate = f"sends {what} to dead" if stalled + 1 >= max_stalled else f"puts {what} back"
    return f"at this queue's max stalled {max_stalled:,} the next stall {fate}"


def fate(verdict: str, stalled: int | None, lane: str | None) -> str:
    """Where a sweep would send one lapsed lease; `lane` is the job's, as shown, or `None`."""
    back = "pending" if lane is None else f"lane {lane}"
    return LOST.get(verdict) or _MOVES[verdict] + _whither(verdict, stalled, back)


def short_fate(verdict: str, stalled: int | None, lane: str | None) -> str:
    """The same in a column whose heading speaks of the sweep, beside one that names the lane."""
    back = "pending" if lane is None else "its lane"
    return LOST.get(verdict) or "to " + _whither(verdict, stalled, back)


def _whither(verdict: str, stalled: int | None, back: str) -> str:
    stall = "" if stalled is None else f", stall {stalled + 1:,}"
    return f"{'dead' if verdict == 'dead' else back}{stall}"


_MOVES = {"dead": "sends it to ", "recovered": "recovers it into "}
