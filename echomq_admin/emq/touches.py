"""Which jobs the audit of a queue names since an instant: where an operator had a hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import redis

from .audit import PER_CALL, Entry, place, told
from .keyspace import Keyspace
from .replies import Answer, Batch

# Stands for the verb where the audit does not tell it, or not all of it was read.
UNTOLD = "untold"
# So much of an audit is read.
_MOST_PAGES, _MOST_BYTES = 100, 8_000_000


@dataclass(frozen=True)
class Touches:
    """The verbs by job id, each with its instant. `is_partial`: there was more than was read."""

    verbs: Mapping[str, Collection[tuple[int, str]]] = field(default_factory=dict)
    is_partial: bool = False

    def of(self, job_id: str, since_ms: int) -> frozenset[str]:
        """Those from that instant on, which must not be before the one that was asked for."""
        known = frozenset(op for ms, op in self.verbs.get(job_id, ()) if ms >= since_ms)
        return known | {UNTOLD} if self.is_partial else known


def touches(
    client: redis.Redis, since_ms: Mapping[str, int], jobs: Mapping[str, Collection[str]]
) -> dict[str, Touches]:
    """Of each queue what its audit tells of these jobs from that instant on, by the server's clock:
    as a rule one round trip, more where there are many entries. Raises redis-py's errors."""
    readings = {
        queue: _Reading(queue, since, frozenset(jobs[queue])) for queue, since in since_ms.items()
    }
    for _ in range(_MOST_PAGES):
        going_on = [reading for reading in readings.values() if reading.goes_on]
        if not going_on:
            break
        batch = Batch(client)
        for reading in going_on:
            reading.ask(batch)
        batch.run()
        for reading in going_on:
            reading.take()
    return {queue: reading.touches() for queue, reading in readings.items()}


class _Reading:
    """The newest entries of one audit, page by page."""

    def __init__(self, queue: str, since_ms: int, jobs: Collection[str]) -> None:
        self._key, self._since_ms, self._jobs = Keyspace(queue).audit, max(0, since_ms), jobs
        self._last, self._size, self._answer = "+", 0, Answer()
        self._verbs: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
        self._is_partial = False
        self.goes_on = True

    def ask(self, batch: Batch) -> None:
        span = self._last, self._since_ms
        self._answer = batch.ask("xrevrange", self._key, *span, count=PER_CALL)

    def take(self) -> None:
        if self._answer.fault:
            self._is_partial, self.goes_on = True, False
            return
        for raw_id, fields in self._answer.value:
            self._size += sum(len(name) + len(value) for name, value in fields.items())
            self._last = f"({raw_id.decode('ascii')}"
            self._learn(told(raw_id.decode("ascii"), fields))
        has_more = len(self._answer.value) == PER_CALL
        self.goes_on = has_more and self._size < _MOST_BYTES
        self._is_partial = self._is_partial or (has_more and not self.goes_on)

    def _learn(self, entry: Entry) -> None:
        self._is_partial = self._is_partial or _hides_jobs(entry)
        for job in entry.jobs:
            if job.job_id in self._jobs:
                self._verbs[job.job_id].add((place(entry.entry_id)[0], entry.op))

    def touches(self) -> Touches:
        return Touches(self._verbs, self._is_partial or self.goes_on)


def _hides_jobs(entry: Entry) -> bool:
    """Whether it counts jobs that it does not name."""
    return entry.fault is not None or entry.n > len(entry.jobs)
