"""What a look at the leases in flight asks for, and what it shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2s

ACTIVE = b"active"
# Of the dead so many are looked at, those that were minted last: most who die are among them.
NEWEST = 200
# Two errors of one length that are longer than this are not told apart.
TOLD_APART = 1_024


@dataclass(frozen=True)
class Active:
    """An active set: wire id to deadline. It is whole unless `from_ms` is given: of what has that
    deadline or a later one, more may be there. `fault` says why it cannot be read. `failed` is
    the queue's own count of jobs that died for their workers, read before it; `None` when it was
    not asked for or is no number."""

    deadlines: Mapping[bytes, float] = field(default_factory=dict)
    from_ms: float | None = None
    fault: str | None = None
    failed: int | None = None


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
    row all the same; of those `gone` from it the lane. `later` are ids for whose rows there is no
    room this time. `with_dead`: also look who is dead, though no lease has ended."""

    fresh: Sequence[bytes] = ()
    known: Mapping[bytes, tuple[int, int] | None] = field(default_factory=dict)
    gone: Mapping[bytes, str | None] = field(default_factory=dict)
    later: Collection[bytes] = ()
    with_dead: bool = False

    @property
    def is_any(self) -> bool:
        return bool(self.fresh or self.known or self.gone or self.with_dead)


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
        """What tells the error from others, as far as it is short; `None` when there is none."""
        if self.error_size is None:
            return None
        return mark_of(self.error or b"", self.error_size)


@dataclass(frozen=True)
class Rows:
    """What was seen of one queue, and its count of deaths `before` the rows of new leases were read
    and when all had been; `None` where that is no number. `dead` are the `NEWEST` members of its
    dead set with their scores, in its order, read before the last count when a lease has ended or
    that was asked for; `None` when they were not read."""

    sights: Mapping[bytes, Sight] = field(default_factory=dict)
    before: int | None = None
    failed: int | None = None
    dead: Sequence[tuple[bytes, float]] | None = None


@dataclass(frozen=True)
class Sights:
    """What was seen of each queue, all of it at `until_ms` of the server's clock or before."""

    until_ms: int
    of: Mapping[str, Rows]


def mark_of(error: bytes, size: int) -> bytes:
    told = error if size <= TOLD_APART else b""
    return blake2s(b"%d:" % size + told, digest_size=12).digest()
