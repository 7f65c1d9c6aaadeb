"""Sizes of queues, for all queues of a server in two round trips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import redis
from redis.exceptions import ResponseError

from .keyspace import Keyspace, from_wire
from .replies import Answer, Batch, integer, mistyped, now_ms

_LONGEST_COUNT = 32
# How many lanes are read off the ring: a lane that came into being since the last discovery
# stands there as soon as it can be served.
RING_LOOK = 100


@dataclass(frozen=True)
class QueueCounts:
    """Sizes of one queue. `None` is unknown ("?"); `faults` says why, one sentence a key.

    `pending` are the ungrouped waiting jobs, `lanes_pending` those in the lanes known or on the
    ring, `lanes` how many these are, `lapsed` the leases whose deadline has passed.
    """

    queue: str
    pending: int | None
    lanes_pending: int | None
    lanes: int
    active: int | None
    lapsed: int | None
    scheduled: int | None
    dead: int | None
    completed: int | None
    failed: int | None
    paused: bool | None
    faults: tuple[str, ...] = ()


def server_now_ms(client: redis.Redis) -> int:
    """The server's clock, unix ms."""
    batch = Batch(client)
    time = batch.ask("time")
    batch.run()
    return now_ms(time)


def exists(client: redis.Redis, queue: str) -> bool:
    """Whether any key of the queue exists that names neither a job nor a lane, or its audit.

    Raises `ResponseError` when the server refuses to say.
    """
    keys = Keyspace(queue)
    batch = Batch(client)
    answers = [batch.ask("exists", key) for key in (*keys.fixed, keys.audit)]
    batch.run()
    if any(answer.value for answer in answers):
        return True
    refusal = next((answer.fault for answer in answers if answer.fault), None)
    if refusal:
        raise ResponseError(refusal)
    return False


def counts(
    client: redis.Redis, lanes_by_queue: Mapping[str, Sequence[str]]
) -> tuple[int, list[QueueCounts]]:
    """The server's now in ms, and the sizes of these queues in the order given."""
    first, second = Batch(client), Batch(client)
    time = first.ask("time")
    asked = [_Counting(queue, lanes, first) for queue, lanes in lanes_by_queue.items()]
    first.run()
    now = now_ms(time)
    for queue in asked:
        queue.ask_again(second, now)
    second.run()
    return now, [queue.counts() for queue in asked]


class _Counting:
    """What is asked of one queue in the two round trips."""

    def __init__(self, queue: str, lanes: Sequence[str], batch: Batch) -> None:
        self._queue = queue
        self._keys = keys = Keyspace(queue)
        self._cells = {
            "pending": batch.ask("zcard", keys.pending),
            "active": batch.ask("zcard", keys.active),
            "scheduled": batch.ask("zcard", keys.schedule),
            "dead": batch.ask("zcard", keys.dead),
            "paused": batch.ask("hexists", keys.meta, "paused"),
        }
        self._types: dict[str, Answer] = {}
        self._known, self._lanes = lanes, list[Answer]()
        self._ring = batch.ask("lrange", keys.ring, 0, RING_LOOK - 1)
        self._lengths = {
            "completed": batch.ask("hstrlen", keys.completed, "count"),
            "failed": batch.ask("hstrlen", keys.failed, "count"),
        }

    def ask_again(self, batch: Batch, now: int) -> None:
        """What needs the first answers: lapsed leases, lanes, counters short enough for numbers."""
        on_ring = [] if self._ring.fault else map(from_wire, self._ring.value)
        lanes = dict.fromkeys((*self._known, *on_ring))
        self._lanes = [batch.ask("zcard", self._keys.lane(group)) for group in lanes]
        self._cells["lapsed"] = batch.ask("zcount", self._keys.active, "-inf", now)
        for name, answer in (self._cells | self._lengths).items():
            if answer.is_mistyped:
                self._types[name] = batch.ask("type", self._key(name)[0])
        metrics = {"completed": self._keys.completed, "failed": self._keys.failed}
        for name, key in metrics.items():
            length = self._lengths[name]
            is_short = not length.fault and length.value <= _LONGEST_COUNT
            self._cells[name] = batch.ask("hget", key, "count") if is_short else length

    def counts(self) -> QueueCounts:
        faults: list[str] = []
        sizes = {
            name: self._size(name, faults)
            for name in ("pending", "active", "scheduled", "dead", "lapsed")
        }
        paused = self._size("paused", faults)
        return QueueCounts(
            queue=self._queue,
            lanes=len(self._lanes),
            lanes_pending=self._in_lanes(faults),
            completed=self._metric("completed", faults),
            failed=self._metric("failed", faults),
            paused=None if paused is None else bool(paused),
            faults=tuple(faults),
            **sizes,
        )

    def _key(self, name: str) -> tuple[bytes, bytes]:
        """The key that a cell is read from, and the type it should have."""
        keys = self._keys
        return {
            "pending": (keys.pending, b"zset"),
            "active": (keys.active, b"zset"),
            "scheduled": (keys.schedule, b"zset"),
            "dead": (keys.dead, b"zset"),
            "paused": (keys.meta, b"hash"),
            "completed": (keys.completed, b"hash"),
            "failed": (keys.failed, b"hash"),
        }[name]

    def _reason(self, name: str, fault: str) -> str:
        """A sentence for a cell that cannot be read; it names the key and what the key holds."""
        found = self._types.get(name)
        if found is None or not found.value or found.value == b"none":
            return f"{name}: {fault}"
        key, wanted = self._key(name)
        return mistyped(key, found.value, wanted)

    def _size(self, name: str, faults: list[str]) -> int | None:
        answer = self._cells[name]
        if answer.fault:
            # The lapsed leases are counted in the same key as the active ones.
            if name != "lapsed" or not self._cells["active"].fault:
                faults.append(self._reason(name, answer.fault))
            return None
        return int(answer.value)

    def _in_lanes(self, faults: list[str]) -> int | None:
        broken = [lane.fault for lane in self._lanes if lane.fault]
        if broken:
            faults.append(f"{len(broken):,} of {len(self._lanes):,} lanes: {broken[0]}")
            return None
        return sum(int(lane.value) for lane in self._lanes)

    def _metric(self, name: str, faults: list[str]) -> int | None:
        answer = self._cells[name]
        count = None if answer.fault else _count(answer)
        if count is None:
            faults.append(self._reason(name, answer.fault or "the count is no integer"))
        return count


def _count(answer: Answer) -> int | None:
    """The stored count, 0 when absent; a length in its place means it was too long to be one."""
    raw = answer.value
    return None if isinstance(raw, int) else integer(raw)
