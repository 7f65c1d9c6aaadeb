"""Many dead sets looked through a little at a time: how large they are, some ids, lean rows.

Each function makes a bounded number of round trips for all of its queues together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import redis

from .keyspace import Keyspace, from_wire, to_wire
from .lean import LeanRow, Room
from .replies import Answer, Batch, integer, now_ms
from .rows import LONGEST_ID

# A counter that is longer is no integer.
_LONGEST_COUNT = 32
_DEAD = b"dead"
# Of the errors of one call so many bytes are read; beyond, they are only measured.
MOST_ERRORS = 4_000_000


@dataclass(frozen=True, slots=True)
class DeadSet:
    """How many jobs of a queue are dead, and how many failures it counts; `None` is unknown."""

    queue: str
    size: int | None
    failed: int | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a dead set: `count` ids behind `cursor`, empty for the first. With `is_tail` its
    last ids instead."""

    queue: str
    cursor: bytes
    count: int
    is_tail: bool = False


@dataclass(frozen=True, slots=True)
class DeadIds:
    """The ids of a stretch, and the cursor behind them, empty when the set has come to its end."""

    queue: str
    ids: tuple[str, ...]
    cursor: bytes


@dataclass(frozen=True, slots=True)
class DeadRow:
    """What tells of the death of a job that was dead when this was read. Counters that are no
    integers are `None`, and so are an absent error or lane and those too long to be read, of
    which `error_size` is known all the same."""

    job_id: str
    attempts: int
    stalled: int | None
    lane: str | None
    error: bytes | None
    error_size: int | None


def dead_sets(client: redis.Redis, queues: Iterable[str]) -> tuple[int, list[DeadSet]]:
    """The server's now in ms, and the dead sets of these queues. Two round trips."""
    batch = Batch(client)
    time = batch.ask("time")
    sizes = [(queue, Keyspace(queue)) for queue in queues]
    asked = [
        (queue, batch.ask("zcard", keys.dead), batch.ask("hstrlen", keys.failed, "count"))
        for queue, keys in sizes
    ]
    batch.run()
    counts = {
        queue: batch.ask("hget", Keyspace(queue).failed, "count")
        for queue, _, length in asked
        if length.value is not None and length.value <= _LONGEST_COUNT
    }
    batch.run()
    return now_ms(time), [
        DeadSet(queue, size.value, _integer(counts.get(queue))) for queue, size, _ in asked
    ]


def dead_ids(client: redis.Redis, stretches: Sequence[Stretch]) -> list[DeadIds]:
    """The ids of each stretch. At most two round trips.

    A set is in the order of its ids where all scores are equal, as they should be; one whose
    scores differ is cut by rank, so that what is taken out of it meanwhile makes the cut skip.
    """
    batch = Batch(client)
    asked = [_Ids(stretch) for stretch in stretches]
    for ids in asked:
        ids.ask(batch)
    batch.run()
    for ids in asked:
        ids.ask_again(batch)
    batch.run()
    return [ids.found() for ids in asked]


def dead_attempts(
    client: redis.Redis, ids_by_queue: Mapping[str, Iterable[str]]
) -> dict[tuple[str, str], int]:
    """The attempts of these jobs; those whose row is gone or says no integer are left out, and
    those whose id is too long for a row to be read. Two round trips."""
    batch = Batch(client)
    lengths = {
        (queue, job_id): batch.ask("hstrlen", Keyspace(queue).job(job_id), "attempts")
        for queue, ids in ids_by_queue.items()
        for job_id in ids
        if len(job_id) <= LONGEST_ID
    }
    batch.run()
    short = {
        job: batch.ask("hget", Keyspace(job[0]).job(job[1]), "attempts")
        for job, length in lengths.items()
        if length.value and length.value <= _LONGEST_COUNT
    }
    batch.run()
    found = {job: _integer(answer) for job, answer in short.items() if answer.value is not None}
    return {job: attempts for job, attempts in found.items() if attempts is not None}


