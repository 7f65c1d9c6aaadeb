"""The flow that a job is part of: its parent, and its own children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .keyspace import Keyspace, from_wire
from .replies import Answer, Batch, integer
from .sides import Side
from .whereabouts import PLACES, Whereabouts

# A parent with more children of one outcome, or with more bytes of them and their results, counts
# them and lists none; of so many bytes of ids one outcome lists the first.
MOST_CHILDREN = 100
MOST_BYTES = 2_000_000
MOST_LISTED = 20_000
_LONGEST_COUNT = 32
_AWAITS = b"awaiting_children"

Outcome = Literal["processed", "failed", "unsuccessful"]
OUTCOMES: tuple[Outcome, ...] = ("processed", "failed", "unsuccessful")
PARENT_FIELDS = (b"parent", b"parent_queue", b"parent_policy")


@dataclass(frozen=True)
class Parent:
    """The parent of a child. `where` is the set that holds it, "awaiting_children", "no set" (its
    row says something else), "gone", or "?" with a `fault`. `awaits` says whether its row waits for
    children, wherever it is: so the scripts judge it."""

    job_id: str
    queue: str
    policy: bytes | None
    where: str
    fault: str | None = None
    awaits: bool = False


@dataclass(frozen=True)
class Children:
    """Children that ended in one way. `ids` are those that are few and short enough to be listed;
    `count` is `None`, with a `fault`, when the key cannot be read."""

    outcome: Outcome
    count: int | None
    ids: tuple[str, ...]
    fault: str | None = None

    @property
    def unlisted(self) -> int:
        """How many are counted only."""
        return max(0, (self.count or 0) - len(self.ids))


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
    """What is asked for a `Flow`: the children in the first two batches, the parent in the last."""

    def __init__(self, keys: Keyspace, job_id: str) -> None:
        self._keys = keys
        self._job_id = job_id
        self._ended: dict[Outcome, _Ended] = {}
        self._parent: tuple[str, str] | None = None
        self._policy: bytes | None = None

    def ask_counts(self, batch: Batch) -> None:
        dependencies = self._keys.dependencies(self._job_id)
        self._out = batch.ask("getrange", dependencies, 0, _LONGEST_COUNT - 1)
        self._out_side = Side(dependencies, batch)
        for how in OUTCOMES:
            self._ended[how] = _Ended(self._keys.ended_children(self._job_id, how), batch)

    def ask_children(self, batch: Batch) -> None:
        for ended in self._ended.values():
            ended.ask_ids(batch)

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
        ended = tuple(self._ended[how].children(how) for how in OUTCOMES)
        if self._out_side.is_row:
            return Flow(self._found_parent(), None, None, ended)
        raw = self._out.value
        out = integer(raw) if raw else None
        fault = self._out.fault or ("the count is no integer" if raw and out is None else None)
        return Flow(self._found_parent(), out, fault, ended)

    def _found_parent(self) -> Parent | None:
        if self._parent is None:
            return None
        fault = self._row.fault or next(iter(self._where.faults.values()), None)
        awaits = self._state.value == len(_AWAITS)
        return Parent(*self._parent, self._policy, self._parent_place(), fault, awaits)

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


class _Ended:
    """What is asked of the children that ended in one way: how many, and their ids when all that
    the key holds is little."""

    def __init__(self, key: bytes, batch: Batch) -> None:
        self._key = key
        self._count = batch.ask("hlen", key)
        # So many samples are all there are, of children that are listed.
        self._memory = batch.ask("memory_usage", key, samples=MOST_CHILDREN)
        self._side = Side(key, batch)
        self._ids = Answer()

    def ask_ids(self, batch: Batch) -> None:
        count, memory = self._count.value, self._memory.value
        if count and memory is not None and count <= MOST_CHILDREN and memory <= MOST_BYTES:
            # Unlike HKEYS it stops at a number; up to that number it answers every id.
            self._ids = batch.ask("hrandfield", self._key, MOST_CHILDREN)

    def children(self, how: Outcome) -> Children:
        if self._side.is_row:
            return Children(how, 0, ())
        if self._count.fault:
            return Children(how, None, (), self._count.fault)
        left, chosen = MOST_LISTED, []
        for name in sorted(self._ids.value or ()):
            if len(name) <= left:
                chosen.append(from_wire(name))
                left -= len(name)
        return Children(how, int(self._count.value), tuple(chosen))
