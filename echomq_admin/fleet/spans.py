"""Lengths of time as people read them, on pages and on the command line."""

from __future__ import annotations

import math

# Beyond this a length of time is only said to be long.
FARTHEST_MS = 10_000 * 365.25 * 86_400_000
FAR = "more than 10,000 years"
STEPS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"))


def span(ms: float) -> str:
    """A length of time in its two largest neighbouring units: `12 s`, `4 min 10 s`, `3 d 4 h`."""
    if not math.isfinite(ms):
        return "for ever"
    if abs(ms) > FARTHEST_MS:
        return FAR
    left, counts = int(abs(ms)), []
    for size, unit in STEPS:
        count, left = divmod(left, size)
        counts.append((count, f"{count:,} {unit}"))
    first = next((at for at, (count, _) in enumerate(counts) if count), len(counts) - 1)
    near = counts[first : first + 2]
    return " ".join(word for count, word in near if count) or "under 1 s"
