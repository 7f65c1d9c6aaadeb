"""What a drain or an obliterate would delete, counted without deleting it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import redis

from .counts import QueueCounts, counts
from .key_types import KeyTypes
from .keyspace import Keyspace, from_wire, to_wire
from .replies import Answer, Batch

# So many ids of each set are named.
NAMED = 20
# Of so many of each set it is told whether flow parents wait for them, and of parents whose name
# is so long.
ASKED = 500
_LONGEST_NAME = 4096
_AWAITS = len(b"awaiting_children")


@dataclass(frozen=True)
class DrainLook:
    """What a drain would take: how many there are, and the first of them in its order.

    A number is `None` when its set cannot be read. `fault` is why the script would refuse.
    `pending_children` and `scheduled_children` are those that a flow parent waits for, or one in
    another queue may, among the first 500 of each set; `is_cut` says that there are others which
    were not looked at.
    """

    pending: int | None
    scheduled: int | None
    pending_children: int
    scheduled_children: int
    is_cut: bool
    first_pending: tuple[str, ...]
    first_scheduled: tuple[str, ...]
    fault: str | None


@dataclass(frozen=True)
class Hoard:
    """All that is known to be of a queue, by kind; `None` where it cannot be read.

    `counts` are its jobs and counters. `limits`, `weights` and `paused_lanes` are settings of
    lanes, `signals` what waits in the flow outbox, `audit` the entries of the audit, which stays.
    `fault` is why the script would refuse.
    """

    counts: QueueCounts
    limits: int | None
    weights: int | None
    paused_lanes: int | None
    signals: int | None
    audit: int | None
    fault: str | None

    @property
    def jobs(self) -> dict[str, int | None]:
        """The jobs by where they are."""
        of = self.counts
        return {
            "pending": of.pending,
            "in lanes": of.lanes_pending,
            "scheduled": of.scheduled,
            "dead": of.dead,
            "active": of.active,
        }


def drain_look(client: redis.Redis, queue: str) -> DrainLook:
    """What a drain now would take. One round trip, and three more where jobs have parents."""
    keys, batch = Keyspace(queue), Batch(client)
    types = KeyTypes(keys, batch)
    sizes = [batch.ask("zcard", key) for key in (keys.pending, keys.schedule)]
    firsts = [batch.ask("zrange", key, 0, ASKED - 1) for key in (keys.pending, keys.schedule)]
    batch.run()
    pending, scheduled = map(_size, sizes)
    first_pending, first_scheduled = map(_ids, firsts)
    children = _Children(client, keys, {*first_pending, *first_scheduled})
    return DrainLook(
        pending=pending,
        scheduled=scheduled,
        pending_children=len(children.found & {*first_pending}),
        scheduled_children=len(children.found & {*first_scheduled}),
        is_cut=children.is_cut or max(pending or 0, scheduled or 0) > ASKED,
        first_pending=first_pending[:NAMED],
        first_scheduled=first_scheduled[:NAMED],
        fault=types.refusal,
    )


class _Children:
    """Which of some jobs a flow parent waits for, as the script judges it."""

    def __init__(self, client: redis.Redis, keys: Keyspace, job_ids: set[str]) -> None:
        self._client, self._keys = client, keys
        self.found: set[str] = set()
        self.is_cut = False
        told = self._parents(self._with_parent(job_ids))
        batch = Batch(client)
        states: dict[str, Answer] = {}
        for job_id, answer in told.items():
            parent, queue = answer.value or (None, None)
            if parent is not None and queue not in (None, to_wire(keys.queue)):
                self.found.add(job_id)
            elif parent is not None:
                states[job_id] = batch.ask("hstrlen", keys.job(from_wire(parent)), "state")
        batch.run()
        # No other word of a state is as long.
        self.found |= {job_id for job_id, state in states.items() if state.value == _AWAITS}

    def _with_parent(self, job_ids: set[str]) -> list[str]:
        batch, row = Batch(self._client), self._keys.job
        lengths = {
            job_id: [batch.ask("hstrlen", row(job_id), name) for name in ("parent", "parent_queue")]
            for job_id in job_ids
        }
        batch.run()
        having = {
            job_id: max(parent.value, queue.value or 0)
            for job_id, (parent, queue) in lengths.items()
            if parent.value
        }
        self.is_cut = any(length > _LONGEST_NAME for length in having.values())
        return [job_id for job_id, length in having.items() if length <= _LONGEST_NAME]

    def _parents(self, job_ids: list[str]) -> dict[str, Answer]:
        batch = Batch(self._client)
        told = {
            job_id: batch.ask("hmget", self._keys.job(job_id), "parent", "parent_queue")
            for job_id in job_ids
        }
        batch.run()
        return told


def hoard(client: redis.Redis, queue: str, lanes: Sequence[str]) -> Hoard:
    """What an obliterate now would delete; `lanes` are those known from discovery."""
    _, (found,) = counts(client, {queue: lanes})
    keys, batch = Keyspace(queue), Batch(client)
    types = KeyTypes(keys, batch)
    limits, weights = batch.ask("hlen", keys.glimit), batch.ask("hlen", keys.gweight)
    paused, signals = batch.ask("scard", keys.paused), batch.ask("llen", keys.flow_outbox)
    audit = batch.ask("xlen", keys.audit)
    batch.run()
    return Hoard(
        counts=found,
        limits=_size(limits),
        weights=_size(weights),
        paused_lanes=_size(paused),
        signals=_size(signals),
        audit=_size(audit),
        fault=types.refusal,
    )


def _size(answer: Answer) -> int | None:
    return None if answer.fault else int(answer.value)


def _ids(answer: Answer) -> tuple[str, ...]:
    return tuple(map(from_wire, answer.value or ()))
