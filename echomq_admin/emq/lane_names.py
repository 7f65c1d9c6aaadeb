"""Which lanes a queue has, by every key that names one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import redis
from redis.exceptions import ResponseError

from .keyspace import Keyspace, from_wire, to_wire
from .lane_sizes import LaneSizes
from .lanes import COUNTERS, TOO_LONG, counters
from .replies import Answer, Batch

# A key that names more lanes than this is left to discovery.
MOST_NAMES = 5_000
# Discovery goes over such a key in steps, and not further than so many names.
MOST_WALKED = 100_000
_STEP = 1_000
NAMING = (*COUNTERS, "paused", "ring")
# A lane moves between these two as its jobs are claimed and come back: only both at once tell
# which lanes have jobs.
_MOVING = frozenset(("gactive", "ring"))


class LaneNames:
    """What is asked of one queue in two round trips, first how much there is of each key.

    `of` says which of the keys in `NAMING` are read.
    """

    def __init__(self, keys: Keyspace, batch: Batch, of: Collection[str] = NAMING) -> None:
        self._keys = keys
        self._sizes = LaneSizes(keys, of, batch)
        self._names: dict[str, Answer] = {}

    def ask_names(self, batch: Batch) -> None:
        """The names, where they are short and no more than `MOST_NAMES`; of the ring the first."""
        for name, (method, key, *options) in _readings(self._keys).items():
            if name in self._sizes.counts and self._is_read(name):
                self._names[name] = batch.ask(method, key, *options)

    def _is_read(self, name: str) -> bool:
        size = self._sizes.counts[name]
        is_short = name not in self.too_long and not size.fault
        return is_short and (name == "ring" or size.value <= MOST_NAMES)

    def names(self, known: Iterable[str]) -> list[str]:
        """The lanes of `known` and all others, in byte order, once the batches have run."""
        found = self.found() | {to_wire(group) for group in known}
        return [from_wire(raw) for raw in sorted(found)]

    @property
    def large(self) -> list[str]:
        """The keys that name too many lanes to be read at once, and can be walked. What is far
        down the ring is no such key: a lane there has one of its own."""
        counts = self._sizes.counts.items()
        many = [name for name, size in counts if not size.fault and size.value > MOST_NAMES]
        return [name for name in many if name != "ring" and name not in self.too_long]

    def found(self) -> set[bytes]:
        """The names that were read, in no order."""
        return {raw for answer in self._names.values() for raw in answer.value or ()}

    @property
    def unread(self) -> tuple[str, ...]:
        """What could not be read, or not whole, a sentence each."""
        return tuple(filter(None, map(self._unread, self._sizes.counts)))

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


def lanes_named(
    client: redis.Redis, by_queue: Mapping[str, Collection[str]]
) -> dict[str, set[bytes]]:
    """The lanes that keys of some queues name, each given by its word in `NAMING`.

    Two round trips, and more for a key of more than `MOST_NAMES`. One that cannot be read, or
    not whole, names fewer lanes or none.
    """
    first, second = Batch(client), Batch(client)
    asked = {
        queue: LaneNames(Keyspace(queue), first, _with_moving(words))
        for queue, words in by_queue.items()
    }
    first.run()
    for names in asked.values():
        names.ask_names(second)
    second.run()
    return {
        queue: names.found().union(*(_walked(client, queue, name) for name in names.large))
        for queue, names in asked.items()
    }


def _walked(client: redis.Redis, queue: str, name: str) -> set[bytes]:
    try:
        return set(islice(_walk(client, Keyspace(queue), name), MOST_WALKED))
    except ResponseError:
        return set()


def _walk(client: redis.Redis, keys: Keyspace, name: str) -> Iterator[bytes]:
    if name == "paused":
        yield from client.sscan_iter(keys.paused, count=_STEP)
    else:
        for group, _ in client.hscan_iter(counters(keys)[name], count=_STEP):
            yield group


def _with_moving(words: Collection[str]) -> frozenset[str]:
    return frozenset(words) if _MOVING.isdisjoint(words) else _MOVING.union(words)


def _readings(keys: Keyspace) -> dict[str, tuple[Any, ...]]:
    """What reads the names of a key, in no order but for the ring."""
    hashes = {name: ("hrandfield", key, MOST_NAMES) for name, key in counters(keys).items()}
    return hashes | {
        "paused": ("srandmember", keys.paused, MOST_NAMES),
        "ring": ("lrange", keys.ring, 0, MOST_NAMES - 1),
    }
