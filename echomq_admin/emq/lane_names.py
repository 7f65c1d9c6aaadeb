"""Which lanes a queue has, by every key that names one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .keyspace import Keyspace, from_wire, to_wire
from .lane_sizes import LaneSizes
from .lanes import COUNTERS, TOO_LONG, counters
from .replies import Answer, Batch

# A key that names more lanes than this is left to discovery.
MOST_NAMES = 5_000
_KEYS = (*COUNTERS, "paused", "ring")


class LaneNames:
    """What is asked of one queue in two round trips, first how much there is of each key."""

    def __init__(self, keys: Keyspace, batch: Batch) -> None:
        self._keys = keys
        self._sizes = LaneSizes(keys, _KEYS, batch)
        self._names: dict[str, Answer] = {}

    def ask_names(self, batch: Batch) -> None:
        """The names, where they are short and no more than `MOST_NAMES`; of the ring the first."""
        for name, (method, key, *options) in _readings(self._keys).items():
            if self._is_read(name):
                self._names[name] = batch.ask(method, key, *options)

    def _is_read(self, name: str) -> bool:
        size = self._sizes.counts[name]
        is_short = name not in self.too_long and not size.fault
        return is_short and (name == "ring" or size.value <= MOST_NAMES)

    def names(self, known: Iterable[str]) -> list[str]:
        """The lanes of `known` and all others, in byte order, once the batches have run."""
        found = {to_wire(group) for group in known}
        for answer in self._names.values():
            found.update(answer.value or ())
        return [from_wire(raw) for raw in sorted(found)]

    @property
    def unread(self) -> tuple[str, ...]:
        """What could not be read, or not whole, a sentence each."""
        return tuple(filter(None, map(self._unread, _KEYS)))

    def _unread(self, name: str) -> str:
        size, named = self._sizes.counts[name], self._names.get(name)
        if fault := size.fault or (named and named.fault):
            return f"{name}: {fault}"
        if name in self.too_long:
            return f"{name}: {TOO_LONG}"
        if size.value <= MOST_NAMES:
            return ""
        return (
            f"{name} names {size.value:,} lanes, more than are read at once: "
            "those that the last discovery did not see may be missing here"
        )

    @property
    def too_long(self) -> frozenset[str]:
        """The keys that are not read because their entries are too long."""
        return self._sizes.too_long

    @property
    def is_gactive_whole(self) -> bool:
        """Whether all values of gactive may be read at once."""
        return self._is_read("gactive")


def _readings(keys: Keyspace) -> dict[str, tuple[Any, ...]]:
    """What reads the names of a key, in no order but for the ring."""
    hashes = {name: ("hrandfield", key, MOST_NAMES) for name, key in counters(keys).items()}
    return hashes | {
        "paused": ("srandmember", keys.paused, MOST_NAMES),
        "ring": ("lrange", keys.ring, 0, MOST_NAMES - 1),
    }
