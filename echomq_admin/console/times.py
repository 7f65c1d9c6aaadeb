"""Instants and spans as people read them. Spans are ms; instants unix ms of a server's clock."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from django.utils.html import format_html
from django.utils.safestring import SafeString

from echomq_admin.fleet.spans import STEPS


def ago(ms: float, now_ms: float) -> str:
    """Where an instant lies from now: `4 min ago`, `in 3 s`, `just now`. One unit only."""
    distance = now_ms - ms
    if abs(distance) < 1_000:
        return "just now"
    for size, unit in STEPS:
        if abs(distance) >= size:
            count = f"{int(abs(distance) // size):,} {unit}"
            return f"{count} ago" if distance > 0 else f"in {count}"
    return "just now"


def countdown(remaining_ms: float) -> str:
    """What is left of a lease to 0.1 s; past the deadline it counts up with a plus.

    `static/console/js/clock.js` writes the same text, so that a page and its countdown agree.
    """
    if not math.isfinite(remaining_ms):
        return "no end" if remaining_ms > 0 else "+ for ever"
    sign = "+" if remaining_ms <= 0 else ""
    tenths = int(abs(remaining_ms) // 100)
    if tenths < 600:
        return f"{sign}{tenths // 10}.{tenths % 10} s"
    minutes, tenths = divmod(tenths, 600)
    if minutes < 60:
        return f"{sign}{minutes}:{tenths // 10:02}.{tenths % 10}"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{sign}{hours}:{minutes:02}:{tenths // 10:02}"
    return f"{sign}{hours // 24:,} d {hours % 24} h"


def instant(ms: float) -> datetime | None:
    """The instant in UTC, or `None` when no calendar holds it."""
    try:
        return datetime.fromtimestamp(ms / 1_000, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def exact(ms: float) -> str:
    """An instant to the millisecond, with its zone."""
    moment = instant(ms)
    if moment is None:
        return f"{ms:g} ms, which is no date"
    return f"{moment:%Y-%m-%d %H:%M:%S}.{int(ms) % 1_000:03} UTC"


def when(ms: float | None, now_ms: float) -> SafeString | str:
    """An instant as HTML: relative, with the clock time below and the exact instant on hover."""
    if ms is None:
        return format_html('<span class="unknown" title="{}">?</span>', "the id carries no instant")
    moment = instant(ms)
    if moment is None:
        return format_html('<span class="unknown" title="{}">no date</span>', exact(ms))
    return format_html(
        '<time datetime="{}Z" title="{}" data-ms="{}">{}'
        '<span class="sep"> · </span><span class="exact">{}</span></time>',
        moment.isoformat(timespec="milliseconds")[:-6],
        exact(ms),
        int(ms),
        ago(ms, now_ms),
        clock(moment, now_ms),
    )


def clock(moment: datetime, now_ms: float) -> str:
    """The clock time of an instant, with its date when that is not today's."""
    today = instant(now_ms)
    if today and moment.date() == today.date():
        return f"{moment:%H:%M:%S}"
    return f"{moment:%Y-%m-%d %H:%M}"
