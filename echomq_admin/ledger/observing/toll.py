"""How many jobs of a queue died between two looks, and which of them are dead still.

A death that was counted may be that of a job which nobody saw in flight, or of one that a program
which no audit names requeued at once. Who has come to be dead tells the two apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from echomq_admin.emq.sights import NEWEST, Active, Rows

# A member of a dead set and its score.
Member = tuple[bytes, float]


@dataclass(frozen=True)
class Deaths:
    """So many were counted from before the last look, at the latest, to the end of this one; `None`
    when that is not known. Jobs that `came` to be dead after `since_ms` are among them, unless a
    person put them there."""

    count: int | None = None
    came: frozenset[bytes] = frozenset()
    since_ms: int = 0


@dataclass(frozen=True)
class _Morgue:
    """The newest members of a dead set, read when the queue had counted `failed` deaths or more,
    and after `since_ms`. What stands before `first` in the set was not read."""

    ids: frozenset[bytes]
    failed: int
    since_ms: int
    first: tuple[float, bytes] | None

    def came(self, members: Sequence[Member]) -> frozenset[bytes]:
        """Those of these members who were not dead then."""
        return frozenset(raw for raw, score in members if self._is_new(raw, score))

    def _is_new(self, raw: bytes, score: float) -> bool:
        return raw not in self.ids and (self.first is None or (score, raw) > self.first)


class Toll:
    """The deaths of one queue. It had counted `failed` before the last look; it can be asked for
    that along with its leases when it `is_counted`."""

    def __init__(self, failed: int | None = None) -> None:
        self.failed = failed
        self.is_counted = failed is not None
        self._morgue: _Morgue | None = None
        # Who was in flight when the count was read, and dead when the row was; since when.
        self._late: frozenset[bytes] = frozenset()
        self._late_ms: int | None = None

    def is_open(self, active: Active, *, has_rows: bool) -> bool:
        """Whether it has to be looked who is dead: somebody died since that was known. The first
        time, as soon as rows are looked at."""
        if self._morgue is None:
            return has_rows
        return active.failed is not None and active.failed != self._morgue.failed

    def take(self, active: Active, rows: Rows, at_ms: int, *, is_idle: bool) -> Deaths:
        """Learn what a look showed that began at `at_ms`. `is_idle`: nothing was known to be in
        flight before it."""
        if is_idle:
            # Much may have happened since.
            self._morgue = None
        came, since_ms = self._came(active, rows, at_ms)
        if self._late and self._late_ms is not None:
            came, since_ms = came | self._late, min(since_ms or self._late_ms, self._late_ms)
        before, after = self.failed, rows.failed
        self._late, self._late_ms = frozenset(), None
        if self.is_counted and not is_idle:
            self.failed, self._late_ms = active.failed, at_ms
        elif is_idle and rows.sights:
            # What was not in flight before has died after this, if at all.
            self.failed = rows.before
        self.is_counted = after is not None if rows.sights else self.is_counted
        if before is None or after is None or after < before:
            return Deaths()
        return Deaths(after - before, came, since_ms)

    def died_meanwhile(self, raws: Iterable[bytes]) -> None:
        """These were in flight when the look began, and dead when it had come to their rows: the
        next one counts them, and finds them dead as before."""
        self._late = frozenset(raws) if self._late_ms is not None else frozenset()

    def _came(self, active: Active, rows: Rows, at_ms: int) -> tuple[frozenset[bytes], int]:
        """Who came to be dead since the last look, and an instant before that; keeps the dead."""
        before, failed = self._morgue, active.failed if active.failed is not None else rows.before
        if rows.dead is None or failed is None:
            return frozenset(), 0
        first = (rows.dead[0][1], rows.dead[0][0]) if len(rows.dead) >= NEWEST else None
        ids = frozenset(raw for raw, _ in rows.dead)
        self._morgue = _Morgue(ids, failed, at_ms, first)
        # Others have died between the two, which the count since the last look does not have.
        if before is None or before.failed != self.failed or before.since_ms > at_ms:
            return frozenset(), 0
        return before.came(rows.dead), before.since_ms
