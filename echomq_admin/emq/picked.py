"""Dead jobs that the caller names, in the caller's order: which are dead still, and their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import redis

from .keyspace import Keyspace, to_wire
from .replies import Batch, now_ms
from .rows import LONGEST_ID, Job, Rows


@dataclass(frozen=True)
class StillDead:
    """`total` counts the whole dead set, `held` are those asked for that it holds, with their
    scores. `total` is `None`, and `fault` says why, when the key cannot be read."""

    now_ms: int
    total: int | None
    held: dict[str, float]
    fault: str | None = None


def still_dead(client: redis.Redis, queue: str, job_ids: Sequence[str]) -> StillDead:
    """Which of these jobs the dead set holds now, in one round trip."""
    key, batch = Keyspace(queue).dead, Batch(client)
    time, card = batch.ask("time"), batch.ask("zcard", key)
    members = [to_wire(job_id) for job_id in job_ids]
    found = batch.ask("zmscore", key, members) if members else None
    batch.run()
    scores = (found.value if found else None) or ()
    pairs = zip(job_ids, scores, strict=False)
    held = {job_id: float(score) for job_id, score in pairs if score is not None}
    if card.fault:
        return StillDead(now_ms(time), None, {}, card.fault)
    return StillDead(now_ms(time), int(card.value), held)


def rows_of(client: redis.Redis, queue: str, held: Sequence[tuple[str, float]]) -> tuple[Job, ...]:
    """The rows of jobs with the scores they were found with, in two round trips; none for none."""
    members = [(to_wire(job_id), score) for job_id, score in held]
    rows = Rows(Keyspace(queue), members, LONGEST_ID)
    lengths, fields = Batch(client), Batch(client)
    rows.ask_lengths(lengths)
    lengths.run()
    rows.ask_short(fields)
    fields.run()
    return rows.jobs()
