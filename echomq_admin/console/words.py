"""Sentences that say what will happen. Each is true whatever is on the page."""

from __future__ import annotations

from collections.abc import Sequence

SWEEP_STARTS_AT = 2


def jobs(count: int) -> str:
    """`1 job`, `1,204 jobs`."""
    return f"{count:,} job" if count == 1 else f"{count:,} jobs"


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


def fate(verdict: str, stalled: int | None) -> str:
    """Where a sweep would send one lapsed lease."""
    if verdict == "orphaned":
        return "drops the id: row missing"
    if verdict == "unreadable":
        return "sends it to dead: unreadable row"
    stall = "" if stalled is None else f", stall {stalled + 1:,}"
    return f"sends it to dead{stall}" if verdict == "dead" else f"recovers it{stall}"
