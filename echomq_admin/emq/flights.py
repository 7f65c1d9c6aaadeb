"""Leases in flight of many queues at once, for one who looks again and again: whole active sets,
what is left of each lease that changed, and how many jobs died meanwhile.

At most four round trips, whatever the number of queues, but for very many commands. A row is read
by one HMGET: what a script wrote of it together is seen together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import redis

from .batched import batched
from .keyspace import Keyspace, from_wire
from .lean import LONGEST_ERROR, LeanRow, Room
from .replies import Answer, Batch, integer, now_ms
from .sights import ACTIVE, NEWEST, TOLD_APART, Active, Actives, Rows, Sight, Sights, Wanted

# So many leases of a queue are looked at, those first that lapse first.
MOST = 50_000
# Of the errors of one look so many bytes are read.
MOST_ERRORS = 16_000_000
_LONGEST_NUMBER = 32
# So many members are asked for by one ZMSCORE.
_SCORES = 500
_COUNTERS = ("state", "attempts", "stalled")


def active_sets(
    client: redis.Redis, queues: Iterable[str], counted: Collection[str] = ()
) -> Actives:
    """The leases of these queues, and the count of deaths of those `counted`, where it was a number
    before. One round trip; raises redis-py's errors."""
    batch = Batch(client)
    before = batch.ask("time")
    asked = {}
    for queue in queues:
        keys = Keyspace(queue)
        failed = batch.ask("hget", keys.failed, "count") if queue in counted else None
        asked[queue] = failed, batch.ask("zrange", keys.active, 0, MOST, withscores=True)
    after = batch.ask("time")
    batch.run()
    sets = {queue: _active(answer, failed) for queue, (failed, answer) in asked.items()}
    return Actives(now_ms(before), now_ms(after), sets)


def sights(client: redis.Redis, wanted: Mapping[str, Wanted]) -> Sights:
    """What is left of these leases. Three round trips at most; raises redis-py's errors."""
    looks = [_Look(queue, each) for queue, each in wanted.items()]
    room = Room(MOST_ERRORS)
    batch = Batch(client)
    for look in looks:
        look.ask_first(batch)
    until = batch.ask("time")
    batch.run()
    for step in (_Look.ask_second, _Look.ask_third):
        asked = [step(look, batch, room) for look in looks]
        if any(asked):
            until = batch.ask("time")
            batch.run()
    return Sights(now_ms(until), {look.queue: look.found() for look in looks})


def _active(answer: Answer, failed: Answer | None) -> Active:
    if answer.fault:
        return Active(fault=answer.fault)
    pairs, count = answer.value, _number(failed)
    if len(pairs) <= MOST:
        return Active(dict(pairs), failed=count)
    return Active(dict(pairs[:MOST]), pairs[MOST][1], failed=count)


