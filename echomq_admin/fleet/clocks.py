"""Instants as unix ms, and what the clocks of a zone show at one."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from django.utils import timezone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def zone() -> tzinfo:
    """The console's zone: clock times are shown in it, and typed ones are meant in it."""
    return timezone.get_default_timezone()


def named_zone(name: str) -> tzinfo | None:
    """The zone that its database calls so; `None` for a name that it does not have."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def unix_ms(moment: datetime) -> int:
    """An instant with a zone as unix ms."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def instant(ms: float) -> datetime | None:
    """The instant in UTC to its whole ms, or `None` when no calendar holds it."""
    try:
        return _EPOCH + timedelta(milliseconds=math.floor(ms))
    except (OverflowError, ValueError):
        return None


def local(moment: datetime, in_zone: tzinfo | None = None) -> datetime:
    """The instant on the clocks of a zone, the console's unless another is given; in UTC where
    their calendar ends before it."""
    try:
        return moment.astimezone(in_zone or zone())
    except OverflowError:
        return moment.astimezone(UTC)
