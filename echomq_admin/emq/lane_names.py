"""Which lanes a queue has, by every key that names one."""

from __future__ import annotations

from collections.abc import Iterable

from .keyspace import Keyspace, from_wire, to_wire
from .lanes import counters
from .replies import Batch

# A key that names more lanes than this is left to discovery.
MOST_NAMES = 5_000
# Counters that take more than this, field for field, are none: their hash is not read.
_FIELD_BYTES = 1_024
_SAMPLES = 100


class LaneNames:
    """What is asked of one queue in one round trip; each answer is bounded by itself."""

    def __init__(self, keys: Keyspace, batch: Batch) -> None:
        hashes = counters(keys)
        self._sizes = {name: batch.ask("hlen", key) for name, key in hashes.items()}
        self._sizes["paused"] = batch.ask("scard", keys.paused)
        self._sizes["ring"] = batch.ask("llen", keys.ring)
        # Whole, in no order, where the key holds no more than that.
        self._names = {n: batch.ask("hrandfield", key, MOST_NAMES) for n, key in hashes.items()}
        self._names["paused"] = batch.ask("srandmember", keys.paused, MOST_NAMES)
        self._names["ring"] = batch.ask("lrange", keys.ring, 0, MOST_NAMES - 1)
        self._bytes = {n: batch.ask("memory_usage", key, _SAMPLES) for n, key in hashes.items()}

    def names(self, known: Iterable[str]) -> list[str]:
        """The lanes of `known` and all others, in byte order, once the batch has run."""
        found = {to_wire(group) for group in known}
        for name, size in self._sizes.items():
            if not size.fault and (name == "ring" or size.value <= MOST_NAMES):
                found.update(self._names[name].value or ())
        return [from_wire(raw) for raw in sorted(found)]

    @property
    def unread(self) -> tuple[str, ...]:
        """What could not be read, or not whole, a sentence each."""
        return tuple(filter(None, map(self._unread, self._sizes)))

    def _unread(self, name: str) -> str:
        size = self._sizes[name]
        if fault := size.fault or self._names[name].fault:
            return f"{name}: {fault}"
        if size.value <= MOST_NAMES:
            return ""
        return (
            f"{name} names {size.value:,} lanes, more than are read at once: "
            "those that the last discovery did not see may be missing here"
        )

    @property
    def too_long(self) -> frozenset[str]:
        """The hashes whose values are too long to be counters. A server that does not tell the
        size of a key is believed."""
        return frozenset(
            name
            for name, used in self._bytes.items()
            if used.value and used.value > _FIELD_BYTES * (1 + (self._sizes[name].value or 0))
        )

    @property
    def is_gactive_whole(self) -> bool:
        """Whether all values of gactive may be read at once."""
        size = self._sizes["gactive"]
        return not size.fault and size.value <= MOST_NAMES and "gactive" not in self.too_long
