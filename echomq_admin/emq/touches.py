"""Which jobs the audit of a queue names since an instant: where an operator had a hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import redis

from .audit import PER_CALL, Entry, Moved, place, told
from .keyspace import Keyspace
from .replies import Answer, Batch

# Stands for the verb where the audit does not tell it, or not all of it was read.
UNTOLD = "untold"
# So much of an audit is read.
_MOST_PAGES, _MOST_BYTES = 100, 8_000_000


@dataclass(frozen=True)
class Touch:
    """What an entry says of one job: its verb, and how the job was until then. `ms` is the instant
    of its id, `at_ms` that of its script; they differ while the clock is behind what it was."""

    ms: int
    at_ms: int
    op: str
    moved: Moved


@dataclass(frozen=True)
class Touches:
    """The touches by job id, the newest first. `is_partial`: there was more than was read."""

    by_job: Mapping[str, Sequence[Touch]] = field(default_factory=dict)
    is_partial: bool = False

    def verbs(self, job_id: str, since_ms: int) -> frozenset[str]:
        """Those from that instant on, which must not be before the one that was asked for."""
        known = frozenset(touch.op for touch in self._since(job_id, since_ms))
        return known | {UNTOLD} if self.is_partial else known

    def first(self, job_id: str, since_ms: int, until_ms: int) -> Touch | None:
        """The first one between two instants, `None` where another may be before it."""
        known = self._since(job_id, since_ms)
        if not known or self.is_partial:
            return None
        first = known[-1]
        return first if since_ms <= first.at_ms <= until_ms and first.ms <= until_ms else None

    def _since(self, job_id: str, since_ms: int) -> Sequence[Touch]:
        return [touch for touch in self.by_job.get(job_id, ()) if touch.ms >= since_ms]


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
        self._by_job: defaultdict[str, list[Touch]] = defaultdict(list)
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
                touch = Touch(place(entry.entry_id)[0], entry.at_ms, entry.op, job)
                self._by_job[job.job_id].append(touch)

    def touches(self) -> Touches:
        return Touches(self._by_job, self._is_partial or self.goes_on)


def _hides_jobs(entry: Entry) -> bool:
    """Whether it counts jobs that it does not name."""
    return entry.fault is not None or entry.n > len(entry.jobs)
