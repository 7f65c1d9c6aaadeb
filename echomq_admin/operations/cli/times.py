"""Instants and spans for the lines that a person reads; documents keep the numbers."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from echomq_admin.fleet.spans import span


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
