"""One job, whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import redis

from .keyspace import Keyspace, to_wire
from .replies import Answer, Batch, now_ms
from .rows import Job, Rows


@dataclass(frozen=True)
class JobDetail:
    """One job with everything that is known of it.

    `fields` is the row with all its fields, empty when it is missing or no hash (`job.fault`
    says which). `held_by` maps the sets that hold the id to its score there: "pending",
    "active", "schedule", "dead", and "lane" for the lane of its row's group.
    """

    now_ms: int
    job: Job
    fields: Mapping[bytes, bytes]
    held_by: Mapping[str, float]
    locked: bool
    log_lines: int


def whole_row(client: redis.Redis, queue: str, job_id: str) -> JobDetail:
    """Every field of the row, however long, and the sets that hold the id. Two round trips."""
    keys = Keyspace(queue)
    member = to_wire(job_id)
    first, second = Batch(client), Batch(client)
    time = first.ask("time")
    rows = Rows(keys, [(member, None)])
    rows.ask_lean(first)
    sets = {"pending": keys.pending, "active": keys.active}
    sets |= {"schedule": keys.schedule, "dead": keys.dead}
    scores = {name: first.ask("zscore", key, member) for name, key in sets.items()}
    lock = first.ask("exists", keys.lock(job_id))
    logs = first.ask("llen", keys.logs(job_id))
    first.run()
    (job,) = rows.jobs()
    if job.group is not None:
        scores["lane"] = second.ask("zscore", keys.lane(job.group), member)
    rows.ask_short(second)
    fields = second.ask("hgetall", keys.job(job_id))
    second.run()
    (job,) = rows.jobs()
    held_by = _held_by(scores)
    return JobDetail(
        now_ms(time), job, fields.value or {}, held_by, bool(lock.value), int(logs.value or 0)
    )


def _held_by(scores: Mapping[str, Answer]) -> dict[str, float]:
    return {name: float(score.value) for name, score in scores.items() if score.value is not None}
