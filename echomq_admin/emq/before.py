"""What dead jobs look like before they are requeued: what an undo gives them back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import redis

from .keyspace import Keyspace, to_wire
from .replies import Answer, Batch, integer

_FIELDS = ("attempts", "stalled")


@dataclass(frozen=True)
class Dead:
    """A job in dead. `error` and `stalled` are `None` where its row has none; a stall count that is
    no number counts as none, and `is_odd`."""

    attempts: int
    error: bytes | None
    stalled: int | None
    is_odd: bool = False


def read(
    client: redis.Redis, queue: str, job_ids: Sequence[str], most: int, most_in_all: int
) -> dict[str, Dead]:
    """Those of the jobs that are in dead, with their whole errors. Two round trips.

    A job is left out whose error is larger than `most` bytes, with whose error all of them would be
    larger than `most_in_all`, or whose row cannot be read.
    """
    keys, first, second = Keyspace(queue), Batch(client), Batch(client)
    looks = {job_id: _ask(keys, job_id, first) for job_id in job_ids}
    first.run()
    errors: dict[str, Answer] = {}
    left = most_in_all
    for job_id, (held, row, length) in looks.items():
        size = int(length.value or 0)
        if held.value is not None and row.value and not length.fault and size <= min(most, left):
            errors[job_id] = second.ask("hget", keys.job(job_id), "last_error")
            left -= size
    second.run()
    found = {job_id: _dead(looks[job_id][1], error) for job_id, error in errors.items()}
    return {job_id: one for job_id, one in found.items() if one}


def _ask(keys: Keyspace, job_id: str, batch: Batch) -> tuple[Answer, Answer, Answer]:
    key = keys.job(job_id)
    return (
        batch.ask("zscore", keys.dead, to_wire(job_id)),
        batch.ask("hmget", key, _FIELDS),
        batch.ask("hstrlen", key, "last_error"),
    )


def _dead(row: Answer, error: Answer) -> Dead | None:
    raw_attempts, raw_stalled = row.value
    attempts = integer(raw_attempts)
    if attempts is None or error.fault:
        return None
    stalled = None if raw_stalled is None else integer(raw_stalled)
    return Dead(attempts, error.value, stalled, raw_stalled is not None and stalled is None)
