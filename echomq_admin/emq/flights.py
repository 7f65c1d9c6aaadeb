"""Leases in flight of many queues at once, for one who looks again and again: whole active sets,
and what is left of each lease that changed.

At most four round trips, whatever the number of queues, but for very many commands. A row is read
by one HMGET: what a script wrote of it together is seen together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2s

import redis

from .keyspace import Keyspace, from_wire
from .replies import Answer, Batch, integer, now_ms
from .rows import LONGEST_ID, LONGEST_NAME

# So many leases of a queue are looked at, those first that lapse first.
MOST = 50_000
# Longer errors are not read: their size stands for them.
LONGEST_ERROR = 65_536
ACTIVE = b"active"
_LONGEST_NUMBER = 32
# So many members are asked for by one ZMSCORE.
_SCORES = 500
_FIELDS = ("state", "attempts", "stalled", "group", "last_error")
_COUNTERS = _FIELDS[:3]
_MOST_BYTES = {
    "state": _LONGEST_NUMBER,
    "attempts": _LONGEST_NUMBER,
    "stalled": _LONGEST_NUMBER,
    "group": LONGEST_NAME,
    "last_error": LONGEST_ERROR,
}


@dataclass(frozen=True)
class Active:
    """An active set: wire id to deadline. It is whole unless `from_ms` is given: of what has that
    deadline or a later one, more may be there. `fault` says why it cannot be read."""

    deadlines: Mapping[bytes, float] = field(default_factory=dict)
    from_ms: float | None = None
    fault: str | None = None


@dataclass(frozen=True)
class Actives:
    """Active sets that were all read between `before_ms` and `after_ms` of the server's clock."""

    before_ms: int
    after_ms: int
    sets: Mapping[str, Active]


