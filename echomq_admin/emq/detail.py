"""One job, whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import redis

from .dedup import DEDUP_FIELDS
from .fields import Field, Fields
from .flow import PARENT_FIELDS, Flow, Kin
from .key_types import KeyTypes
from .keyspace import Keyspace, from_wire, to_wire
from .lanes import Lanes, LaneState
from .lost import NamedLanes
from .replies import Answer, Batch, now_ms
from .rows import ROW_MISSING, Job, Rows
from .sides import Side
from .whereabouts import PLACES, Held, Whereabouts

# How many known lanes one look asks for the id, and how long their names may be together, bytes.
MOST_LANES = 300
MOST_LANE_BYTES = 256_000
_LOCK_LOOK = 200


@dataclass(frozen=True)
class JobDetail:
    """One job with all of its row, for the command line.

    `fields` is the row with all its fields, empty when it is missing or no hash (`job.fault`
    says which). `held_by` maps the sets that hold the id to its score there: "pending",
    "active", "schedule", "dead", and "lane" for the lane of its row's group. `faults` says by the
    same names, lanes as "lanes", which of them could not be read, and why.
    """

    now_ms: int
    job: Job
    fields: Mapping[bytes, bytes]
    held_by: Mapping[str, float]
    faults: Mapping[str, str]
    locked: bool
    log_lines: int


@dataclass(frozen=True)
class Lock:
    """The presence marker of a worker. `left_ms` is `None` when it never expires; `value` is its
    beginning, `size` all of it in bytes."""

    left_ms: int | None
    value: bytes
    size: int


@dataclass(frozen=True)
class Dedup:
    """The idempotency key that `field` of the row names; `holds` this id, another job's, or is
    `None` when there is no such key."""

    field: bytes
    dedup_id: str
    holds: bool | None
    fault: str | None = None


@dataclass(frozen=True)
class JobLook:
    """One job with everything that is known of it, bounded whatever lies in its keys.

    `held` are the sets that hold the id; they count as odd only when `is_settled`. `lanes_asked`
    of the `lanes_known` were looked into. Of the fields, `unlisted_fields` are too many or too
    long to be listed; `row_bytes` is what the row takes in memory. `log_lines` and `audited` are
    `None` when unknown. `faults` says by name which keys could not be read, and why: the sets,
    "lanes", "fields", "parent", "lock", "logs", "audit". `refusal` is why every script refuses,
    `unnamed_lanes` are those in which a removal would not find the id.
    """

    now_ms: int
    job: Job
    fields: tuple[Field, ...]
    unlisted_fields: int
    held: tuple[Held, ...]
    is_settled: bool
    lanes_asked: int
    lane: LaneState | None
    lock: Lock | None
    log_lines: int | None
    dedup: Dedup | None
    flow: Flow
    audited: int | None
    faults: Mapping[str, str]
    refusal: str | None = None
    unnamed_lanes: tuple[str, ...] = ()
    lanes_known: int = 0
    row_bytes: int | None = None

    @property
    def is_gone(self) -> bool:
        """Whether neither a row nor a set knows the id, and every one was looked into."""
        return self._is_nowhere and self.looked_everywhere

    @property
    def is_unknown(self) -> bool:
        """Whether there is no row, and only a set that was not looked into may hold the id."""
        return self._is_nowhere and not self.looked_everywhere

    @property
    def looked_everywhere(self) -> bool:
        return not self.unread_sets and self.lanes_asked >= self.lanes_known

    @property
    def unread_sets(self) -> tuple[str, ...]:
        """The sets that could not be read; lanes all as "lanes"."""
        return tuple(name for name in (*PLACES, "lanes") if name in self.faults)

    @property
    def _is_nowhere(self) -> bool:
        return self.job.fault == ROW_MISSING and not self.held

    def value(self, name: bytes) -> bytes | None:
        """A field that was read."""
        return next((field.value for field in self.fields if field.name == name), None)


def job_look(
    client: redis.Redis,
    queue: str,
    job_id: str,
    lanes: Sequence[str] = (),
    have: Mapping[bytes, int] | None = None,
) -> JobLook:
    """Look at one job in three round trips.

    `lanes` are those known of the queue, `have` the sizes of long fields that the reader has
    already (see `Fields`).
    """
    look = _Look(Keyspace(queue), job_id, lanes, have or {})
    for ask in (look.ask_first, look.ask_second, look.ask_third):
        batch = Batch(client)
        ask(batch)
        batch.run()
    return look.answer()


def whole_row(client: redis.Redis, queue: str, job_id: str) -> JobDetail:
    """Every field of the row, however long, and the sets that hold the id. Two round trips."""
    keys = Keyspace(queue)
    first, second = Batch(client), Batch(client)
    time = first.ask("time")
    rows, where = Rows(keys, [(to_wire(job_id), None)]), Whereabouts(keys, job_id)
    rows.ask_lean(first)
    where.ask(first)
    lock = first.ask("exists", keys.lock(job_id))
    logs = first.ask("llen", keys.logs(job_id))
    first.run()
    (job,) = rows.jobs()
    where.ask_again(second, job.group)
    rows.ask_short(second)
    fields = second.ask("hgetall", keys.job(job_id))
    second.run()
    (job,) = rows.jobs()
    held_by = {str(held.place): held.score for held in where.held}
    return JobDetail(
        now_ms(time),
        job,
        fields.value or {},
        held_by,
        where.faults,
        bool(lock.value),
        int(logs.value or 0),
    )


class _Look:
    """What is asked of one job in the three round trips."""

    def __init__(
        self, keys: Keyspace, job_id: str, lanes: Sequence[str], have: Mapping[bytes, int]
    ) -> None:
        self._keys, self._job_id = keys, job_id
        self._lanes, self._lanes_known = _some(lanes), len(lanes)
        self._rows = Rows(keys, [(to_wire(job_id), None)])
        self._fields = Fields(keys.job(job_id), (*PARENT_FIELDS, *DEDUP_FIELDS), have)
        self._where = Whereabouts(keys, job_id, self._lanes)
        self._kin = Kin(keys, job_id)
        self._lane: Lanes | None = None
        self._dedup: tuple[bytes, bytes, Answer] | None = None

    def ask_first(self, batch: Batch) -> None:
        self._rows.ask_lengths(batch)
        self._fields.ask_lengths(batch)
        self._where.ask(batch)
        self._kin.ask_counts(batch)
        lock = self._keys.lock(self._job_id)
        self._lock_left = batch.ask("pttl", lock)
        self._lock_size = batch.ask("strlen", lock)
        self._lock_value = batch.ask("getrange", lock, 0, _LOCK_LOOK - 1)
        self._logs = batch.ask("llen", self._keys.logs(self._job_id))
        self._lock_side = Side(lock, batch)
        self._logs_side = Side(self._keys.logs(self._job_id), batch)
        self._audit = batch.ask("xlen", self._keys.audit)

    def ask_second(self, batch: Batch) -> None:
        self._rows.ask_short(batch)
        self._fields.ask_names(batch)
        self._kin.ask_children(batch)
        self._types = KeyTypes(self._keys, batch)

    def ask_third(self, batch: Batch) -> None:
        self._time = batch.ask("time")
        (job,) = self._rows.jobs()
        lanes = [held.group for held in self._where.held if held.group is not None]
        self._named = NamedLanes(self._keys, lanes if job.fault == ROW_MISSING else [], batch)
        self._where.ask_again(batch, job.group)
        self._fields.ask_values(batch)
        self._kin.ask_parent(batch, *map(self._fields.early, PARENT_FIELDS))
        if job.group is not None:
            self._lane = Lanes(self._keys, [job.group], batch)
        named = ((name, self._fields.early(name)) for name in DEDUP_FIELDS)
        for name, value in named:
            if value and self._dedup is None:
                # One byte more than the id, so that a longer value is told from it.
                key, end = self._keys.dedup(from_wire(value)), len(to_wire(self._job_id))
                self._dedup = name, value, batch.ask("getrange", key, 0, end)

    def answer(self) -> JobLook:
        (job,) = self._rows.jobs()
        return JobLook(
            now_ms=now_ms(self._time),
            job=job,
            fields=self._fields.fields,
            unlisted_fields=self._fields.unlisted,
            held=self._where.held,
            is_settled=self._where.is_settled,
            lanes_asked=len(self._lanes),
            lane=self._lane.states()[0] if self._lane else None,
            lock=self._found_lock(),
            log_lines=self._log_lines(),
            dedup=self._found_dedup(),
            flow=self._kin.flow,
            audited=None if self._audit.fault else int(self._audit.value),
            faults=self._faults(),
            refusal=self._types.refusal,
            unnamed_lanes=self._named.unnamed,
            lanes_known=self._lanes_known,
            row_bytes=self._fields.memory,
        )

    def _log_lines(self) -> int | None:
        if self._logs_side.is_row:
            return 0
        return None if self._logs.fault else int(self._logs.value)

    def _found_lock(self) -> Lock | None:
        left = self._lock_left.value
        if left is None or left == -2 or self._lock_side.is_row:
            return None
        value, size = self._lock_value.value or b"", int(self._lock_size.value or 0)
        return Lock(None if left < 0 else int(left), value, size)

    def _found_dedup(self) -> Dedup | None:
        if self._dedup is None:
            return None
        field, value, answer = self._dedup
        holds = answer.value == to_wire(self._job_id) if answer.value else None
        return Dedup(field, from_wire(value), holds, answer.fault)

    def _faults(self) -> dict[str, str]:
        faults = dict(self._where.faults) | {
            "fields": self._fields.fault,
            "parent": self._fields.early_fault(b"parent"),
            "audit": self._audit.fault,
        }
        if not self._lock_side.is_row:
            faults["lock"] = (
                self._lock_left.fault or self._lock_size.fault or self._lock_value.fault
            )
        if not self._logs_side.is_row:
            faults["logs"] = self._logs.fault
        return {name: fault for name, fault in faults.items() if fault}


def _some(lanes: Sequence[str]) -> tuple[str, ...]:
    """As many lanes as one look asks, the first whose names are not too long together."""
    left, chosen = MOST_LANE_BYTES, []
    for group in lanes:
        size = len(to_wire(group))
        if size <= left:
            chosen.append(group)
            left -= size
        if len(chosen) == MOST_LANES:
            break
    return tuple(chosen)
