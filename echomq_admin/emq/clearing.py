"""What a drain or an obliterate would delete, counted without deleting it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import redis

from .counts import QueueCounts, counts
from .key_types import KeyTypes
from .keyspace import Keyspace, from_wire
from .replies import Answer, Batch

# So many ids of each set are named.
NAMED = 20


@dataclass(frozen=True)
class DrainLook:
    """What a drain would take: how many there are, and the first of them in its order.

    A number is `None` when its set cannot be read. `fault` is why the script would refuse.
    """

    pending: int | None
    scheduled: int | None
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
    """What a drain now would take. One round trip."""
    keys, batch = Keyspace(queue), Batch(client)
    types = KeyTypes(keys, batch)
    sizes = [batch.ask("zcard", key) for key in (keys.pending, keys.schedule)]
    firsts = [batch.ask("zrange", key, 0, NAMED - 1) for key in (keys.pending, keys.schedule)]
    batch.run()
    pending, scheduled = map(_size, sizes)
    first_pending, first_scheduled = map(_ids, firsts)
    return DrainLook(pending, scheduled, first_pending, first_scheduled, types.refusal)


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
