"""The protocol in plain Python: one queue, every verb, replays and audit entries.

The store is a `Keyspace` (see `tests.emq.keys`). A score that the server would compute is
`InMs(n)`: its clock at the call plus n; whoever drives the model puts the real score in its
place. Everything that is due has a score of at most `now_ms`, the last instant seen of the
server's clock. Verbs take and answer what `EchoMQ` takes and answers, the queue left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from echomq_admin.emq import EmqReplay
from tests.emq.keys import Keyspace, Zset, wire
from tests.emq.vectors import InMs

Row = dict[bytes, bytes]
NAMED_SETS = ("pending", "active", "schedule", "dead")
_INTEGER = re.compile(rb"0|-?[1-9][0-9]{0,14}")


def integer(raw: bytes | None) -> int | None:
    """The value of a counter, or `None` when it is no integer."""
    return int(raw) if raw is not None and _INTEGER.fullmatch(raw) else None


@dataclass
class Entry:
    """An audit entry: its verb, its names, and what moved, one tuple a job.

    A tuple is (id, outcome, attempts, stalled, deadline, group, error).
    """

    op: str
    op_id: str
    actor: str
    jobs: list[tuple[Any, ...]]


@dataclass
class Kept:
    """The reply of a named call."""

    verb: str
    reply: Any


def verb(transition: Callable[..., Any]) -> Callable[..., Any]:
    """Frame a transition: replay, settle, audit entry, kept reply. Refusals leave no trace."""
    name = transition.__name__

    @wraps(transition)
    def call(
        self: Store, *args: Any, actor: str | None = None, op_id: str | None = None, **named: Any
    ) -> Any:
        if op_id in self.kept:
            if self.kept[op_id].verb != name:
                raise EmqReplay(name)
            return self.kept[op_id].reply
        self.moved, self.touched, self.changed = [], [], False
        self.named = self.named_lanes()
        try:
            reply = transition(self, *args, **named)
            self.settle()
        finally:
            self.prune()
        if op_id is not None:
            self.kept[op_id] = Kept(name, reply)
        if actor is not None and (self.moved or self.changed):
            self.audit.append(Entry(name, op_id or "", actor, self.moved))
        return reply

    return call


@dataclass
class Store:
    """The keyspace of one queue and the moves that verbs are made of."""

    queue: str
    keys: Keyspace = field(default_factory=dict)
    now_ms: float = 0
    audit: list[Entry] = field(default_factory=list)
    kept: dict[str, Kept] = field(default_factory=dict)
    moved: list[tuple[Any, ...]] = field(default_factory=list)
    touched: list[bytes] = field(default_factory=list)
    changed: bool = False
    named: set[bytes] = field(default_factory=set)

    def key(self, *parts: bytes | str) -> bytes:
        """A key of the queue from the parts of its name."""
        return wire(f"emq:{{{self.queue}}}:") + b"".join(
            part if isinstance(part, bytes) else part.encode() for part in parts
        )

    def zset(self, *parts: bytes | str) -> Zset:
        return self.keys.setdefault(self.key(*parts), Zset())

    def hash(self, *parts: bytes | str) -> dict[bytes, bytes]:
        return self.keys.setdefault(self.key(*parts), {})

    def listing(self, name: str) -> list[bytes]:
        return self.keys.setdefault(self.key(name), [])

    def members(self, name: str) -> set[bytes]:
        return self.keys.setdefault(self.key(name), set())

    def lane(self, group: bytes) -> Zset:
        return self.zset("g:", group, ":pending")

    def prune(self) -> None:
        """A container that became empty is no key any more."""
        for name in [name for name, value in self.keys.items() if not value and value != b""]:
            del self.keys[name]

    # -- rows ---------------------------------------------------------------------------------

    def row(self, job: bytes) -> Row | None:
        """The row, `None` when there is none; what is unreadable has `is_readable` false."""
        return self.keys.get(self.key("job:", job))

    def is_readable(self, job: bytes) -> bool:
        row = self.row(job)
        if not isinstance(row, dict):
            return False
        attempts = row.get(b"attempts")
        return attempts is None or integer(attempts) is not None

    def group(self, job: bytes) -> bytes | None:
        row = self.row(job)
        return row.get(b"group") if isinstance(row, dict) else None

    def attempts(self, job: bytes) -> int:
        row = self.row(job)
        return integer(row.get(b"attempts")) or 0 if isinstance(row, dict) else 0

    def waiting_parent(self, job: bytes) -> bytes | None:
        """The parent in this queue that still waits for this job, if there is one."""
        row = self.row(job)
        parent = row.get(b"parent") if isinstance(row, dict) else None
        if parent is None or self._is_of_another_queue(row):
            return None
        parent_row = self.row(parent)
        is_waiting = (
            isinstance(parent_row, dict) and parent_row.get(b"state") == b"awaiting_children"
        )
        return parent if is_waiting else None

    def is_child(self, job: bytes) -> bool:
        """Whether a parent still waits for this job, or may do so in another queue."""
        row = self.row(job)
        if not isinstance(row, dict) or b"parent" not in row:
            return False
        return self._is_of_another_queue(row) or self.waiting_parent(job) is not None

    def _is_of_another_queue(self, row: Row) -> bool:
        return row.get(b"parent_queue", wire(self.queue)) != wire(self.queue)

    def note(
        self, job: bytes, outcome: str, deadline: float | InMs | None = None, **was: Any
    ) -> None:
        """One job of the audit entry, as it is now but for what `was` says."""
        self.changed = True
        row = self.row(job)
        row = row if isinstance(row, dict) else {}
        now = {
            "attempts": _counter(row.get(b"attempts")),
            "stalled": _counter(row.get(b"stalled")),
            "group": row.get(b"group"),
            "error": row.get(b"last_error"),
        } | was
        self.moved.append(
            (job, outcome, now["attempts"], now["stalled"], deadline, now["group"], now["error"])
        )

    # -- moves --------------------------------------------------------------------------------

    def holders(self, job: bytes) -> list[str]:
        """The sets that hold the id: names of flat ones, `lane` for its own lane."""
        held = [name for name in NAMED_SETS if job in self.zset(name)]
        group = self.group(job)
        return held + (["lane"] if group is not None and job in self.lane(group) else [])

    def leave_waiting(self, job: bytes) -> None:
        for name in ("pending", "schedule", "dead"):
            self.zset(name).pop(job, None)
        group = self.group(job)
        if group is not None and self.lane(group).pop(job, None) is not None:
            self.touch(group)

    def named_lanes(self) -> set[bytes]:
        """The lanes that the queue's own keys name."""
        hashes = (self.hash(name) for name in ("gactive", "glimit", "gweight"))
        return {*self.listing("ring"), *self.members("paused"), *(g for h in hashes for g in h)}

    def beside(self, job: bytes) -> list[bytes]:
        """The lanes that hold the id, of those that were named, but for the one of its row."""
        others = self.named - {self.group(job)}
        return sorted(group for group in others if job in self.lane(group))

    def leave_beside(self, job: bytes) -> None:
        for group in self.beside(job):
            del self.lane(group)[job]
            self.touch(group)

    def leave_active(self, job: bytes) -> Any:
        """Out of active; a grouped job gives its slot back. Answers the deadline it had."""
        deadline = self.zset("active").pop(job, None)
        group = self.group(job)
        if deadline is not None and group is not None:
            self.count_group(group, -1)
        return deadline

    def count_group(self, group: bytes, by: int) -> None:
        in_flight = (integer(self.hash("gactive").get(group)) or 0) + by
        if in_flight > 0:
            self.hash("gactive")[group] = b"%d" % in_flight
        else:
            self.hash("gactive").pop(group, None)
        self.touch(group)

    def back(self, job: bytes) -> None:
        self.leave_waiting(job)
        self.row(job)[b"state"] = b"pending"
        group = self.group(job)
        if group is None:
            self.zset("pending")[job] = 0.0
        else:
            self.lane(group)[job] = 0.0
            self.touch(group)

    def bury_row(self, job: bytes, error: bytes) -> None:
        self.leave_waiting(job)
        self.zset("dead")[job] = 0.0
        self.row(job).update({b"state": b"dead", b"last_error": error})

    def set_aside(self, job: bytes) -> None:
        """An unreadable row goes to dead as it is."""
        deadline = self.leave_active(job)
        self.leave_waiting(job)
        self.zset("dead")[job] = 0.0
        self.note(job, "unreadable", deadline)

    def bump(self, metric: str) -> None:
        counts = self.hash("metrics:", metric)
        counts[b"count"] = b"%d" % ((integer(counts.get(b"count")) or 0) + 1)

    # -- lanes --------------------------------------------------------------------------------

    def touch(self, group: bytes) -> None:
        if group not in self.touched:
            self.touched.append(group)

    def is_serviceable(self, group: bytes) -> bool:
        if not self.lane(group) or group in self.members("paused"):
            return False
        limit = integer(self.hash("glimit").get(group))
        return limit is None or (integer(self.hash("gactive").get(group)) or 0) < limit

    def settle(self) -> None:
        ring, wake = self.listing("ring"), self.listing("wake")
        for group in self.touched:
            able = self.is_serviceable(group)
            if able and group not in ring:
                ring.append(group)
                wake.insert(0, b"1")
                del wake[64:]
                self.changed = True
            elif group in ring and not able:
                ring.remove(group)
                self.changed = True


def _counter(raw: bytes | None) -> Any:
    """A counter as an audit entry tells it: an int, the bytes that are none, or `None`."""
    number = integer(raw)
    return raw if number is None else number