def _number(answer: Answer | None) -> int | None:
    return None if answer is None or answer.fault else integer(answer.value)


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
        self._before: Answer | None = None
        self._failed: Answer | None = None
        self._dead: Answer | None = None

    def ask_first(self, batch: Batch) -> None:
        """Lengths of new rows, the short fields of known ones, whether those gone have one."""
        self._length = batch.ask("hstrlen", self._keys.failed, "count")
        for raw in self._wanted.fresh:
            self._rows[raw] = _Row(self._keys, raw, None, batch)
        for raw in self._wanted.known:
            key = self._keys.job(from_wire(raw))
            self._short[raw] = batch.ask("hmget", key, _COUNTERS)
        for raw in self._wanted.gone:
            self._exists[raw] = batch.ask("exists", self._keys.job(from_wire(raw)))

    def ask_second(self, batch: Batch, room: Room) -> bool:
        """New rows; lengths of those known or gone that are not as they were."""
        self._before = self._ask_failed(batch)
        # Nothing but what tells their errors apart is of use now.
        _ask_values(self._keys, self._rows, batch, Room(room.left, TOLD_APART))
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
        if not self._late:
            self._ask_deaths(batch)
        return True

    def ask_third(self, batch: Batch, room: Room) -> bool:
        if not self._late:
            return False
        _ask_values(self._keys, self._late, batch, room)
        self._ask_deaths(batch)
        return True

    def found(self) -> Rows:
        for raw, row in (*self._rows.items(), *self._late.items()):
            self._found[raw] = row.sight()
        dead = None if self._dead is None or self._dead.fault else self._dead.value
        return Rows(self._found, _number(self._before), _number(self._failed), dead)

    def _ask_deaths(self, batch: Batch) -> None:
        """The count last: nobody is among the dead who is not counted. One who was in flight when
        the active set was read may have died since."""
        if self._wanted.with_dead or self._late:
            self._dead = batch.ask("zrange", self._keys.dead, -NEWEST, -1, withscores=True)
        self._failed = self._ask_failed(batch)

    def _ask_failed(self, batch: Batch) -> Answer | None:
        is_short = (self._length.value or 0) <= _LONGEST_NUMBER
        return batch.ask("hget", self._keys.failed, "count") if is_short else None

    def _is_unchanged(self, raw: bytes, answer: Answer) -> bool:
        if answer.fault:
            return False
        state, attempts, stalled = answer.value
        counters = integer(attempts), integer(stalled) or 0
        return bool(state == ACTIVE and counters == self._wanted.known[raw])


def _ask_values(keys: Keyspace, rows: Mapping[bytes, _Row], batch: Batch, room: Room) -> None:
    """Ask for rows, then for their places, for the deadlines last: they are newer than all else."""
    there = {raw: row for raw, row in rows.items() if row.is_there}
    for row in there.values():
        row.ask(batch, room)
    for some in batched(there, _SCORES):
        for key in (keys.pending, keys.schedule, keys.dead, keys.active):
            answer = batch.ask("zmscore", key, some)
            for at, raw in enumerate(some):
                there[raw].scores.append((answer, at))


class _Row(LeanRow):
    """One row, and where its job stands."""

    def __init__(self, keys: Keyspace, raw: bytes, lane: str | None, batch: Batch) -> None:
        super().__init__(keys, from_wire(raw), batch)
        self._keys, self._raw, self._lane = keys, raw, lane
        self._in_lane = Answer()
        # Of pending, schedule, dead and active.
        self.scores: list[tuple[Answer, int]] = []

    @property
    def is_there(self) -> bool:
        """Whether there is a row with a state or attempts, and it can be read."""
        return any(self.length(name) for name in ("state", "attempts"))

    def ask(self, batch: Batch, room: Room) -> None:
        super().ask(batch, room)
        if self._lane is not None:
            self._in_lane = batch.ask("zscore", self._keys.lane(self._lane), self._raw)

    def sight(self) -> Sight:
        found = self.values()
        if not found or self._is_empty(found):
            return Sight(False)
        error, size = self.error()
        pending, run_at_ms, dead, deadline_ms = map(_score, self.scores)
        return Sight(
            True,
            state=found.get("state"),
            attempts=integer(found["attempts"]) if "attempts" in found else None,
            stalled=(integer(found["stalled"]) or 0) if "stalled" in found else 0,
            lane=from_wire(group) if (group := found.get("group")) is not None else None,
            error=_measured(error, size),
            error_size=size,
            deadline_ms=deadline_ms,
            waits=pending is not None or self._in_lane.value is not None,
            is_dead=dead is not None,
            run_at_ms=run_at_ms,
        )

    @staticmethod
    def _is_empty(found: Mapping[str, bytes | None]) -> bool:
        """Whether a field that a row has to have was read and is not there."""
        return all(name in found and found[name] is None for name in ("state", "attempts"))


def _measured(error: bytes | None, size: int | None) -> bytes | None:
    """An error; empty where its size has to stand for it. It may have grown since that was read."""
    is_read = error is not None and len(error) <= LONGEST_ERROR
    return error if is_read or size is None else b""


def _score(asked: tuple[Answer, int]) -> float | None:
    answer, at = asked
    score = None if answer.fault else answer.value[at]
    return None if score is None else float(score)
