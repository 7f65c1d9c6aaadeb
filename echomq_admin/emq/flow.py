"""The flow that a job is part of: its parent, and its own children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .keyspace import Keyspace, from_wire
from .replies import Answer, Batch, integer
from .whereabouts import PLACES, Whereabouts

# A parent with more children of one outcome counts them and lists none.
MOST_CHILDREN = 100
_LONGEST_COUNT = 32
_AWAITS = b"awaiting_children"

Outcome = Literal["processed", "failed", "unsuccessful"]
OUTCOMES: tuple[Outcome, ...] = ("processed", "failed", "unsuccessful")
PARENT_FIELDS = (b"parent", b"parent_queue", b"parent_policy")


@dataclass(frozen=True)
class Parent:
    """The parent of a child. `where` is the set that holds it, "awaiting_children", "no set" (its
    row says something else), "gone", or "?" with a `fault`."""

    job_id: str
    queue: str
    policy: bytes | None
    where: str
    fault: str | None = None


@dataclass(frozen=True)
class Children:
    """Children that ended in one way. `ids` is empty when there are more than `MOST_CHILDREN`;
    `count` is `None`, with a `fault`, when the key cannot be read."""

    outcome: Outcome
    count: int | None
    ids: tuple[str, ...]
    fault: str | None = None


@dataclass(frozen=True)
class Flow:
    """`out` counts the children still out, `None` when the job keeps no such count or, with
    `out_fault`, when it cannot be read."""

    parent: Parent | None
    out: int | None
    out_fault: str | None
    ended: tuple[Children, ...]

    @property
    def has_children(self) -> bool:
        return self.out is not None or bool(self.out_fault) or any(
            kind.count != 0 for kind in self.ended
        )  # fmt: skip


class Kin:
    """What is asked for a `Flow`: the children in the first batch, the parent in the last."""

    def __init__(self, keys: Keyspace, job_id: str) -> None:
        self._keys = keys
        self._job_id = job_id
        self._ended: dict[Outcome, tuple[Answer, Answer]] = {}
        self._parent: tuple[str, str] | None = None
        self._policy: bytes | None = None

    def ask_children(self, batch: Batch) -> None:
        self._out = batch.ask(
            "getrange", self._keys.dependencies(self._job_id), 0, _LONGEST_COUNT - 1
        )
        for how in OUTCOMES:
            key = self._keys.ended_children(self._job_id, how)
            some = batch.ask("hrandfield", key, MOST_CHILDREN)
            self._ended[how] = batch.ask("hlen", key), some

    def ask_parent(
        self, batch: Batch, parent: bytes | None, queue: bytes | None, policy: bytes | None
    ) -> None:
        """Fields of the child's row; the parent may lie in another queue."""
        if parent is None:
            return
        there = self._keys.queue if queue is None else from_wire(queue)
        self._parent, self._policy = (from_wire(parent), there), policy
        keys = Keyspace(there)
        self._where = Whereabouts(keys, from_wire(parent))
        self._where.ask(batch)
        self._row = batch.ask("hlen", keys.job(from_wire(parent)))
        self._state = batch.ask("hstrlen", keys.job(from_wire(parent)), "state")

    @property
    def flow(self) -> Flow:
        ended = tuple(self._children(how) for how in OUTCOMES)
        raw = self._out.value
        out = integer(raw) if raw else None
        fault = self._out.fault or ("the count is no integer" if raw and out is None else None)
        return Flow(self._found_parent(), out, fault, ended)

    def _children(self, how: Outcome) -> Children:
        count, some = self._ended[how]
        fault = count.fault or some.fault
        if fault:
            return Children(how, None, (), fault)
        names = sorted(some.value or ()) if count.value <= MOST_CHILDREN else ()
        return Children(how, int(count.value), tuple(map(from_wire, names)))

    def _found_parent(self) -> Parent | None:
        if self._parent is None:
            return None
        fault = self._row.fault or next(iter(self._where.faults.values()), None)
        return Parent(*self._parent, self._policy, self._parent_place(), fault)

    def _parent_place(self) -> str:
        held = self._where.held
        if held:
            return held[0].place
        if self._row.fault or len(self._where.faults) == len(PLACES):
            return "?"
        if not self._row.value:
            return "gone"
        # No other word of a state is as long, and a value of any length is not read for this.
        return _AWAITS.decode() if self._state.value == len(_AWAITS) else "no set"
