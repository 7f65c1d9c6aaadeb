"""Every field of one row, whatever their names, number and lengths are.

Three batches: how long the known fields are and how large the row is; the names, which only then
are sure to be short together; the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import redis

from .keyspace import Keyspace
from .replies import Answer, Batch
from .rows import LONGEST_NAME, SHORT

# A row with more fields than this, or with more bytes in other than the known fields, lists only
# the known ones.
MOST_FIELDS = 300
MOST_OTHERS = 2_000_000
# How much of the names of the others is sent back to ask for their values.
MOST_NAMES = 64_000
# How much of long values of known fields one look reads, all together.
MOST_BYTES = 8_000_000
# A long value under a longer name is not told: a reader could not say that it has it.
_LONGEST_LABEL = 200
# Of so many fields a reader may say that it has them.
_MOST_HAVE = 50

LONG_FIRST = (b"payload", b"last_error", b"progress")
KNOWN = (
    b"state", b"attempts", b"stalled", b"group", b"payload", b"last_error", b"progress", b"parent",
    b"parent_queue", b"parent_policy", b"lock",
)  # fmt: skip


@dataclass(frozen=True)
class Field:
    """One field. `size` in bytes. `value` is `None` when it was not read: then `is_kept` says that
    the reader has it already, `fault` that it cannot be read, else it is too long."""

    name: bytes
    size: int
    value: bytes | None
    is_kept: bool = False
    fault: str | None = None


def read_field(
    client: redis.Redis, queue: str, job_id: str, name: bytes, most: int
) -> Field | None:
    """One whole field of a row, or `None` when there is none. What is longer than `most` bytes is
    not read."""
    key, length = Keyspace(queue).job(job_id), Batch(client)
    size = length.ask("hstrlen", key, name)
    length.run()
    if size.fault:
        return Field(name, 0, None, fault=size.fault)
    if size.value > most:
        return Field(name, int(size.value), None)
    second = Batch(client)
    value = second.ask("hget", key, name)
    second.run()
    if value.fault:
        return Field(name, int(size.value), None, fault=value.fault)
    if value.value is None:
        return None
    found = len(value.value)
    return Field(name, found, value.value if found <= most else None)


class Fields:
    """The row under `key`. `early` are fields whose values the second batch brings already.

    `have` maps names of long fields to the sizes that the reader has seen; what still has that
    size is not read again.
    """

    def __init__(self, key: bytes, early: Sequence[bytes], have: Mapping[bytes, int]) -> None:
        self._key = key
        self._early = tuple(early)
        self._have = dict(list(have.items())[:_MOST_HAVE])
        self._count, self._memory, self._names = Answer(), Answer(), Answer()
        self._lengths: dict[bytes, Answer] = {}
        self._early_names: tuple[bytes, ...] = ()
        self._early_values = Answer()
        self._listed: tuple[bytes, ...] = ()
        self._wanted: tuple[bytes, ...] = ()
        self._values = Answer()

    def ask_lengths(self, batch: Batch) -> None:
        self._count = batch.ask("hlen", self._key)
        # So many samples are all there are, of a row whose fields are listed.
        self._memory = batch.ask("memory_usage", self._key, samples=MOST_FIELDS)
        for name in dict.fromkeys((*KNOWN, *self._early, *self._have)):
            self._lengths[name] = batch.ask("hstrlen", self._key, name)

    def ask_names(self, batch: Batch) -> None:
        """The other names, when they are few and short, and the early values."""
        if not self._count.value:
            return
        self._early_names = tuple(
            name for name in self._early if self._is_known_below(name, LONGEST_NAME)
        )
        if self._early_names:
            self._early_values = batch.ask("hmget", self._key, self._early_names)
        if self._count.value <= MOST_FIELDS and self._is_bounded:
            # Unlike HKEYS it stops at a number; up to that number it answers every name.
            self._names = batch.ask("hrandfield", self._key, MOST_FIELDS)

    def ask_values(self, batch: Batch) -> None:
        if not self._count.value:
            return
        self._listed = tuple(self._list())
        self._wanted = tuple(self._readable())
        if self._wanted:
            self._values = batch.ask("hmget", self._key, self._wanted)

    def early(self, name: bytes) -> bytes | None:
        """A field of the second batch; `None` when absent or too long for a name."""
        values = dict(zip(self._early_names, self._early_values.value or (), strict=False))
        return values.get(name)

    def early_fault(self, name: bytes) -> str | None:
        """Why it is not known whether there is such an early field, or what it says."""
        if name in self._early_names:
            return self._early_values.fault
        size = self.size(name)
        if size is not None and size > LONGEST_NAME:
            return f"it is {size:,} bytes long"
        return self._lengths[name].fault or self._count.fault

    def size(self, name: bytes) -> int | None:
        """The length of a known or early field, 0 for one that is absent; `None` when unknown."""
        length = self._lengths[name]
        return None if length.value is None else int(length.value)

    @property
    def unlisted(self) -> int:
        """How many fields are not among `fields`, because they are too many or too long."""
        names = self._names.value
        if names is not None and not self._values.fault and set(names) <= set(self._listed):
            return 0
        return max(0, int(self._count.value or 0) - len(self.fields))

    @property
    def memory(self) -> int | None:
        """What the row takes in the memory of the server, in bytes; `None` when unknown."""
        return None if self._memory.value is None else int(self._memory.value)

    @property
    def fault(self) -> str | None:
        """Why fields could not be read that would have been; one that is no hash says nothing."""
        asked = (self._count, self._names, self._early_values, self._values,
                 *self._lengths.values())  # fmt: skip
        if self._count.value and self.unlisted:
            asked = (*asked, self._memory)
        faults = (answer.fault for answer in asked if not answer.is_mistyped)
        return next(filter(None, faults), None)

    @property
    def fields(self) -> tuple[Field, ...]:
        """Known fields in their order, then the others by name."""
        values = dict(zip(self._wanted, self._values.value or (), strict=False))
        found = (self._field(name, values) for name in self._listed)
        return tuple(field for field in found if field is not None)

    @property
    def _is_bounded(self) -> bool:
        """Whether all but the fields of known length is little, names and values together."""
        if self.memory is None:
            return False
        lengths = sum(int(length.value or 0) for length in self._lengths.values())
        return self.memory - lengths <= MOST_OTHERS

    def _is_known_below(self, name: bytes, most: int) -> bool:
        size = self.size(name)
        return self._is_bounded if size is None else size <= most

    def _list(self) -> list[bytes]:
        if self._names.value is None:
            return list(self._lengths)
        left, chosen = MOST_NAMES, []
        for name in sorted(self._names.value, key=len):
            left -= 0 if name in self._lengths else len(name)
            if left >= 0:
                chosen.append(name)
        return sorted(chosen, key=_order)

    def _readable(self) -> list[bytes]:
        """The short fields, those that are little together, and of the long ones what fits."""
        wanted, long = [], []
        for name in self._listed:
            size = self.size(name) if name in self._lengths else None
            if size is not None and size > SHORT:
                long.append((name, size))
            elif size is not None or self._is_bounded:
                wanted.append(name)
        left = MOST_BYTES
        for name, size in sorted(long, key=lambda field: _long_order(field[0])):
            if len(name) <= _LONGEST_LABEL and not self._is_kept(name, size) and size <= left:
                wanted.append(name)
                left -= size
        return wanted

    def _is_kept(self, name: bytes, size: int) -> bool:
        return size > SHORT and self._have.get(name) == size

    def _field(self, name: bytes, values: Mapping[bytes, bytes | None]) -> Field | None:
        value, size = values.get(name), self.size(name) if name in self._lengths else None
        if value is not None:
            return Field(name, len(value), value if self._is_told(name, len(value), size) else None)
        if (name in values and not self._values.fault) or not size:
            return None
        return Field(name, size, None, self._is_kept(name, size))

    def _is_told(self, name: bytes, found: int, size: int | None) -> bool:
        """Whether a value that was read may be told: one may have grown since it was measured."""
        if found <= SHORT:
            return True
        return len(name) <= _LONGEST_LABEL and found <= (MOST_OTHERS if size is None else size)


def _order(name: bytes) -> tuple[int, bytes]:
    return (KNOWN.index(name) if name in KNOWN else len(KNOWN), name)


def _long_order(name: bytes) -> tuple[int, bytes]:
    return (LONG_FIRST.index(name) if name in LONG_FIRST else len(LONG_FIRST), name)
