"""Every field of one row, whatever their names, number and lengths are.

Three batches: the names, the lengths, the values. A value is read only once its length is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import redis

from .keyspace import Keyspace
from .replies import Answer, Batch
from .rows import LONGEST_NAME, SHORT

# A row with more fields than this lists those that are known.
MOST_FIELDS = 300
# How much of long values one look reads, all fields together, and of how many fields.
MOST_BYTES = 8_000_000
MOST_LONG = 20
# A long value under a longer name is not read: a reader could not say that it has it.
_LONGEST_LABEL = 200

LONG_FIRST = (b"payload", b"last_error", b"progress")
KNOWN = (
    b"state", b"attempts", b"stalled", b"group", b"payload", b"last_error", b"progress", b"parent",
    b"parent_queue", b"parent_policy", b"lock",
)  # fmt: skip


@dataclass(frozen=True)
class Field:
    """One field. `size` in bytes. `value` is `None` when it was not read: then `is_kept` says that
    the reader has it already, else it is too long."""

    name: bytes
    size: int
    value: bytes | None
    is_kept: bool = False


def read_field(
    client: redis.Redis, queue: str, job_id: str, name: bytes, most: int
) -> Field | None:
    """One whole field of a row, or `None` when there is none. What is longer than `most` bytes is
    not read."""
    key, length = Keyspace(queue).job(job_id), Batch(client)
    size = length.ask("hstrlen", key, name)
    length.run()
    if size.is_mistyped:
        return None
    if size.value > most:
        return Field(name, int(size.value), None)
    second = Batch(client)
    value = second.ask("hget", key, name)
    second.run()
    return None if value.value is None else Field(name, len(value.value), value.value)


class Fields:
    """The row under `key`. `early` are fields whose values the second batch brings already.

    `have` maps names of long fields to the sizes that the reader has seen; what still has that
    size is not read again.
    """

    def __init__(self, key: bytes, early: Sequence[bytes], have: Mapping[bytes, int]) -> None:
        self._key = key
        self._early = tuple(early)
        self._have = have
        self._early_lengths: dict[bytes, Answer] = {}
        self._early_names: tuple[bytes, ...] = ()
        self._early_values = Answer()
        self._lengths: dict[bytes, Answer] = {}
        self._wanted: tuple[bytes, ...] = ()
        self._values = Answer()

    def ask_names(self, batch: Batch) -> None:
        self._count = batch.ask("hlen", self._key)
        # Unlike HKEYS it stops at a number; below that number it answers every name.
        self._some = batch.ask("hrandfield", self._key, MOST_FIELDS)
        self._early_lengths = {name: batch.ask("hstrlen", self._key, name) for name in self._early}

    def ask_lengths(self, batch: Batch) -> None:
        if not self._count.value:
            return
        self._early_names = tuple(
            name for name, length in self._early_lengths.items() if length.value <= LONGEST_NAME
        )
        self._early_values = batch.ask("hmget", self._key, self._early_names)
        self._lengths = {name: batch.ask("hstrlen", self._key, name) for name in self._names()}

    def ask_values(self, batch: Batch) -> None:
        self._wanted = tuple(self._readable())
        if self._wanted:
            self._values = batch.ask("hmget", self._key, self._wanted)

    def early(self, name: bytes) -> bytes | None:
        """A field of the second batch; `None` when absent or too long for a name."""
        values = dict(zip(self._early_names, self._early_values.value or (), strict=False))
        return values.get(name)

    @property
    def unlisted(self) -> int:
        """How many fields are not among `fields`, because there are too many."""
        count = int(self._count.value or 0)
        return max(0, count - len(self.fields)) if count > MOST_FIELDS else 0

    @property
    def fields(self) -> tuple[Field, ...]:
        """Known fields in their order, then the others by name."""
        values = dict(zip(self._wanted, self._values.value or (), strict=False))
        found = (self._field(name, values) for name in self._lengths)
        return tuple(field for field in found if field is not None)

    def _names(self) -> list[bytes]:
        if self._count.value > MOST_FIELDS:
            return list(dict.fromkeys((*KNOWN, *self._early)))
        return sorted(self._some.value or (), key=_order)

    def _readable(self) -> list[bytes]:
        """The short fields, and of the long ones as many as fit."""
        sizes = {name: int(length.value or 0) for name, length in self._lengths.items()}
        wanted = [name for name, size in sizes.items() if size <= SHORT]
        long = sorted(sizes.keys() - set(wanted), key=_long_order)
        left = MOST_BYTES
        for name in [name for name in long if len(name) <= _LONGEST_LABEL][:MOST_LONG]:
            if not self._is_kept(name, sizes[name]) and sizes[name] <= left:
                wanted.append(name)
                left -= sizes[name]
        return wanted

    def _is_kept(self, name: bytes, size: int) -> bool:
        return size > SHORT and self._have.get(name) == size

    def _field(self, name: bytes, values: Mapping[bytes, bytes | None]) -> Field | None:
        value, size = values.get(name), int(self._lengths[name].value or 0)
        if value is not None:
            return Field(name, len(value), value)
        if name in values or not size:
            return None
        return Field(name, size, None, self._is_kept(name, size))


def _order(name: bytes) -> tuple[int, bytes]:
    return (KNOWN.index(name) if name in KNOWN else len(KNOWN), name)


def _long_order(name: bytes) -> tuple[int, bytes]:
    return (LONG_FIRST.index(name) if name in LONG_FIRST else len(LONG_FIRST), name)
