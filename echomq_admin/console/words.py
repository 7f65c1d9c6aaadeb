"""Sentences that say what will happen. Each is true whatever is on the page."""

from __future__ import annotations

from collections.abc import Sequence

from echomq_admin.console.links import LONGEST_ID
from echomq_admin.console.places import Place
from echomq_admin.emq.rows import ROW_MISSING, Job
from echomq_admin.fleet.names import to_url
from echomq_admin.operations.words import SWEEP

SWEEP_STARTS_AT = 2
# The tab that shows a set of jobs; its name is what people call the state.
TABS = {"pending": "pending", "active": "active", "schedule": "scheduled", "dead": "dead"}
# What becomes of a job in flight that cannot go back, by the word of the scripts.
LOST = {
    "orphaned": SWEEP["orphaned"].one,
    "unreadable": SWEEP["unreadable"].one,
}
TOO_LONG = "This id is too long for a form of the console: use manage.py emq."


def see(place: Place, job_id: str) -> str:
    """How to look at all of a job."""
    return command(place, "job", job_id)


def command(place: Place, verb: str, job_id: str, *options: str) -> str:
    """How to do something with a job on the command line."""
    return " ".join(("manage.py emq", verb, "--as NAME", *options, _target(place, job_id)))


def lane_command(place: Place, verb: str, group: str) -> str:
    """How to do something with a lane on the command line."""
    return f"manage.py emq {verb} --as NAME --group={_spelled(group)} {_queue(place)}"


def mend(place: Place, job: Job) -> str:
    """What to do about a row that is missing or cannot be read."""
    remove = command(place, "remove", job.job_id, "--yes")
    if job.fault == ROW_MISSING:
        return (
            "The job finished, was removed or was evicted; only its id is left in this list. "
            f"To take it out:\n{remove}"
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


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th`."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if 10 <= number % 100 <= 20 else ending}"


def attempts_kept(attempts: Sequence[int | None]) -> str:
    """What a requeue does with the attempts of these jobs."""
    if len(attempts) == 1 and attempts[0] is not None:
        now = attempts[0]
        return f"Attempts stay {now:,}: they fence claims. The next claim is attempt {now + 1:,}."
    return "Attempts stay as they are: they fence claims. The next claim of each job adds one."


def stalls_kept(stalls: Sequence[int | None]) -> str:
    """What the next stall does to these jobs when their stall counts stay."""
    known = [count for count in stalls if count is not None]
    if len(known) < len(stalls):
        return "Stall counts stay as they are; not all of them can be read."
    low, high = min(known), max(known)
    if low == high:
        head = "The stall count stays" if len(stalls) == 1 else "Stall counts stay"
        fate = _sweep(high + 1, len(stalls))
        return f"{head} {high:,}: the next stall is the {ordinal(high + 1)}, and {fate}."
    fatal = sum(1 for count in known if count + 1 >= SWEEP_STARTS_AT)
    return (
        f"Stall counts stay {low:,} to {high:,}: at their next stall a sweep with max stalled "
        f"{SWEEP_STARTS_AT} sends {fatal:,} of {len(stalls):,} to dead again."
    )


def stalls_reset(stalls: Sequence[int | None]) -> str:
    """What the next stall does to these jobs when their stall counts are reset."""
    each = "The stall count starts" if len(stalls) == 1 else "Stall counts start"
    return f"{each} at 0: the next stall is the 1st, and {_sweep(1, len(stalls))}."


def _sweep(stall: int, count: int) -> str:
    what, back = ("it", "it comes") if count == 1 else ("them", "they come")
    return (
        f"a sweep with max stalled {stall:,} or lower sends {what} to dead, "
        f"with {stall + 1:,} or higher {back} back"
    )


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
