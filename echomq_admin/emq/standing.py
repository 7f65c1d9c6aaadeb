"""Where named jobs stand, read in bulk: what the verbs on named jobs decide by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import redis

from .calls import chunks
from .dedup import DedupKey
from .keyspace import Keyspace, from_wire, to_wire
from .replies import Answer, Batch, integer, now_ms
from .sides import Side
from .whereabouts import Place, sets_of

_FIELDS = ("attempts", "stalled", "group", "state", "parent", "parent_queue")
_AWAITS = b"awaiting_children"


@dataclass(frozen=True)
class Standing:
    """One job as the scripts would judge it.

    `attempts` is `None` when no verb can work on the row: it is missing (`has_row`), no hash
    (`is_hash`), or its attempts are no integer. `held` are the sets that hold the id, "lane" for
    the lane of its row's group; `is_homeless` when that lane is no sorted set. `remaining_ms` is
    what is left of its lease, negative when it has lapsed, `None` without one. `is_child`: a
    parent waits for it, or lies in another queue; `parent` and `parent_queue` name it. `awaits`:
    it waits for children.
    """

    job_id: str
    has_row: bool
    attempts: int | None
    stalled: int | None
    group: str | None
    held: frozenset[Place]
    remaining_ms: float | None = None
    is_hash: bool = True
    is_homeless: bool = False
    is_locked: bool = False
    is_child: bool = False
    awaits: bool = False
    parent: str | None = None
    parent_queue: str | None = None


class Beside(Protocol):
    """What else is asked along with the two looks at jobs."""

    def ask(self, batch: Batch) -> None: ...

    def ask_again(self, batch: Batch) -> None: ...


def standings(
    client: redis.Redis, queue: str, job_ids: Iterable[str], beside: Beside | None = None
) -> tuple[Standing, ...]:
    """One record per id, in their order, from two looks of two and at most five commands a job.

    Texts are not read, so that the work depends on the number of jobs only.
    """
    first, second = Batch(client), Batch(client)
    time, jobs = _ask(Keyspace(queue), job_ids, first)
    if beside:
        beside.ask(first)
    first.run()
    for job in jobs:
        job.ask_again(second)
    if beside:
        beside.ask_again(second)
    second.run()
    now = now_ms(time)
    return tuple(job.standing(now) for job in jobs)


def keyed_standing(
    client: redis.Redis, queue: str, job_id: str, beside: Beside | None = None
) -> tuple[Standing, str | None]:
    """One job, and the name of the idempotency key that its row names if that holds it, from three
    looks."""
    keys, first, second, third = Keyspace(queue), Batch(client), Batch(client), Batch(client)
    time, (job,) = _ask(keys, [job_id], first)
    dedup = DedupKey(keys, job_id, first)
    if beside:
        beside.ask(first)
    first.run()
    job.ask_again(second)
    if beside:
        beside.ask_again(second)
    dedup.ask_second(second)
    second.run()
    dedup.ask_third(third)
    third.run()
    return job.standing(now_ms(time)), dedup.own


def _ask(keys: Keyspace, job_ids: Iterable[str], batch: Batch) -> tuple[Answer, list[_Job]]:
    """The server's time and the first look at each job."""
    time, jobs = batch.ask("time"), []
    for chunk in chunks(job_ids):
        scores = _scores(keys, chunk, batch)
        jobs += [_Job(keys, job_id, scores, at, batch) for at, job_id in enumerate(chunk)]
    return time, jobs


def _scores(keys: Keyspace, job_ids: list[str], batch: Batch) -> dict[Place, Answer]:
    """The scores of some jobs in each set, one command a set."""
    members = [to_wire(job_id) for job_id in job_ids]
    return {place: batch.ask("zmscore", key, members) for place, key in sets_of(keys).items()}


class _Job:
    """What is asked of one job in the two looks. `scores` are those of its chunk, of which it is
    the one `at` that place."""

    def __init__(
        self, keys: Keyspace, job_id: str, scores: Mapping[Place, Answer], at: int, batch: Batch
    ) -> None:
        self._keys, self._job_id = keys, job_id
        self._scores, self._at = scores, at
        self._row = batch.ask("hmget", keys.job(job_id), _FIELDS)
        self._lock = batch.ask("exists", keys.lock(job_id))
        self._exists, self._parent_state, self._lane = Answer(), Answer(), Answer()
        self._lock_side: Side | None = None

    @property
    def _fields(self) -> Mapping[str, bytes | None]:
        return dict(zip(_FIELDS, self._row.value or (None,) * len(_FIELDS), strict=True))

    @property
    def _group(self) -> str | None:
        return _name(self._fields["group"])

    @property
    def _is_elsewhere(self) -> bool:
        """Whether the parent lies in another queue, so that nobody here can see its row."""
        there = _name(self._fields["parent_queue"])
        return there is not None and there != self._keys.queue

    def ask_again(self, batch: Batch) -> None:
        """What depends on the row: its lane, its parent, and whether there is one at all."""
        if not any(self._fields.values()):
            self._exists = batch.ask("exists", self._keys.job(self._job_id))
        if self._group is not None:
            self._lane = batch.ask("zscore", self._keys.lane(self._group), to_wire(self._job_id))
        parent = _name(self._fields["parent"])
        if parent is not None and not self._is_elsewhere:
            self._parent_state = batch.ask("hget", self._keys.job(parent), "state")
        if self._lock.value:
            self._lock_side = Side(self._keys.lock(self._job_id), batch)

    def standing(self, now: int) -> Standing:
        found, deadline = self._fields, self._score("active")
        parent = _name(found["parent"])
        awaited = self._parent_state.value == _AWAITS
        return Standing(
            job_id=self._job_id,
            has_row=any(found.values()) or bool(self._exists.value),
            attempts=self._attempts(),
            stalled=integer(found["stalled"]),
            group=self._group,
            held=self._held(),
            remaining_ms=None if deadline is None else deadline - now,
            is_hash=not self._row.fault,
            is_homeless=self._lane.is_mistyped,
            is_locked=self._lock_side is not None and not self._lock_side.is_row,
            is_child=parent is not None and (self._is_elsewhere or awaited),
            awaits=found["state"] == _AWAITS,
            parent=parent,
            parent_queue=_name(found["parent_queue"]) if self._is_elsewhere else None,
        )

    def _score(self, place: Place) -> float | None:
        scores = self._scores[place].value
        return None if scores is None or scores[self._at] is None else float(scores[self._at])

    def _attempts(self) -> int | None:
        has_row = any(self._fields.values()) or bool(self._exists.value)
        return integer(self._fields["attempts"]) if has_row and not self._row.fault else None

    def _held(self) -> frozenset[Place]:
        sets = {place for place in self._scores if self._score(place) is not None}
        return frozenset(sets | ({"lane"} if self._lane.value is not None else set()))


def _name(raw: bytes | None) -> str | None:
    return None if raw is None else from_wire(raw)