def said_dead(
    client: redis.Redis, raws_by_queue: Mapping[str, Iterable[bytes]]
) -> dict[str, set[bytes]]:
    """Of these wire ids of each queue those whose row says by its state that the job is dead; what
    a script has set aside for its row is among the dead and says otherwise. Two round trips, none
    for no ids."""
    batch = Batch(client)
    lengths = {
        (queue, raw): batch.ask("hstrlen", Keyspace(queue).job(from_wire(raw)), "state")
        for queue, raws in raws_by_queue.items()
        for raw in raws
    }
    batch.run()
    states = {
        (queue, raw): batch.ask("hget", Keyspace(queue).job(from_wire(raw)), "state")
        for (queue, raw), length in lengths.items()
        if length.value == len(_DEAD)
    }
    batch.run()
    found: dict[str, set[bytes]] = {queue: set() for queue in raws_by_queue}
    for (queue, raw), state in states.items():
        if state.value == _DEAD:
            found[queue].add(raw)
    return found


def dead_rows(client: redis.Redis, queue: str, ids: Sequence[str]) -> tuple[int, list[DeadRow]]:
    """The server's clock before they were read, in ms, and the rows of these jobs as far as they
    are dead, also by their state, and have integer attempts. Two round trips.

    A script that sets an unreadable row aside puts its id among the dead and leaves its state.
    """
    batch, keys = Batch(client), Keyspace(queue)
    time = batch.ask("time")
    rows = [_Row(keys, job_id, batch) for job_id in ids]
    batch.run()
    room = Room(MOST_ERRORS)
    for row in rows:
        row.ask(batch, room)
    batch.run()
    return now_ms(time), [told for row in rows if (told := row.told())]


class _Ids:
    """What is asked of one dead set."""

    def __init__(self, stretch: Stretch) -> None:
        self._stretch = stretch
        self._key = Keyspace(stretch.queue).dead
        self._ends: list[Answer] = []
        self._by_rank: Answer | None = None

    def ask(self, batch: Batch) -> None:
        wanted = self._stretch
        if wanted.is_tail:
            self._found = batch.ask("zrange", self._key, -wanted.count, -1)
            return
        ends = ((0, 0), (-1, -1))
        self._ends = [batch.ask("zrange", self._key, *at, withscores=True) for at in ends]
        behind = b"(" + wanted.cursor if wanted.cursor else b"-"
        self._found = batch.ask("zrangebylex", self._key, behind, "+", 0, wanted.count)

    def ask_again(self, batch: Batch) -> None:
        if self._is_mixed:
            rank, count = self._rank, self._stretch.count
            self._by_rank = batch.ask("zrange", self._key, rank, rank + count - 1)

    def found(self) -> DeadIds:
        found = self._found if self._by_rank is None else self._by_rank
        ids, cursor = found.value or [], b""
        if ids and len(ids) == self._stretch.count and not self._stretch.is_tail:
            rank = b"%d" % (self._rank + len(ids))
            cursor = ids[-1] if self._by_rank is None else rank
        return DeadIds(self._stretch.queue, tuple(map(from_wire, ids)), cursor)

    @property
    def _is_mixed(self) -> bool:
        scores = {end.value[0][1] for end in self._ends if end.value}
        return len(scores) > 1

    @property
    def _rank(self) -> int:
        return max(0, integer(self._stretch.cursor or None) or 0)


class _Row(LeanRow):
    """One row, and whether its job is dead."""

    def __init__(self, keys: Keyspace, job_id: str, batch: Batch) -> None:
        super().__init__(keys, job_id, batch)
        self._dead, self._job_id = keys.dead, job_id
        self._score = Answer()

    def ask(self, batch: Batch, room: Room) -> None:
        super().ask(batch, room)
        self._score = batch.ask("zscore", self._dead, to_wire(self._job_id))

    def told(self) -> DeadRow | None:
        """The row; `None` when it tells nothing, or was not dead any more behind the look."""
        values = self.values()
        attempts, group = values.get("attempts"), values.get("group")
        number = integer(attempts) if attempts is not None else None
        if number is None or self._score.value is None or values.get("state") != _DEAD:
            return None
        error, size = self.error()
        return DeadRow(
            self._job_id,
            number,
            integer(values.get("stalled")) if "stalled" in values else None,
            from_wire(group) if group is not None else None,
            error,
            size,
        )


def _integer(answer: Answer | None) -> int | None:
    return None if answer is None or answer.fault else integer(answer.value)
