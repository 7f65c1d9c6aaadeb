"""Instants as people type them. They are unix ms of a server's clock, never of this host's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo

from echomq_admin.fleet import clocks
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.spans import UNITS_MS

EXAMPLES = "2026-11-29 13:00, 13:00, yesterday 13:00, 2 h ago, in 10 min, or unix ms"
_LONGEST = 64
_WHOLE = re.compile(r"-?[0-9]{1,15}")
_DAYS = {"": 0, "yesterday": -1, "today": 0, "tomorrow": 1}
_CLOCK = re.compile(
    r"(?:(yesterday|today|tomorrow)(?: at)? )?"
    r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,3}))?)?",
    re.I,
)
_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T].+)?", re.I)
_SPAN = r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([a-z]+)"
_SPAN_ALONE = re.compile(_SPAN, re.I)
_AGO = re.compile(rf"{_SPAN} ago", re.I)
_IN = re.compile(rf"in {_SPAN}", re.I)


@dataclass(frozen=True)
class Moment:
    """A typed instant. `moves` when the same text will mean another one later."""

    ms: int
    moves: bool = False

    def __str__(self) -> str:
        """A text that means this instant always and everywhere."""
        moment = clocks.instant(self.ms)
        if moment is None:
            return str(self.ms)
        parts = "milliseconds" if moment.microsecond else "seconds"
        return moment.replace(tzinfo=None).isoformat(" ", parts) + "Z"


def read(text: str, now_ms: float, zone: tzinfo | None = None, ahead: bool | None = None) -> Moment:
    """The instant that a text means at the server's `now_ms`.

    Clock times without a zone are meant in `zone`, or else in the console's; their text moves
    when a zone is given. Without a day they are today's, or with `ahead` the next (true) or the
    last (false); only with `ahead` is a span alone, `2h`, an instant: that from now, or ago.
    Raises `ValueError` with a sentence.
    """
    typed = " ".join(text.split())
    if not typed or len(typed) > _LONGEST:
        raise ValueError(_unread(typed))
    if typed.casefold() == "now":
        return Moment(int(now_ms), moves=True)
    if _WHOLE.fullmatch(typed):
        return Moment(int(typed))
    found, sign = _span(typed, ahead)
    if found:
        return Moment(_away(found, int(now_ms), sign, typed), moves=True)
    clock = f"{typed} 0:00" if typed.casefold() in _DAYS else typed
    if found := _CLOCK.fullmatch(clock):
        return Moment(_near(found, now_ms, typed, zone or clocks.zone(), ahead), moves=True)
    if _DATED.fullmatch(typed):
        return Moment(_dated(typed, zone or clocks.zone()), moves=zone is not None)
    raise ValueError(_unread(typed))


def _unread(typed: str) -> str:
    return f"“{brief(typed, _LONGEST)}” is no time that can be read: write {EXAMPLES}."


def _span(typed: str, ahead: bool | None) -> tuple[re.Match[str] | None, int]:
    """The length that is typed, and the sign of its way from now."""
    if found := _AGO.fullmatch(typed):
        return found, -1
    if found := _IN.fullmatch(typed):
        return found, 1
    alone = None if ahead is None else _SPAN_ALONE.fullmatch(typed)
    return alone, 1 if ahead else -1


def _away(found: re.Match[str], now_ms: int, sign: int, typed: str) -> int:
    unit = UNITS_MS.get(found[2].casefold())
    if unit is None:
        raise ValueError(_unread(typed))
    ms = now_ms + sign * round(float(found[1]) * unit)
    if clocks.instant(ms) is None:
        raise ValueError(f"“{typed}” is beyond every calendar.")
    return ms if unit < 1_000 else ms // 1_000 * 1_000


def _near(found: re.Match[str], now_ms: float, typed: str, zone: tzinfo, ahead: bool | None) -> int:
    now = clocks.instant(now_ms)
    day, hour, minute, second, fraction = found.groups()
    try:
        clock = time(int(hour), int(minute), int(second or 0), _micros(fraction))
    except ValueError:
        raise ValueError(f"“{typed}” is no time of day.") from None
    if now is None:
        raise ValueError("The server's clock shows no date, so today is not known.")
    then = datetime.combine(clocks.local(now, zone).date(), clock)
    days = _DAYS[(day or "").casefold()]
    ms = _ms(then, zone)
    if day is None and ahead is not None and (ms > now_ms) != ahead:
        days = 1 if ahead else -1
    try:
        return _ms(then + timedelta(days=days), zone)
    except OverflowError:
        raise ValueError(f"“{typed}” is beyond every calendar.") from None


def _micros(fraction: str | None) -> int:
    return int((fraction or "0").ljust(6, "0"))


def _dated(typed: str, zone: tzinfo) -> int:
    text = re.sub(r" ?UTC\Z", "Z", typed.upper())
    try:
        return _ms(datetime.fromisoformat(text), zone)
    except (ValueError, OverflowError):
        raise ValueError(_unread(typed)) from None


def _ms(moment: datetime, zone: tzinfo) -> int:
    """Unix ms; a clock time without a zone is one of `zone`."""
    known = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return clocks.unix_ms(known)
