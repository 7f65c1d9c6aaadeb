"""What the observer knows of the leases of one queue: looks in, ended leases out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf

from echomq_admin.emq.flights import ACTIVE, Active, Sight, Wanted
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.judge import DEAD, PENDING, SCHEDULED, Window
from echomq_admin.ledger.observing.shortest import Shortest

# Until a lease was seen, this counts as the shortest.
PRESUMED_MS = 3_000
# Looks further apart than this tell nothing of how long leases are.
_APART_MS = 3_000
# So many failures are seen before the shortest back-off counts as known.
_FAILURES = 10
_MOST_VANISHED = 5_000
APART = "Looks were further apart than the shortest lease lasts."
TOO_MANY = "More leases were in flight, or began at once, than are looked at."
# A lease that lapsed so long ago will not be swept at any moment.
STALE_MS = 10_000


@dataclass(frozen=True)
class Look:
    """When a look was, by the server's clock: active sets between `before_ms` and `after_ms`, rows
    until `until_ms`. `is_back`: the clock was set back since the look before; `high_ms` is how far
    it had come."""

    before_ms: int
    after_ms: int
    until_ms: int
    is_back: bool = False
    high_ms: int = 0


@dataclass(frozen=True)
class Ended:
    """A lease that is over, and what was left of it at the end of the window."""

    raw: bytes
    lease: Lease
    left: Sight
    window: Window
    is_new_life: bool = False


@dataclass
class Seen:
    """What a look came to. `gap` is a span in which leases may have come and gone unseen, with a
    sentence that says why."""

    ended: list[Ended] = field(default_factory=list)
    gap: tuple[int, int, str] | None = None
    is_changed: bool = False


class Watch:
    """The leases in flight of a queue. Times are the server's clock, unix ms; `seen_ms` is that of
    the last look, `None` before the first."""

    def __init__(
        self,
        leases: Mapping[bytes, Lease] | None = None,
        seen_ms: int | None = None,
        shortest_ms: int | None = None,
        backoff_ms: int | None = None,
    ) -> None:
        self.leases: dict[bytes, Lease] = dict(leases or {})
        self.seen_ms = seen_ms
        self.soonest_ms = inf
        self._deadlines = {raw: lease.deadline_ms for raw, lease in self.leases.items()}
        high = None if shortest_ms is None else shortest_ms * 3 // 2
        self._shortest = Shortest(high, None if high is None else high + 1_000)
        self._backoff = Shortest(0, backoff_ms, _FAILURES if backoff_ms else 0)
        self._limit_ms = PRESUMED_MS if shortest_ms is None else shortest_ms
        self._vanished = dict.fromkeys(raw for raw, one in self.leases.items() if one.is_new_life)
        self._apart = {raw for raw, lease in self.leases.items() if lease.seen_ms}

    @property
    def shortest_ms(self) -> int | None:
        """No lease was seen of late that was shorter; `None` when none was seen. Two leases of
        unlike length may have been taken for alike, which costs a third."""
        low = self._shortest.low_ms
        return None if low is None else low * 2 // 3

    @property
    def backoff_ms(self) -> int | None:
        """About the shortest time that a failed job was seen to wait, not less."""
        return self._backoff.high_ms if self._backoff.count >= _FAILURES else None

    @property
    def pace_ms(self) -> float:
        """A third of the shortest lease seen."""
        return (self._shortest.high_ms or PRESUMED_MS) / 3

    def news(self, active: Active, look: Look, most: int) -> Wanted:
        """Which rows to look at, those of at most `most` new leases."""
        found = active.deadlines
        moved = [raw for raw, _ in found.items() - self._deadlines.items()]
        fresh = [raw for raw in moved if raw not in self.leases]
        known = {raw: self._counters(raw, look) for raw in moved if raw in self.leases}
        left = {raw: self.leases[raw] for raw in self._deadlines.keys() - found.keys()}
        gone = {raw: one.lane for raw, one in left.items() if not _is_hidden(one, active)}
        return Wanted(fresh[:most], known, gone)

    def take(
        self, active: Active, wanted: Wanted, sights: Mapping[bytes, Sight], look: Look
    ) -> Seen:
        """Learn what a look showed."""
        self._measure(active, wanted, look)
        seen = Seen(gap=self._gap(active, wanted, look))
        self._come_nearer(active, wanted)
        for raw in wanted.known:
            self._again(raw, active, sights[raw], look, seen)
        for raw in wanted.gone:
            self._gone(raw, active, sights[raw], look, seen)
        for raw in wanted.fresh:
            self._fresh(raw, active.deadlines[raw], sights[raw], look)
        self._learn_backoff(seen.ended, look)
        self.seen_ms = look.before_ms
        recent = look.after_ms - STALE_MS
        self.soonest_ms = min((ms for ms in self._deadlines.values() if ms > recent), default=inf)
        seen.is_changed = bool(wanted.known or wanted.gone or wanted.fresh)
        return seen

    def _counters(self, raw: bytes, look: Look) -> tuple[int, int] | None:
        """Attempts and stalls, if they tell whether a lease is as known; after a gap, they alone
        do not."""
        lease = self.leases[raw]
        if lease.attempts is None or self._is_gap(lease.seen_ms or self.seen_ms or 0, look):
            return None
        return lease.attempts, lease.stalled

    def entered(self, raws: Iterable[bytes]) -> None:
        """Endings of these jobs are in the ledger: a new life of theirs is known there."""
        for raw in raws:
            self._vanished.pop(raw, None)
            if raw in self.leases:
                self.leases[raw].is_new_life = False

    def _measure(self, active: Active, wanted: Wanted, look: Look) -> None:
        """The lease that lapses first of those that began since the last look is the shortest."""
        if self.seen_ms is None or look.is_back or active.from_ms is not None:
            return
        began = [active.deadlines[raw] for raw in (*wanted.fresh, *wanted.known)]
        if began and look.after_ms - self.seen_ms < _APART_MS:
            first = min(began)
            self._shortest.saw(first - look.after_ms, first - self.seen_ms, look.after_ms)
        self._limit_ms = PRESUMED_MS if self.shortest_ms is None else self.shortest_ms

    def _gap(self, active: Active, wanted: Wanted, look: Look) -> tuple[int, int, str] | None:
        if self.seen_ms is None:
            return None
        span = min(self.seen_ms, look.before_ms), max(look.after_ms, look.high_ms)
        if self._is_gap(self.seen_ms, look):
            return *span, APART
        is_behind = len(wanted.fresh) < len(active.deadlines.keys() - self.leases.keys())
        return (*span, TOO_MANY) if active.from_ms is not None or is_behind else None

    def _is_gap(self, from_ms: int, look: Look) -> bool:
        return look.is_back or look.until_ms - from_ms >= self._limit_ms

    def _come_nearer(self, active: Active, wanted: Wanted) -> None:
        """Leases that were last seen at instants of their own are seen as all others, unless this
        look does not show them."""
        for raw in (self._apart & active.deadlines.keys()) - wanted.known.keys():
            self.leases[raw].seen_ms = 0
            self._apart.discard(raw)
        if active.from_ms is not None and self.seen_ms is not None:
            for raw in self._deadlines.keys() - active.deadlines.keys():
                self._leave_apart(raw)

    def _leave_apart(self, raw: bytes) -> None:
        self.leases[raw].seen_ms = self.leases[raw].seen_ms or self.seen_ms or 0
        self._apart.add(raw)

    def _again(self, raw: bytes, active: Active, sight: Sight, look: Look, seen: Seen) -> None:
        """A lease that is in active with another deadline."""
        lease, deadline = self.leases[raw], active.deadlines[raw]
        if sight.is_unchanged or _is_alive(lease, sight):
            self._renew(raw, sight, deadline, look)
            return
        is_settled = sight.deadline_ms == deadline
        self._end(raw, sight, look, look.after_ms if is_settled else look.until_ms, seen)
        if is_settled or not sight.has_row:
            self._fresh(raw, deadline, sight, look)

    def _gone(self, raw: bytes, active: Active, sight: Sight, look: Look, seen: Seen) -> None:
        """A lease that was not in active, or not in what was read of it."""
        lease = self.leases[raw]
        if sight.deadline_ms is not None and _is_alive(lease, sight):
            if active.from_ms is not None:
                self._renew(raw, sight, sight.deadline_ms, look)
            else:
                self._leave_apart(raw)
            return
        self._end(raw, sight, look, look.until_ms, seen)

    def _renew(self, raw: bytes, sight: Sight, deadline: float, look: Look) -> None:
        lease = self.leases[raw]
        if self._is_gap(lease.seen_ms or self.seen_ms or 0, look):
            # It may be the lease of another life, and the row was read whole.
            lease.lane = sight.lane
            lease.renewals, lease.first_ms, lease.renewed_ms = 0, look.after_ms, None
        else:
            lease.renewals, lease.renewed_ms = lease.renewals + 1, look.after_ms
        lease.deadline_ms = self._deadlines[raw] = deadline
        lease.seen_ms = look.after_ms
        self._apart.add(raw)

    def _fresh(self, raw: bytes, deadline: float, sight: Sight, look: Look) -> None:
        """A lease that nothing was known of. One that moved on since is left for the next look."""
        if sight.has_row and sight.deadline_ms != deadline:
            return
        self.leases[raw] = Lease(
            attempts=sight.attempts,
            stalled=sight.stalled,
            deadline_ms=deadline,
            lane=sight.lane,
            mark=sight.mark,
            first_ms=look.after_ms,
            seen_ms=look.after_ms,
            is_new_life=raw in self._vanished,
            is_revived=sight.state in {PENDING, SCHEDULED, DEAD},
            is_elsewhere=_is_elsewhere(sight),
        )
        self._deadlines[raw] = deadline
        self._apart.add(raw)

    def _end(self, raw: bytes, left: Sight, look: Look, to_ms: int, seen: Seen) -> None:
        lease = self.leases.pop(raw)
        del self._deadlines[raw]
        self._apart.discard(raw)
        from_ms = lease.seen_ms or self.seen_ms or look.before_ms
        window = Window(
            from_ms=min(from_ms, look.before_ms),
            to_ms=max(to_ms, look.high_ms),
            is_gap=self._is_gap(from_ms, look),
            backoff_ms=self.backoff_ms,
        )
        seen.ended.append(Ended(raw, lease, left, window, raw in self._vanished))
        if _is_of_new_life(lease, left):
            self._vanished[raw] = None
            if len(self._vanished) > _MOST_VANISHED:
                del self._vanished[next(iter(self._vanished))]

    def _learn_backoff(self, ended: Iterable[Ended], look: Look) -> None:
        """How long jobs wait that failed since the last look, at most."""
        for one in ended:
            left, from_ms = one.left, one.window.from_ms
            if left.mark is None or left.mark == one.lease.mark or one.window.is_gap:
                continue
            if left.state == SCHEDULED and left.run_at_ms is not None:
                self._backoff.saw(0, left.run_at_ms - from_ms, look.after_ms)
            elif left.state in {PENDING, ACTIVE}:
                self._backoff.saw(0, look.until_ms - from_ms, look.after_ms)


def _is_alive(lease: Lease, sight: Sight) -> bool:
    """Whether what is in active is still this lease."""
    if not sight.has_row or (sight.attempts, sight.stalled) != (lease.attempts, lease.stalled):
        return False
    return (sight.state == ACTIVE or lease.is_elsewhere) and sight.mark == lease.mark


def _is_elsewhere(sight: Sight) -> bool:
    is_revived = sight.has_row and sight.state != ACTIVE
    return is_revived or sight.waits or sight.is_dead or sight.run_at_ms is not None


def _is_hidden(lease: Lease, active: Active) -> bool:
    """Whether it may be in the part of active that was not read."""
    return active.from_ms is not None and lease.deadline_ms >= active.from_ms


def _is_of_new_life(lease: Lease, left: Sight) -> bool:
    """Whether the job's next lease is of another life, of one that the ledger may know."""
    if left.has_row:
        return None not in (left.attempts, lease.attempts) and left.attempts < lease.attempts
    return bool(lease.attempts is not None and (lease.attempts > 1 or lease.stalled))
