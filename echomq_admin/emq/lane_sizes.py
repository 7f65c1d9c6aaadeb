"""How much the keys hold that tell of all lanes of a queue, before any of it is read."""

from __future__ import annotations

from collections.abc import Collection

from .keyspace import Keyspace
from .lanes import counters
from .replies import Answer, Batch

# Where entries take more than this on average, they are no counters and no names of lanes, and
# their key is not read: so many bytes each for the first thousand, and for those behind them.
_THOUSAND = 1_000
_ENTRY_BYTES, _FURTHER_BYTES = 1_024, 256
# A hash or a set is measured by as many of its entries, the ring by all of its nodes.
_SAMPLES = 1_000


class LaneSizes:
    """Two commands a key, of those in `names`, in one round trip."""

    def __init__(self, keys: Keyspace, names: Collection[str], batch: Batch) -> None:
        self.counts: dict[str, Answer] = {}
        self._bytes: dict[str, Answer] = {}
        for name, (method, key) in _keys(keys).items():
            if name in names:
                samples = 0 if name == "ring" else _SAMPLES
                self.counts[name] = batch.ask(method, key)
                self._bytes[name] = batch.ask("memory_usage", key, samples)

    def count(self, name: str) -> int:
        """How many entries the key holds; 0 also while that is unknown."""
        return int(self.counts[name].value or 0)

    @property
    def too_long(self) -> frozenset[str]:
        """The keys whose entries are too long to be read. A server that does not tell the size
        of a key is believed."""
        return frozenset(name for name in self.counts if self._is_too_long(name))

    def _is_too_long(self, name: str) -> bool:
        used, count = self._bytes[name].value or 0, self.count(name)
        first, further = min(count, _THOUSAND), max(0, count - _THOUSAND)
        return bool(used > _ENTRY_BYTES * (1 + first) + _FURTHER_BYTES * further)


def _keys(keys: Keyspace) -> dict[str, tuple[str, bytes]]:
    hashes = {name: ("hlen", key) for name, key in counters(keys).items()}
    return hashes | {"paused": ("scard", keys.paused), "ring": ("llen", keys.ring)}