@dataclass(frozen=True)
class Wanted:
    """Ids of one queue whose rows to look at. `fresh` are in active and nothing is known of them.
    Of those `known`, in active still, attempts and stalls are given, `None` to look at the whole
    row all the same; of those `gone` from it the lane."""

    fresh: Sequence[bytes] = ()
    known: Mapping[bytes, tuple[int, int] | None] = field(default_factory=dict)
    gone: Mapping[bytes, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look at a job showed: its row at one instant, and then where it stood.

    Without a row nothing else is told. `attempts` is `None` where it is no number, `stalled` 0; a
    `lane` or `state` too long for a name is `None`. `error` is empty where only its size was read.
    `deadline_ms` is that in active just after the row was read, `None` when it was not there.
    `waits`: it then was in pending or in its lane, of a new lease in pending; `is_dead`: in dead;
    `run_at_ms`: its score in schedule. With `is_unchanged` nothing more was read: the job is in
    flight, with the attempts and stalls that were known.
    """

    has_row: bool
    state: bytes | None = None
    attempts: int | None = None
    stalled: int = 0
    lane: str | None = None
    error: bytes | None = None
    error_size: int | None = None
    deadline_ms: float | None = None
    waits: bool = False
    is_dead: bool = False
    run_at_ms: float | None = None
    is_unchanged: bool = False

    @property
    def mark(self) -> bytes | None:
        """What tells the error from others; `None` when there is none."""
        if self.error_size is None:
            return None
        return mark_of(self.error or b"", self.error_size)


@dataclass(frozen=True)
class Sights:
    """What was seen of each queue, all of it at `until_ms` of the server's clock or before."""

    until_ms: int
    of: Mapping[str, Mapping[bytes, Sight]]


def mark_of(error: bytes, size: int) -> bytes:
    return blake2s(b"%d:" % size + error, digest_size=12).digest()


def active_sets(client: redis.Redis, queues: Iterable[str]) -> Actives:
    """The leases of these queues. One round trip; raises redis-py's errors."""
    batch = Batch(client)
    before = batch.ask("time")
    asked = {
        queue: batch.ask("zrange", Keyspace(queue).active, 0, MOST, withscores=True)
        for queue in queues
    }
    after = batch.ask("time")
    batch.run()
    sets = {queue: _active(answer) for queue, answer in asked.items()}
    return Actives(now_ms(before), now_ms(after), sets)


def sights(client: redis.Redis, wanted: Mapping[str, Wanted]) -> Sights:
    """What is left of these leases. Three round trips at most; raises redis-py's errors."""
    looks = [_Look(queue, each) for queue, each in wanted.items()]
    until = Answer()
    for step in (_Look.ask_first, _Look.ask_second, _Look.ask_third):
        batch = Batch(client)
        if sum(step(look, batch) for look in looks) or step is _Look.ask_first:
            until = batch.ask("time")
            batch.run()
    return Sights(now_ms(until), {look.queue: look.found() for look in looks})


def _active(answer: Answer) -> Active:
    if answer.fault:
        return Active(fault=answer.fault)
    pairs = answer.value
    if len(pairs) <= MOST:
        return Active(dict(pairs))
    return Active(dict(pairs[:MOST]), pairs[MOST][1])


class _Look:
    """The looks at the rows of one queue, in steps that share round trips with other queues."""

    def __init__(self, queue: str, wanted: Wanted) -> None:
        self.queue = queue
        self._keys = Keyspace(queue)
        self._wanted = wanted
        self._short: dict[bytes, Answer] = {}
        self._exists: dict[bytes, Answer] = {}
        self._rows: dict[bytes, _Row] = {}
        self._late: dict[bytes, _Row] = {}
        self._found: dict[bytes, Sight] = {}

    def ask_first(self, batch: Batch) -> int:
        """Lengths of new rows, the short fields of known ones, whether those gone have one."""
        for raw in self._wanted.fresh:
            self._rows[raw] = _Row(self._keys, raw, None, batch)
        for raw in self._wanted.known:
            key = self._keys.job(from_wire(raw))
            self._short[raw] = batch.ask("hmget", key, _COUNTERS)
        for raw in self._wanted.gone:
            self._exists[raw] = batch.ask("exists", self._keys.job(from_wire(raw)))
        return len(self._rows) + len(self._short) + len(self._exists)

    def ask_second(self, batch: Batch) -> int:
        """New rows; lengths of those known or gone that are not as they were."""
        values = _ask_values(self._keys, self._rows, batch)
        for raw, answer in self._short.items():
            if self._is_unchanged(raw, answer):
                self._found[raw] = Sight(True, is_unchanged=True)
            else:
                self._late[raw] = _Row(self._keys, raw, None, batch)
        for raw, answer in self._exists.items():
            if answer.fault or not answer.value:
                self._found[raw] = Sight(False)
            else:
                self._late[raw] = _Row(self._keys, raw, self._wanted.gone[raw], batch)
        return values + len(self._late)

    def ask_third(self, batch: Batch) -> int:
        return _ask_values(self._keys, self._late, batch)

    def found(self) -> Mapping[bytes, Sight]:
        for raw, row in (*self._rows.items(), *self._late.items()):
            self._found[raw] = row.sight()
        return self._found

    def _is_unchanged(self, raw: bytes, answer: Answer) -> bool:
        if answer.fault:
            return False
        state, attempts, stalled = answer.value
        counters = integer(attempts), integer(stalled) or 0
        return bool(state == ACTIVE and counters == self._wanted.known[raw])


def _ask_values(keys: Keyspace, rows: Mapping[bytes, _Row], batch: Batch) -> int:
    """Ask for rows, then for their places, for the deadlines last: they are newer than all else."""
    there = {raw: row for raw, row in rows.items() if row.is_there}
    for row in there.values():
        row.ask_values(batch)
    members = list(there)
    for start in range(0, len(members), _SCORES):
        some = members[start : start + _SCORES]
        for key in (keys.pending, keys.schedule, keys.dead, keys.active):
            answer = batch.ask("zmscore", key, some)
            for at, raw in enumerate(some):
                there[raw].scores.append((answer, at))
    return len(there)


class _Row:
    """One row: how long its fields are, and then those that are short."""

    def __init__(self, keys: Keyspace, raw: bytes, lane: str | None, batch: Batch) -> None:
        self._keys, self._raw, self._lane = keys, raw, lane
        self._key = keys.job(from_wire(raw))
        self._lengths: dict[str, Answer] = {}
        self._wanted: tuple[str, ...] = ()
        self._values = Answer()
        self._in_lane = Answer()
        # Of pending, schedule, dead and active.
        self.scores: list[tuple[Answer, int]] = []
        if len(raw) <= LONGEST_ID:
            for name in _FIELDS:
                self._lengths[name] = batch.ask("hstrlen", self._key, name)

    @property
    def is_there(self) -> bool:
        """Whether there is a row with a state or attempts, and it can be read."""
        return any(self._length(name) for name in ("state", "attempts"))

    def ask_values(self, batch: Batch) -> None:
        self._wanted = tuple(name for name in _FIELDS if self._length(name) <= _MOST_BYTES[name])
        self._values = batch.ask("hmget", self._key, self._wanted)
        if self._lane is not None:
            self._in_lane = batch.ask("zscore", self._keys.lane(self._lane), self._raw)

    def sight(self) -> Sight:
        if self._values.fault or not self._values.value:
            return Sight(False)
        found = dict(zip(self._wanted, self._values.value, strict=True))
        if found.get("state") is None and found.get("attempts") is None and self._is_short:
            return Sight(False)
        error, size = self._error(found)
        pending, run_at_ms, dead, deadline_ms = map(_score, self.scores)
        return Sight(
            True,
            state=found.get("state"),
            attempts=integer(found["attempts"]) if "attempts" in found else None,
            stalled=(integer(found["stalled"]) or 0) if "stalled" in found else 0,
            lane=None if found.get("group") is None else from_wire(found["group"]),
            error=error,
            error_size=size,
            deadline_ms=deadline_ms,
            waits=pending is not None or self._in_lane.value is not None,
            is_dead=dead is not None,
            run_at_ms=run_at_ms,
        )

    @property
    def _is_short(self) -> bool:
        return "state" in self._wanted and "attempts" in self._wanted

    def _length(self, name: str) -> int:
        answer = self._lengths.get(name)
        return int(answer.value or 0) if answer else 0

    def _error(self, found: Mapping[str, bytes | None]) -> tuple[bytes | None, int | None]:
        if "last_error" not in found:
            return b"", self._length("last_error")
        error = found["last_error"]
        if error is None:
            return None, None
        # It may have grown since its length was read.
        return (error if len(error) <= LONGEST_ERROR else b""), len(error)


def _score(asked: tuple[Answer, int]) -> float | None:
    answer, at = asked
    score = None if answer.fault else answer.value[at]
    return None if score is None else float(score)
