"""Lengths of time as people read them, on pages and on the command line."""

from __future__ import annotations

import math
import re

# Beyond this a length of time is only said to be long.
FARTHEST_MS = 10_000 * 365.25 * 86_400_000
FAR = "more than 10,000 years"
STEPS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"))
# What people call the units, in ms.
UNITS_MS = {
    **dict.fromkeys(("ms",), 1),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1_000),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60_000),
    **dict.fromkeys(("h", "hour", "hours"), 3_600_000),
    **dict.fromkeys(("d", "day", "days"), 86_400_000),
    **dict.fromkeys(("w", "week", "weeks"), 604_800_000),
}
_PART = r"([0-9]{1,15}(?:\.[0-9]{1,3})?) ?([a-z]+)"
_SPAN = re.compile(rf"{_PART}(?: ?{_PART})*", re.IGNORECASE)


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


def exact_span(ms: int) -> str:
    """A length of time that `read_span` reads as the same: as `span` says it, or else in ms."""
    text = span(ms)
    return text if read_span(text) == ms else f"{ms:,} ms"


def read_span(text: str) -> int | None:
    """A length of time as people type it, in ms: `5 min`, `1 h 30 min`, `1.5 h`; a plain number is
    one of ms. `None` for what is none."""
    typed = " ".join(text.replace(",", "").split()).casefold()
    if re.fullmatch(r"[+-]?[0-9]{1,20}", typed):
        return int(typed)
    if not _SPAN.fullmatch(typed):
        return None
    parts = [(float(count), UNITS_MS.get(unit)) for count, unit in re.findall(_PART, typed)]
    if any(unit is None for _, unit in parts):
        return None
    return round(sum(count * (unit or 0) for count, unit in parts))
