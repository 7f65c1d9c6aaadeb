"""Rows read lean: what tells how a job fares, of each field only what is short enough."""

from __future__ import annotations

from dataclasses import dataclass

from .keyspace import Keyspace, to_wire
from .replies import Answer, Batch
from .rows import LONGEST_ID, LONGEST_NAME

# Longer errors are not read: their size stands for them.
LONGEST_ERROR = 65_536
_LONGEST_NUMBER = 32
_MOST_BYTES = {
    "state": _LONGEST_NUMBER,
    "attempts": _LONGEST_NUMBER,
    "stalled": _LONGEST_NUMBER,
    "group": LONGEST_NAME,
}
_ERROR = "last_error"
_FIELDS = (*_MOST_BYTES, _ERROR)


@dataclass
class Room:
    """Errors are read up to `left` bytes together, and `each` at most."""

    left: int
    each: int = LONGEST_ERROR


class LeanRow:
    """One row in two steps: how long its fields are, then those that are short, by one command:
    what a script wrote of them together is seen together. Of an id beyond all measure nothing is
    read."""

    def __init__(self, keys: Keyspace, job_id: str, batch: Batch) -> None:
        self._key = keys.job(job_id)
        is_measured = len(to_wire(job_id)) <= LONGEST_ID
        names = _FIELDS if is_measured else ()
        self._lengths = {name: batch.ask("hstrlen", self._key, name) for name in names}
        self._wanted: tuple[str, ...] = ()
        self._values = Answer()

    def ask(self, batch: Batch, room: Room) -> None:
        """Ask for what is short enough, which takes its part of the room."""
        most = _MOST_BYTES | {_ERROR: min(room.each, room.left)}
        self._wanted = tuple(name for name in self._lengths if self.length(name) <= most[name])
        if _ERROR in self._wanted:
            room.left -= self.length(_ERROR)
        if self._wanted:
            self._values = batch.ask("hmget", self._key, self._wanted)

    def length(self, name: str) -> int:
        answer = self._lengths.get(name)
        return int(answer.value or 0) if answer else 0

    def values(self) -> dict[str, bytes | None]:
        """What was read, absent fields as `None`; nothing where there is no row to read."""
        return dict(zip(self._wanted, self._values.value or (), strict=False))

    def error(self) -> tuple[bytes | None, int | None]:
        """The error and its size: no error where only the size is known, neither without one."""
        values = self.values()
        if _ERROR not in values:
            return None, self.length(_ERROR) or None
        error = values[_ERROR]
        return error, None if error is None else len(error)
