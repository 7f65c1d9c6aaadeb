"""Instants and spans as people read them. Spans are ms; instants unix ms of a server's clock.

Clock times are those of the console's zone, `TIME_ZONE` of the settings; the switch of the page
can show others. `static/console/js/zone.js` writes the same texts.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from echomq_admin.fleet.clocks import instant, local
from echomq_admin.fleet.spans import FAR, FARTHEST_MS, STEPS, span

_DAY_MS = 86_400_000
# Names of one zone without a place; they are written as "UTC".
_UTC = {"UTC", "Etc/UTC", "Etc/UCT", "UCT", "Etc/Universal", "Universal", "Etc/Zulu", "Zulu"}


def ago(ms: float, now_ms: float, is_due: bool = False) -> str:
    """Where an instant lies from now: `4 min ago`, `in 3 s`, `just now`, `in 1 d 23 h`. What is
    only due then has not happened yet: `due now`.

    One unit, with the hours of a few days. `static/console/js/since.js` writes the same text.
    """
    distance = now_ms - ms
    if abs(distance) < 1_000:
        return "in under 1 s" if distance < 0 else "due now" if is_due else "just now"
    if abs(distance) > FARTHEST_MS:
        return f"{FAR} ago" if distance > 0 else f"in {FAR}"
    size, unit = next(step for step in STEPS if abs(distance) >= step[0])
    is_few_days = _DAY_MS <= abs(distance) < 10 * _DAY_MS
    words = span(distance) if is_few_days else f"{int(abs(distance) // size):,} {unit}"
    return f"{words} ago" if distance > 0 else f"in {words}"


def countdown(remaining_ms: float) -> str:
    """What is left of a lease to 0.1 s; past the deadline it counts up with a plus.

    `static/console/js/clock.js` writes the same text, so that a page and its countdown agree.
    """
    if not math.isfinite(remaining_ms):
        return "no end" if remaining_ms > 0 else "+ for ever"
    sign = "+" if remaining_ms <= 0 else ""
    if abs(remaining_ms) > FARTHEST_MS:
        return f"{sign} {FAR}".strip()
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


def zone_name() -> str:
    """The zone as its database calls it, `America/St_Johns`; `UTC` for all names of that."""
    name = str(settings.TIME_ZONE)
    return "UTC" if name in _UTC else name


def zone_city() -> str:
    """The last word of the zone's name, `St Johns`; empty for UTC."""
    name = zone_name()
    return "" if name == "UTC" else name.rpartition("/")[2].replace("_", " ")


def zone_offset(moment: datetime) -> str:
    """How the console's clocks stand at that instant: `UTC+05:45`, or plain `UTC`."""
    return _zone_word(local(moment))


def zone_ahead(moment: datetime) -> int:
    """How many seconds the console's clocks are ahead of UTC at that instant."""
    return _ahead(local(moment))


def number(value: float) -> str:
    """A number with every digit that it has, a whole one without a fraction."""
    is_whole = math.isfinite(value) and value == int(value) and abs(value) < 1e21
    return str(int(value)) if is_whole else repr(value)


def exact(ms: float) -> str:
    """An instant to the millisecond in the console's zone, and in UTC when that is another."""
    moment = instant(ms)
    if moment is None:
        return f"{number(ms)} ms, which is no date"
    here, utc = _exact(local(moment)), _exact(moment)
    return utc if here == utc else f"{here} ({utc})"


def when(ms: float | None, now_ms: float, is_due: bool = False) -> SafeString | str:
    """An instant as HTML: relative, with the clock time below and the exact instant on hover;
    `is_due` as for `ago`."""
    if ms is None:
        return format_html('<span class="unknown" title="{}">?</span>', "the id carries no instant")
    moment = instant(ms)
    if moment is None:
        return format_html('<span class="unknown" title="{}">no date</span>', exact(ms))
    return format_html(
        '<time datetime="{}Z" title="{}" data-ms="{}" data-ago="{}"{}>{}'
        '<span class="sep"> · </span><span class="exact">{}</span></time>',
        moment.isoformat(timespec="milliseconds")[:-6],
        exact(ms),
        math.floor(ms),
        math.floor(now_ms - ms),
        mark_safe(" data-due") if is_due else "",
        ago(ms, now_ms, is_due),
        clock(moment, now_ms),
    )


def clock_time(ms: float, now_ms: float | None = None) -> SafeString | str:
    """An instant as HTML, for a text that stays while time passes: its clock time alone, with the
    date where `now_ms` is of another day."""
    moment = instant(ms)
    if moment is None:
        return when(ms, ms)
    text = '<time title="{}" data-ms="{}"><span class="exact">{}</span></time>'
    said = clock(moment, ms if now_ms is None else now_ms)
    return format_html(text, exact(ms), math.floor(ms), said)


def with_day(ms: float, now_ms: float) -> SafeString | str:
    """An instant as HTML, in a list of any days: its date, hour and minute."""
    moment = instant(ms)
    if moment is None:
        return when(ms, ms)
    text = '<time title="{}" data-ms="{}" data-day><span class="exact">{}</span></time>'
    said = clock(moment, now_ms, has_day=True)
    return format_html(text, exact(ms), math.floor(ms), said)


def dated(ms: float) -> SafeString | str:
    """An instant as HTML: day, clock time to the millisecond and zone, without the rest."""
    moment = instant(ms)
    if moment is None:
        return when(ms, ms)
    text = '<time title="{}" data-ms="{}" data-dated><span class="exact">{}</span></time>'
    return format_html(text, exact(ms), math.floor(ms), _exact(local(moment)))


def clock(moment: datetime, now_ms: float, has_day: bool = False) -> str:
    """The clock time of an instant, with its date when that is not today's, or with `has_day`.

    Where the clocks stood otherwise than they do now, as before a change of summer time, their
    offset from UTC follows.
    """
    here, now = local(moment), instant(now_ms)
    today = local(now) if now else None
    if today and here.date() == today.date() and not has_day:
        text = here.isoformat(sep=" ", timespec="seconds")[11:19]
    else:
        text = here.isoformat(sep=" ", timespec="minutes")[:16]
    stands_now = today is None or here.utcoffset() == today.utcoffset()
    return text if stands_now else f"{text} {_offset(here)}"


def _exact(moment: datetime) -> str:
    return f"{moment.replace(tzinfo=None).isoformat(' ', 'milliseconds')} {_zone_word(moment)}"


def _zone_word(moment: datetime) -> str:
    is_utc = moment.tzinfo is UTC or zone_name() == "UTC"
    return "UTC" if is_utc else f"UTC{_offset(moment)}"


def _offset(moment: datetime) -> str:
    """`+05:45`; seconds only where clocks had them, as before zones were agreed on."""
    ahead = _ahead(moment)
    minutes, seconds = divmod(abs(ahead), 60)
    sign = "−" if ahead < 0 else "+"
    tail = f":{seconds:02}" if seconds else ""
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}{tail}"


def _ahead(moment: datetime) -> int:
    return int((moment.utcoffset() or timedelta()).total_seconds())
