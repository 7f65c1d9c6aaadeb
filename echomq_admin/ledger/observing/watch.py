"""What the observer knows of the leases of one queue: looks in, ended leases out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf

from echomq_admin.emq.rows import LONGEST_ID
from echomq_admin.emq.sights import ACTIVE, Active, Rows, Sight, Wanted
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.judge import DEAD, PENDING, SCHEDULED, Window
from echomq_admin.ledger.observing.looks import APART, TOO_LONG, TOO_MANY, Ended, Look, Seen
from echomq_admin.ledger.observing.shortest import Shortest
from echomq_admin.ledger.observing.toll import Toll

# No lease counts as longer: that none was seen to be short proves nothing of those not seen.
PRESUMED_MS = 3_000
# So many failures are seen before the shortest back-off counts as known.
_FAILURES = 10
_MOST_VANISHED = 5_000
# A lease that lapsed so long ago will not be swept at any moment.
STALE_MS = 10_000


class Watch:
    """The leases in flight of a queue. Times are the server's clock, unix ms; `seen_ms` is that of
    the last look, `None` before the first. `failed` is how many deaths the queue had counted before
    that."""

    def __init__(
        self,
        leases: Mapping[bytes, Lease] | None = None,
        seen_ms: int | None = None,
        shortest_ms: int | None = None,
        backoff_ms: int | None = None,
        failed: int | None = None,
    ) -> None:
        self.leases: dict[bytes, Lease] = dict(leases or {})
        self.seen_ms, self._toll = seen_ms, Toll(failed)
        self.soonest_ms = inf
        self._deadlines = {raw: lease.deadline_ms for raw, lease in self.leases.items()}
        low_ms = None if shortest_ms is None else shortest_ms * 3 // 2
        self._shortest = Shortest(low_ms, low_ms)
        self._backoff_ms, self._failures = backoff_ms, _FAILURES if backoff_ms else 0
        # Whether the last look showed all leases, and told of those that began since.
        self._is_whole = False
        self._moving: set[bytes] = set()
        self._vanished = dict.fromkeys(raw for raw, one in self.leases.items() if one.is_new_life)
        self._apart = {raw for raw, lease in self.leases.items() if lease.seen_ms}

    @property
    def shortest_ms(self) -> int | None:
        """No lease was seen of late that was shorter; `None` when none was seen. Two leases of
        unlike length may have been taken for alike, which costs a third."""
        low = self._shortest.low_ms
        return None if low is None else low * 2 // 3

    @property
    def can_count(self) -> bool:
        """Whether its count of deaths is of use, and can be read along with the leases."""
        return self._toll.is_counted and bool(self.leases)

    @property
    def failed(self) -> int | None:
        return self._toll.failed

    @property
    def backoff_ms(self) -> int | None:
        """About the shortest time that a failed job was ever seen to wait, not less."""
        return self._backoff_ms if self._failures >= _FAILURES else None

    @property
    def pace_ms(self) -> float:
        """A third of the shortest lease seen."""
        return (self._shortest.high_ms or PRESUMED_MS) / 3

    @property
    def _limit_ms(self) -> int:
        """Looks so far apart may hide a whole lease."""
        shortest_ms = self.shortest_ms
        return PRESUMED_MS if shortest_ms is None else min(shortest_ms, PRESUMED_MS)

    def news(self, active: Active, look: Look, most: int, most_known: int) -> Wanted:
        """Which rows to look at, those of at most `most` new leases and `most_known` others."""
        found = active.deadlines
        moved = [raw for raw, _ in found.items() - self._deadlines.items()]
        fresh = [raw for raw in moved if raw not in self.leases]
        left = self._deadlines.keys() - found.keys()
        gone = [raw for raw in left if not _is_hidden(self.leases[raw], active)]
        known = [raw for raw in moved if raw in self.leases]
        if len(gone) + len(known) > most_known:
            # Those that were left over come first.
            known.sort(key=lambda raw: self.leases[raw].seen_ms or inf)
            gone.sort(key=lambda raw: self.leases[raw].seen_ms or inf)
        room = max(0, most_known - len(gone))
        return Wanted(
            fresh[:most],
            {raw: self._counters(raw, look) for raw in known[:room]},
            {raw: self.leases[raw].lane for raw in gone[:most_known]},
            {*fresh[most:], *known[room:], *gone[most_known:]},
            self._toll.is_open(active, has_rows=bool(moved or gone)),
        )

    def take(self, active: Active, wanted: Wanted, rows: Rows, look: Look) -> Seen:
        """Learn what a look showed."""
        self._measure(active, wanted, look)
        deaths = self._toll.take(active, rows, look.before_ms, is_idle=not self.leases)
        seen = Seen(self._gap(active, wanted, look), deaths)
        self._come_nearer(active, wanted)
        for raw in wanted.known:
            self._again(raw, active, rows.sights[raw], look, seen)
        for raw in wanted.gone:
            self._gone(raw, active, rows.sights[raw], look, seen)
        for raw in wanted.fresh:
            self._fresh(raw, active.deadlines[raw], rows.sights[raw], look, seen)
        moved = (raw for raw in seen.moving if rows.sights[raw].state == DEAD)
        self._toll.died_meanwhile(moved)
        self._learn_backoff(seen.ended, look)
        self.seen_ms = look.before_ms
        self._is_whole, self._moving = active.from_ms is None and not wanted.later, seen.moving
        recent = look.after_ms - STALE_MS
        self.soonest_ms = min((ms for ms in self._deadlines.values() if ms > recent), default=inf)
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
        if self.seen_ms is None or look.is_back or active.from_ms is not None or not wanted.fresh:
            return
        if look.after_ms - self.seen_ms < PRESUMED_MS:
            first = min(active.deadlines[raw] for raw in wanted.fresh)
            self._shortest.saw(first - look.after_ms, first - self.seen_ms, look.after_ms)

    def _gap(self, active: Active, wanted: Wanted, look: Look) -> tuple[int, int, str] | None:
        if self.seen_ms is None:
            return None
        # What was in active may have been swept before its row was read.
        span = min(self.seen_ms, look.before_ms), max(look.until_ms, look.high_ms)
        if self._is_gap(self.seen_ms, look):
            return *span, APART
        is_behind = any(self._is_missed(raw, look) for raw in wanted.later)
        return (*span, TOO_MANY) if active.from_ms is not None or is_behind else None

    def _is_missed(self, raw: bytes, look: Look) -> bool:
        """Whether a lease that there is no room for hides others."""
        lease = self.leases.get(raw)
        return lease is None or self._is_gap(lease.seen_ms or self.seen_ms or 0, look)

    def _is_gap(self, from_ms: int, look: Look) -> bool:
        return look.is_back or look.until_ms - from_ms >= self._limit_ms

    def _come_nearer(self, active: Active, wanted: Wanted) -> None:
        """Leases that were last seen at instants of their own are seen as all others, unless this
        look does not show them."""
        later = self.leases.keys() & wanted.later
        for raw in (self._apart & active.deadlines.keys()) - wanted.known.keys() - later:
            self.leases[raw].seen_ms = 0
            self._apart.discard(raw)
        if active.from_ms is not None:
            later |= self._deadlines.keys() - active.deadlines.keys()
        for raw in later:
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
            self._fresh(raw, deadline, sight, look, seen)

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
            lease.lane, lease.is_whole = sight.lane, False
            lease.renewals, lease.first_ms, lease.renewed_ms = 0, look.after_ms, None
        else:
            lease.renewals, lease.renewed_ms = lease.renewals + 1, look.after_ms
        lease.deadline_ms = self._deadlines[raw] = deadline
        lease.seen_ms = look.after_ms
        self._apart.add(raw)

    def _fresh(self, raw: bytes, deadline: float, sight: Sight, look: Look, seen: Seen) -> None:
        """A lease that nothing was known of. One that moved on since is left for the next look."""
        if sight.has_row and sight.deadline_ms != deadline:
            seen.moving.add(raw)
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
            is_whole=self._is_whole and seen.gap is None and raw not in self._moving,
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
            deaths=seen.deaths.count if from_ms >= (self.seen_ms or 0) else None,
        )
        if len(raw) > LONGEST_ID:
            seen.gap = seen.gap or (window.from_ms, window.to_ms, TOO_LONG)
            return
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
                self._waited(left.run_at_ms - from_ms)
            elif left.state in {PENDING, ACTIVE}:
                self._waited(look.until_ms - from_ms)

    def _waited(self, most_ms: float) -> None:
        if 0 < most_ms < 2**53:
            self._failures += 1
            self._backoff_ms = int(min(most_ms, self._backoff_ms or most_ms))


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
