"""What a sweep would do, without doing it: the same order, the same verdicts as its script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import redis

from .key_types import KeyTypes
from .keyspace import Keyspace
from .replies import Answer, Batch, now_ms
from .rows import ROW_MISSING, Job, Rows
from .timeline import Lease, lease_of

Verdict = Literal["recovered", "dead", "orphaned", "unreadable"]

MAX_ROWS = 1000


@dataclass(frozen=True)
class Fate:
    """What a sweep would do with one lapsed lease."""

    lease: Lease
    fate: Verdict


@dataclass(frozen=True)
class Preview:
    """The lapsed leases that a sweep would take, lowest deadline first, then by id.

    `lapsed` counts all of the set, `None` when it cannot be read. `cut` is true when the sweep
    would take more than the rows here. `fault` is why the sweep itself would refuse.
    """

    now_ms: int
    lapsed: int | None
    rows: tuple[Fate, ...]
    cut: bool = False
    fault: str | None = None


def sweep_preview(client: redis.Redis, queue: str, max_stalled: int, limit: int) -> Preview:
    """Where a sweep now would send each lapsed lease; at most 1,000 rows are read.

    Raises `ValueError` for a max_stalled or a limit below 1.
    """
    if max_stalled < 1 or limit < 1:
        raise ValueError("max_stalled and limit are at least 1")
    keys = Keyspace(queue)
    first, second = Batch(client), Batch(client)
    time = first.ask("time")
    types = KeyTypes(keys, first)
    soonest = first.ask("zrange", keys.active, 0, min(limit, MAX_ROWS) - 1, withscores=True)
    first.run()
    now = now_ms(time)
    rows = Rows(keys, [(member, score) for member, score in soonest.value or () if score <= now])
    lapsed = second.ask("zcount", keys.active, "-inf", now)
    rows.ask_lean(second)
    second.run()
    jobs = rows.jobs()
    lanes = _lane_types(client, keys, jobs)
    fates = tuple(
        Fate(lease_of(job, now), fate_of(job, _is_homeless(job, lanes), max_stalled))
        for job in jobs
    )
    count = None if lapsed.fault else int(lapsed.value)
    is_cut = count is not None and min(count, limit) > len(fates)
    return Preview(now, count, fates, is_cut, types.refusal)


def _lane_types(client: redis.Redis, keys: Keyspace, jobs: tuple[Job, ...]) -> dict[str, Answer]:
    batch = Batch(client)
    groups = dict.fromkeys(job.group for job in jobs if job.group is not None)
    lanes = {group: batch.ask("type", keys.lane(group)) for group in groups}
    batch.run()
    return lanes


def _is_homeless(job: Job, lanes: dict[str, Answer]) -> bool:
    return job.group is not None and lanes[job.group].value not in {b"none", b"zset"}


def fate_of(job: Job, is_homeless: bool, max_stalled: int | None = None) -> Verdict:
    """Where a sweep would send a lapsed lease; a homeless one has a lane that is no sorted set.

    Without `max_stalled` no stall is the last.
    """
    if job.fault == ROW_MISSING:
        return "orphaned"
    if job.attempts is None or is_homeless:
        return "unreadable"
    is_last = max_stalled is not None and is_last_stall(job.stalled, max_stalled)
    return "dead" if is_last else "recovered"


def is_last_stall(stalled: int | None, max_stalled: int) -> bool:
    """Whether one more stall sends a job to dead; a count that is no number counts as 0."""
    return (stalled or 0) + 1 >= max_stalled
