"""EMQ_QUEUES: defaults of queues by pattern, such as `orders.*:max_stalled=3,lease_ms=60000`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache

from django.conf import settings

from echomq_admin.fleet.servers import UnreadableSetting

# What a queue can be given, and the range of each.
RANGES = {"max_stalled": (1, 1_000), "lease_ms": (1, 604_800_000)}


@dataclass(frozen=True)
class Pattern:
    """The values for queues whose name matches `glob` (`*`, `?`, `[…]`)."""

    glob: str
    values: Mapping[str, int] = field(default_factory=dict)


NO_PATTERN = Pattern("")


def pattern_of(queue: str) -> Pattern:
    """The first pattern that a queue matches, or `NO_PATTERN`; that too while the setting cannot
    be read (see `trouble`)."""
    found = (one for one in _read(settings.EMQ_QUEUES)[0] if fnmatchcase(queue, one.glob))
    return next(found, NO_PATTERN)


def trouble() -> str:
    """Why EMQ_QUEUES cannot be read, a sentence; or nothing."""
    return _read(settings.EMQ_QUEUES)[1]


def patterns() -> tuple[Pattern, ...]:
    """The patterns of `settings.EMQ_QUEUES` in its order. Raises `UnreadableSetting`."""
    found, why = _read(settings.EMQ_QUEUES)
    if why:
        raise UnreadableSetting(why.rstrip("."))
    return found


@lru_cache(maxsize=4)
def _read(text: str) -> tuple[tuple[Pattern, ...], str]:
    """The patterns, and why there are none."""
    try:
        return tuple(_pattern(entry) for entry in text.split()), ""
    except UnreadableSetting as error:
        return (), f"{error}."


def _pattern(entry: str) -> Pattern:
    glob, _, given = entry.rpartition(":")
    if not glob:
        raise _unreadable(entry, "a pattern, a colon and its values are wanted")
    values: dict[str, int] = {}
    for pair in given.split(","):
        name, _, number = pair.partition("=")
        if name not in RANGES:
            raise _unreadable(entry, f"it may set {' and '.join(RANGES)}")
        if name in values:
            raise _unreadable(entry, f"it sets {name} twice")
        values[name] = _number(entry, name, number)
    return Pattern(glob, values)


def _number(entry: str, name: str, text: str) -> int:
    low, high = RANGES[name]
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 15 else -1
    if not low <= number <= high:
        raise _unreadable(entry, f"{name} is a whole number from {low:,} to {high:,}")
    return number


def _unreadable(entry: str, why: str) -> UnreadableSetting:
    return UnreadableSetting(f"EMQ_QUEUES: {entry!a} cannot be read: {why}")
