"""Where one job is now, as far as its history has to know: two small round trips."""

from __future__ import annotations

import math
from dataclasses import dataclass

import redis

from .keyspace import Keyspace, to_wire
from .replies import Answer, Batch, integer, now_ms

# The longest text that can be a count of attempts.
_LONGEST = 17
_SETS = ("active", "dead", "schedule", "pending")


@dataclass(frozen=True)
class Present:
    """`held` are those of active, dead, schedule and pending that hold the id. `attempts` is `None`
    without a row that has them as a number. `deadline_ms` is that of its lease, `None` without one
    or for a score that is no date."""

    now_ms: int
    has_row: bool
    held: frozenset[str]
    attempts: int | None
    deadline_ms: int | None

    @property
    def is_here(self) -> bool:
        return self.has_row or bool(self.held)

    @property
    def is_active(self) -> bool:
        return "active" in self.held


class Presence:
    """The look at one job in two steps, of which the second can travel along with another read."""

    def __init__(self, queue: str, job_id: str) -> None:
        self._keys, self._raw = Keyspace(queue), to_wire(job_id)
        self._row = self._keys.job(job_id)
        self._attempts: Answer | None = None

    def begin(self, client: redis.Redis) -> None:
        """Make the first round trip. Raises redis-py's errors."""
        first = Batch(client)
        self._time, self._there = first.ask("time"), first.ask("exists", self._row)
        self._length = first.ask("hstrlen", self._row, b"attempts")
        self._scores = {
            name: first.ask("zscore", getattr(self._keys, name), self._raw) for name in _SETS
        }
        first.run()

    def ask(self, batch: Batch) -> None:
        """Add what is still to be read, once it is known to be short."""
        if not self._length.fault and self._length.value <= _LONGEST:
            self._attempts = batch.ask("hget", self._row, b"attempts")

    def end(self) -> Present:
        """What was found; what cannot be read for its type is not there."""
        found = self._scores.items()
        scores = {name: score.value for name, score in found if score.value is not None}
        return Present(
            now_ms=now_ms(self._time),
            has_row=bool(self._there.value),
            held=frozenset(scores),
            attempts=self._number(),
            deadline_ms=_instant(scores.get("active")),
        )

    def _number(self) -> int | None:
        """Of a row that has no such field 0, as the scripts read it."""
        found = self._attempts
        if not self._there.value or found is None or found.fault:
            return None
        return integer(found.value)


def present(client: redis.Redis, queue: str, job_id: str) -> Present:
    """Look at the job in two round trips. Raises redis-py's errors."""
    look, second = Presence(queue, job_id), Batch(client)
    look.begin(client)
    look.ask(second)
    second.run()
    return look.end()


def _instant(score: float | None) -> int | None:
    is_date = score is not None and math.isfinite(score) and abs(score) < 2**53
    return int(score) if is_date and score is not None else None
