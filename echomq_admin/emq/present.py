"""Where one job is now, as far as its history has to know: two small round trips, and a third for a
job that only its lane can hold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import redis

from .keyspace import Keyspace, from_wire, to_wire
from .replies import Answer, Batch, integer, now_ms
from .rows import LONGEST_NAME

# The longest text that can be a count of attempts.
_LONGEST = 17
_SETS = ("active", "dead", "schedule", "pending")
_FIELDS = {b"attempts": _LONGEST, b"state": _LONGEST, b"group": LONGEST_NAME}


@dataclass(frozen=True)
class Present:
    """`held` are those of active, dead, schedule, pending and lane that hold the id, where the lane
    is that of its row, and looked into when none of the others holds it. `attempts` is `None`
    without a row that has them as a number. `deadline_ms` is that of its lease, `None` without one
    or for a score that is no date. `awaits` its children: a job that does so is in no set. `fault`
    says why some of that could not be read."""

    now_ms: int
    has_row: bool
    held: frozenset[str]
    attempts: int | None
    deadline_ms: int | None
    awaits: bool = False
    fault: str | None = None

    @property
    def is_here(self) -> bool:
        return self.has_row or bool(self.held)

    @property
    def is_unknown(self) -> bool:
        """Whether nothing of it was found, and not everything could be read."""
        return self.fault is not None and not self.is_here

    @property
    def is_active(self) -> bool:
        return "active" in self.held


class Presence:
    """The look at one job in steps, of which the second can travel along with another read."""

    def __init__(self, client: redis.Redis, queue: str, job_id: str) -> None:
        self._client = client
        self._keys, self._raw = Keyspace(queue), to_wire(job_id)
        self._row = self._keys.job(job_id)
        self._fields: dict[bytes, Answer] = {}

    def begin(self) -> None:
        """Make the first round trip. Raises redis-py's errors."""
        first = Batch(self._client)
        self._time, self._there = first.ask("time"), first.ask("exists", self._row)
        self._lengths = {name: first.ask("hstrlen", self._row, name) for name in _FIELDS}
        self._scores = {
            name: first.ask("zscore", getattr(self._keys, name), self._raw) for name in _SETS
        }
        first.run()

    def ask(self, batch: Batch) -> None:
        """Add what is still to be read, once it is known to be short."""
        for name, length in self._lengths.items():
            if not length.fault and length.value <= _FIELDS[name]:
                self._fields[name] = batch.ask("hget", self._row, name)

    def end(self) -> Present:
        """What was found, with the lane where that has to be looked into. Raises as `begin`."""
        if self._is_nowhere and (group := self._field(b"group")) is not None:
            third = Batch(self._client)
            key = self._keys.lane(from_wire(group))
            self._scores["lane"] = third.ask("zscore", key, self._raw)
            third.run()
        found = self._scores.items()
        scores = {name: score.value for name, score in found if score.value is not None}
        return Present(
            now_ms=now_ms(self._time),
            has_row=bool(self._there.value),
            held=frozenset(scores),
            attempts=self._number(),
            deadline_ms=_instant(scores.get("active")),
            awaits=self._field(b"state") == b"awaiting_children",
            fault=self._fault(),
        )

    @property
    def _is_nowhere(self) -> bool:
        return all(score.value is None for score in self._scores.values())

    def _field(self, name: bytes) -> bytes | None:
        found = self._fields.get(name)
        return None if found is None or found.fault else found.value

    def _number(self) -> int | None:
        """Of a row that has no such field 0, as the scripts read it."""
        found = self._fields.get(b"attempts")
        if not self._there.value or found is None or found.fault:
            return None
        return integer(found.value)

    def _fault(self) -> str | None:
        """Of a row that is no hash it is known that it is there, and where."""
        told = [("the row", self._there), *self._scores.items()]
        faults = [f"{name}: {answer.fault}" for name, answer in told if answer.fault]
        return "; ".join(faults) or None


def present(client: redis.Redis, queue: str, job_id: str) -> Present:
    """Look at the job. Raises redis-py's errors."""
    look, second = Presence(client, queue, job_id), Batch(client)
    look.begin()
    look.ask(second)
    second.run()
    return look.end()


def _instant(score: float | None) -> int | None:
    is_date = score is not None and math.isfinite(score) and abs(score) < 2**53
    return int(score) if is_date and score is not None else None
