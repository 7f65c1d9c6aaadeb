"""What the verbs answer: frozen values, and one word for what became of a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What a verb did with one job. The value is the word on the wire, in pages and in tests."""

    REQUEUED = "requeued"
    RETURNED = "returned"
    PROMOTED = "promoted"
    BURIED = "buried"
    REMOVED = "removed"
    RESTORED = "restored"
    RECOVERED = "recovered"
    DEAD = "dead"
    SCHEDULED = "scheduled"
    GONE = "gone"
    UNREADABLE = "unreadable"
    NOT_DEAD = "not_dead"
    NOT_WAITING = "not_waiting"
    NOT_SCHEDULED = "not_scheduled"
    ALREADY_DEAD = "already_dead"
    CHANGED = "changed"
    ACTIVE = "active"
    LOCKED = "locked"
    CHILD = "child"
    EXISTS = "exists"


Outcomes = Mapping[str, Outcome]


@dataclass(frozen=True)
class Claim:
    """A lease taken: `attempts` is its token, `group` the lane of a grouped job."""

    job_id: str
    payload: bytes
    attempts: int
    group: str | None


@dataclass(frozen=True)
class Reaped:
    """Ids that went back, ids dropped because they had no row, ids moved to dead unread."""

    recovered: tuple[str, ...] = ()
    orphaned: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Swept:
    """As `Reaped`; `dead` are the jobs whose stall count reached the limit."""

    recovered: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()
    orphaned: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drained:
    """How many jobs one call deleted, and whether there are more.

    `stranded` are those of the deleted that a flow parent waits for, or one in another queue may:
    such a parent waits for ever.
    """

    removed: int
    more: bool
    stranded: int = 0
