"""What ending lapsed leases would do, without doing it: the order and verdicts of the scripts."""

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
    """What a sweep, or a reap, would do with one lapsed lease."""

    lease: Lease
    fate: Verdict


@dataclass(frozen=True)
class Preview:
    """The lapsed leases that would be taken, lowest deadline first, then by id.

    `lapsed` counts all of the set, `None` when it cannot be read. `looked` is how many of them were
    looked at: as many as there are rows, but for a reap of one lane, which leaves those of others.
    `cut` is true when the script would take more than was looked at here. `fault` is why the script
    itself would refuse.
    """

    now_ms: int
    lapsed: int | None
    rows: tuple[Fate, ...]
    cut: bool = False
    fault: str | None = None
    looked: int = 0


def sweep_preview(client: redis.Redis, queue: str, max_stalled: int, limit: int) -> Preview:
    """Where a sweep now would send each lapsed lease; at most 1,000 rows are read.

    Raises `ValueError` for a max_stalled or a limit below 1.
    """
    if max_stalled < 1 or limit < 1:
        raise ValueError("max_stalled and limit are at least 1")
    return _Look(client, queue, limit).preview(max_stalled)


def reap_preview(client: redis.Redis, queue: str, limit: int) -> Preview:
    """Where a reap now would send each lapsed lease; at most 1,000 rows are read.

    Raises `ValueError` for a limit below 1.
    """
    if limit < 1:
        raise ValueError("limit is at least 1")
    return _Look(client, queue, limit).preview()


def reap_group_preview(client: redis.Redis, queue: str, group: str, limit: int) -> Preview:
    """Which of the first `limit` lapsed leases a reap of one lane now would take, and where to; at
    most 1,000 rows are read.

    Those whose row is missing or no hash do not say whose they are, and are taken along. Raises
    `ValueError` for a limit below 1.
    """
    if limit < 1:
        raise ValueError("limit is at least 1")
    return _Look(client, queue, limit, group).preview()


class _Look:
    """One look at the first lapsed leases, or those of one lane among them: three round trips."""

    def __init__(
        self, client: redis.Redis, queue: str, limit: int, group: str | None = None
    ) -> None:
        self._client, self._limit, self._group = client, limit, group
        self._keys = keys = Keyspace(queue)
        first, second = Batch(client), Batch(client)
        time = first.ask("time")
        self._types = KeyTypes(keys, first)
        soonest = first.ask("zrange", keys.active, 0, min(limit, MAX_ROWS) - 1, withscores=True)
        first.run()
        self._now = now = now_ms(time)
        past = [(member, score) for member, score in soonest.value or () if score <= now]
        rows = Rows(keys, past)
        lapsed = second.ask("zcount", keys.active, "-inf", now)
        rows.ask_lean(second)
        second.run()
        self._looked = rows.jobs()
        self._lapsed = None if lapsed.fault else int(lapsed.value)

    def preview(self, max_stalled: int | None = None) -> Preview:
        """The fates; without `max_stalled` no stall is counted."""
        jobs, lanes = self._taken()
        fates = tuple(
            Fate(lease_of(job, self._now), fate_of(job, _is_homeless(job, lanes), max_stalled))
            for job in jobs
        )
        looked, lapsed = len(self._looked), self._lapsed
        is_cut = lapsed is not None and min(lapsed, self._limit) > looked
        return Preview(self._now, lapsed, fates, is_cut, self._types.refusal, looked)

    def _taken(self) -> tuple[tuple[Job, ...], dict[str, Answer]]:
        """The jobs that the script would take, and the types of their lanes."""
        batch = Batch(self._client)
        groups = dict.fromkeys(job.group for job in self._looked if job.group is not None)
        lanes = {group: batch.ask("type", self._keys.lane(group)) for group in groups}
        broken = [job.job_id for job in self._looked if job.fault and self._group is not None]
        types = {job_id: batch.ask("type", self._keys.job(job_id)) for job_id in broken}
        batch.run()
        if self._group is None:
            return self._looked, lanes
        strangers = {job_id for job_id, found in types.items() if found.value != b"hash"}
        taken = (job for job in self._looked if job.job_id in strangers or job.group == self._group)
        return tuple(taken), lanes


def _is_homeless(job: Job, lanes: dict[str, Answer]) -> bool:
    return job.group is not None and lanes[job.group].value not in {b"none", b"zset"}


def fate_of(job: Job, is_homeless: bool, max_stalled: int | None = None) -> Verdict:
    """Where a sweep would send a lapsed lease; a homeless one has a lane that is no sorted set.

    Without `max_stalled` no stall is the last, as for a reap.
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
