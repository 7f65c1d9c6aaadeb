"""Instants and spans for the lines that a person reads; documents keep the numbers."""

from __future__ import annotations

import math
from datetime import UTC, datetime

_STEPS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"))


def span(ms: float) -> str:
    """A length of time in at most two neighbouring units: `12 s`, `3 min 6 s`, `2 h`."""
    left, counts = int(abs(ms)), []
    for size, unit in _STEPS:
        count, left = divmod(left, size)
        counts.append((count, f"{count:,} {unit}"))
    first = next((at for at, (count, _) in enumerate(counts) if count), len(counts) - 1)
    near = counts[first : first + 2]
    return " ".join(word for count, word in near if count) or "under 1 s"


def exact(ms: float) -> str:
    """An instant in UTC with the number it was read from; the number alone when it is no date."""
    try:
        moment = datetime.fromtimestamp(ms / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return f"{ms:.0f} ms"
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC ({ms:.0f})"


def lease(phase: object, remaining_ms: float) -> str:
    """What is left of a lease, or since when it has lapsed."""
    if phase == "lapsed":
        return f"lapsed {span(remaining_ms)} ago" if math.isfinite(remaining_ms) else "lapsed"
    if not math.isfinite(remaining_ms):
        return f"{phase}, no end"
    return f"{phase}, ends in {span(remaining_ms)}"


def due(at_ms: float, now_ms: float) -> str:
    """When a scheduled job is due, from now and exactly."""
    if not math.isfinite(at_ms):
        return "never due" if at_ms > 0 else "due"
    from_now = f"in {span(at_ms - now_ms)}" if at_ms > now_ms else f"for {span(at_ms - now_ms)}"
    return f"due {from_now}, {exact(at_ms)}"
