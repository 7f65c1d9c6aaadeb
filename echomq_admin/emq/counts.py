"""Sizes of queues, for all queues of a server in three round trips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import redis
from redis.exceptions import ResponseError

from .keyspace import Keyspace
from .lane_counts import LaneCounts, first_minted
from .lapses import LOOKED_AT, Lapse, LapsedRows
from .replies import Answer, Batch, integer, mistyped, now_ms

_LONGEST_COUNT = 32
# Of so many queues the lapsed leases are looked at, those first that have the most of them; they
# are chosen among so many whose ids are read, those first that lapsed first.
MOST_LAPSES = 20
MOST_LAPSED = 200
_ALONE = ("pending", "active", "scheduled", "dead", "lapsed", "repeats")


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Sizes of one queue. `None` is unknown ("?"); `faults` says why, one sentence a key.

    `pending` are the ungrouped waiting jobs, `lanes_pending` those in the lanes known or on the
    ring, `lanes` how many these are, `off_ring` how many should be on the ring and are not.
    `lapsed` are the leases whose deadline has passed, the first of them at `lapsed_ms` (unix ms,
    whatever number the score is); `lapse` says what a sweep would do, where it was looked at.
    `oldest_ms` is when the oldest waiting job was minted, `None` also when no job says so.
    `repeats` are the repeatables, `due` the scheduled jobs whose time has come. `now_ms` is the
    server's clock when all this was read.
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
    oldest_ms: int | None = None
    off_ring: int | None = None
    repeats: int | None = None
    lapsed_ms: float | None = None
    lapse: Lapse | None = None
    now_ms: int = 0
    due: int | None = None

    @property
    def waiting(self) -> int | None:
        """All waiting jobs, outside of lanes and in them."""
        parts = (self.pending, self.lanes_pending)
        return None if None in parts else sum(filter(None, parts))

    @property
    def is_history(self) -> bool:
        """Whether no job and no repeatable is left, so that nothing but counters and settings is
        there."""
        return self.waiting == self.active == self.scheduled == self.dead == self.repeats == 0

    @property
    def is_bare(self) -> bool:
        """Whether not even a counter or a pause is there."""
        return self.is_history and self.completed == self.failed == 0 and self.paused is False


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
    client: redis.Redis,
    lanes_by_queue: Mapping[str, Sequence[str]],
    heard: Callable[[], None] | None = None,
) -> tuple[int, list[QueueCounts]]:
    """The server's now in ms, and the sizes of these queues in the order given.

    `heard` is called whenever the server has answered.
    """
    first, second, third = (Batch(client, heard) for _ in range(3))
    time = first.ask("time")
    asked = [_Counting(queue, lanes, first) for queue, lanes in lanes_by_queue.items()]
    first.run()
    now = now_ms(time)
    lapsed = [queue for queue in asked if queue.has_lapsed(now)]
    lapsed = sorted(lapsed, key=lambda queue: queue.soonest or 0)[:MOST_LAPSED]
    for queue in lapsed:
        queue.ask_lapsed(second, now)
    for queue in asked:
        queue.ask_again(second, now)
    second.run()
    lapsed.sort(key=lambda queue: queue.lapsed or 0, reverse=True)
    for queue in asked:
        queue.ask_rest(third)
    for queue in lapsed[:MOST_LAPSES]:
        queue.ask_rows(third)
    third.run()
    return now, [queue.counts(now) for queue in asked]


class _Counting:
    """What is asked of one queue in the three round trips."""

    def __init__(self, queue: str, lanes: Sequence[str], batch: Batch) -> None:
        self._queue = queue
        self._keys = keys = Keyspace(queue)
        self._cells = {
            "pending": batch.ask("zcard", keys.pending),
            "active": batch.ask("zcard", keys.active),
            "scheduled": batch.ask("zcard", keys.schedule),
            "dead": batch.ask("zcard", keys.dead),
            "repeats": batch.ask("zcard", keys.repeat),
            "paused": batch.ask("hexists", keys.meta, "paused"),
        }
        self._first = batch.ask("zrange", keys.pending, 0, 0)
        self._soonest = batch.ask("zrange", keys.active, 0, 0, withscores=True)
        self._lengths = {
            "completed": batch.ask("hstrlen", keys.completed, "count"),
            "failed": batch.ask("hstrlen", keys.failed, "count"),
        }
        self._lanes = LaneCounts(keys, lanes, batch)
        self._types: dict[str, Answer] = {}
        self._members: Answer | None = None
        self._rows: LapsedRows | None = None
        self._due: Answer | None = None

    @property
    def soonest(self) -> float | None:
        """The lowest deadline, unix ms."""
        return float(self._soonest.value[0][1]) if self._soonest.value else None

    @property
    def lapsed(self) -> int | None:
        """Counted in the same key as the active ones, so its fault is told there."""
        answer = self._cells.get("lapsed")
        if self._soonest.fault or (answer is not None and answer.fault):
            return None
        return int(answer.value) if answer is not None else 0

    def has_lapsed(self, now: int) -> bool:
        """Whether the deadline of any lease has passed."""
        return self.soonest is not None and self.soonest <= now

    def ask_lapsed(self, batch: Batch, now: int) -> None:
        """The ids that a sweep would take first."""
        self._members = batch.ask(
            "zrange", self._keys.active, "-inf", now, byscore=True, offset=0, num=LOOKED_AT
        )

    def ask_again(self, batch: Batch, now: int) -> None:
        """What needs the first answers: lapsed leases, the ring, counters short enough for
        numbers."""
        self._lanes.ask_again(batch)
        if self._cells["scheduled"].value:
            self._due = batch.ask("zcount", self._keys.schedule, "-inf", now)
        if self.has_lapsed(now):
            self._cells["lapsed"] = batch.ask("zcount", self._keys.active, "-inf", now)
        for name, answer in (self._cells | self._lengths | {"ring": self._lanes.ring}).items():
            if answer.is_mistyped:
                self._types[name] = batch.ask("type", self._key(name)[0])
        metrics = {"completed": self._keys.completed, "failed": self._keys.failed}
        for name, key in metrics.items():
            length = self._lengths[name]
            is_short = not length.fault and length.value <= _LONGEST_COUNT
            self._cells[name] = batch.ask("hget", key, "count") if is_short else length

    def ask_rest(self, batch: Batch) -> None:
        """What needs the second answers: lanes the ring does not show."""
        self._lanes.ask_rest(batch)

    def ask_rows(self, batch: Batch) -> None:
        """The rows of the leases that a sweep would take first."""
        if self._members is not None and self._members.value:
            self._rows = LapsedRows(self._keys, self._members.value, self._lanes.lost, batch)

    def counts(self, now: int) -> QueueCounts:
        faults: list[str] = []
        sizes = {name: self._size(name, faults) for name in _ALONE}
        paused = self._size("paused", faults)
        ring = self._lanes.ring.fault
        if ring:
            faults.append(self._reason("ring", ring))
        return QueueCounts(
            queue=self._queue,
            lanes=len(self._lanes),
            lanes_pending=self._lanes.jobs(faults),
            off_ring=None if ring and len(self._lanes) else self._lanes.off_ring(faults),
            completed=self._metric("completed", faults),
            failed=self._metric("failed", faults),
            paused=None if paused is None else bool(paused),
            oldest_ms=min((*first_minted([self._first]), *self._lanes.minted_ms()), default=None),
            lapsed_ms=self.soonest if self.has_lapsed(now) else None,
            lapse=self._rows.lapse(sizes["lapsed"] or 0) if self._rows else None,
            faults=tuple(faults),
            now_ms=now,
            due=self._how_many_due(),
            **sizes,
        )

    def _how_many_due(self) -> int | None:
        if self._due is None:
            return None if self._cells["scheduled"].fault else 0
        return None if self._due.fault else int(self._due.value)

    def _key(self, name: str) -> tuple[bytes, bytes]:
        """The key that a cell is read from, and the type it should have."""
        keys = self._keys
        return {
            "pending": (keys.pending, b"zset"),
            "active": (keys.active, b"zset"),
            "scheduled": (keys.schedule, b"zset"),
            "dead": (keys.dead, b"zset"),
            "repeats": (keys.repeat, b"zset"),
            "paused": (keys.meta, b"hash"),
            "ring": (keys.ring, b"list"),
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
        if name == "lapsed":
            return self.lapsed
        answer = self._cells[name]
        if answer.fault:
            faults.append(self._reason(name, answer.fault))
            return None
        return int(answer.value)

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
