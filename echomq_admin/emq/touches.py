"""Which jobs the audit of a queue names since an instant: where an operator had a hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import redis

from .audit import PER_CALL, Entry, told
from .keyspace import Keyspace
from .replies import Answer, Batch

# Stands for the verb where the audit does not tell it, or not all of it was read.
UNTOLD = "untold"


@dataclass(frozen=True)
class Touches:
    """The verbs by job id. `is_partial`: there was more than was read."""

    verbs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    is_partial: bool = False

    def of(self, job_id: str) -> frozenset[str]:
        known = self.verbs.get(job_id, frozenset())
        return known | {UNTOLD} if self.is_partial else known


def touches(client: redis.Redis, since_ms: Mapping[str, int]) -> dict[str, Touches]:
    """Of each queue what its audit tells from that instant on, by the server's clock, of its newest
    entries. One round trip; raises redis-py's errors."""
    batch = Batch(client)
    asked = {
        queue: batch.ask("xrevrange", Keyspace(queue).audit, "+", max(0, since), count=PER_CALL)
        for queue, since in since_ms.items()
    }
    batch.run()
    return {queue: _touches(answer) for queue, answer in asked.items()}


def _touches(answer: Answer) -> Touches:
    if answer.fault:
        return Touches(is_partial=True)
    entries = [told(raw_id.decode("ascii"), fields) for raw_id, fields in answer.value]
    verbs: defaultdict[str, set[str]] = defaultdict(set)
    for entry in entries:
        for job in entry.jobs:
            verbs[job.job_id].add(entry.op)
    is_partial = len(entries) >= PER_CALL or any(map(_hides_jobs, entries))
    return Touches({job_id: frozenset(ops) for job_id, ops in verbs.items()}, is_partial)


def _hides_jobs(entry: Entry) -> bool:
    """Whether it counts jobs that it does not name."""
    return entry.fault is not None or entry.n > len(entry.jobs)
