"""Which lease a finding tells of: one that has a row already, or which row it gets.

Pure: it sees the rows of one job in one queue and the lease that is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from echomq_admin.ledger.endings.models import STALLS, Source

# The attempts of a row whose attempts is no number.
UNNUMBERED = -1
# The server's clock may be corrected by so much between two who tell of the same end.
SLACK_MS = 2_000


@dataclass(slots=True)
class Lease:
    """How a lease ended, as `Ending` has it, or as it is told, which has no seat yet."""

    job: bytes
    attempts: int
    kind: int
    source: int
    ended_ms: int
    within_ms: int = 0
    deadline_ms: int | None = None
    stalled: int | None = None
    renewals: int | None = None
    lane_id: int | None = None
    error_id: int | None = None
    entry: int | None = None
    life: int = 0
    n: int = 0
    pk: int | None = None

    @property
    def after_ms(self) -> int:
        """It ended after this; one whose end is exact, in the millisecond that follows."""
        return self.ended_ms - max(self.within_ms, 1)


@dataclass(frozen=True)
class Seat:
    """Where a lease that is told belongs. `row` is the one that tells of it already, which moves
    when it sits elsewhere. `moves` are other rows that make room before, in this order, each with
    its life and n from then on."""

    life: int
    n: int
    row: Lease | None = None
    moves: tuple[tuple[Lease, int, int], ...] = ()


def seat(
    rows: Sequence[Lease], told: Lease, *, is_new_life: bool = False, is_revived: bool = False
) -> Seat:
    """The seat of a lease among the rows of its job. The flags are those of `book.Finding`."""
    if not rows:
        return Seat(0, 0)
    life = _life_at(rows, told)
    row = _same(rows, told, life)
    if row:
        return _seat_again(rows, row, is_new_life=is_new_life, is_revived=is_revived)
    mine = [row for row in rows if row.life == life]
    if is_new_life:
        return Seat(_last(rows) + 1, 0)
    is_revived = is_revived or _was_revived(mine, told)
    if told.attempts != UNNUMBERED and not is_revived and _had_ended(mine, told):
        return _in_next_life(rows, life, told)
    if told.attempts != UNNUMBERED and not is_revived and _ended_first(mine, told):
        return _before(rows, life, told)
    return _beside(mine, life, told)


def _life_at(rows: Sequence[Lease], told: Lease) -> int:
    """The last life that had begun, or the first."""
    begun = [row.life for row in rows if row.after_ms < told.ended_ms]
    return max(begun, default=min(row.life for row in rows))


def _last(rows: Sequence[Lease]) -> int:
    return max(row.life for row in rows)


def _same(rows: Sequence[Lease], told: Lease, life: int) -> Lease | None:
    """The row of the same lease, by the surest sign that any row shows."""
    peers = [row for row in rows if row.attempts == told.attempts]
    seen = [row for row in peers if Source.FOUND not in (row.source, told.source)]
    found = [row for row in peers if row.life == life and row not in seen]
    for same in (
        [row for row in seen if _has_same_deadline(row, told)],
        [row for row in seen if _may_be_one(row, told)],
        [row for row in found if told.source == Source.FOUND or told.after_ms < row.ended_ms],
    ):
        if same:
            return max(same, key=lambda row: (row.life, row.n))
    return None


def _has_same_deadline(one: Lease, other: Lease) -> bool:
    return one.deadline_ms is not None and one.deadline_ms == other.deadline_ms


def _may_be_one(one: Lease, other: Lease) -> bool:
    """Whether two spans in which a lease ended overlap. With two deadlines it is the same lease
    only when a renewal was missed, and then both spans hold its end."""
    has_two = None not in (one.deadline_ms, other.deadline_ms)
    is_exact = one.source == other.source == Source.SCRIPT
    if has_two and is_exact:
        return False
    slack_ms = 0 if has_two or is_exact else SLACK_MS
    return one.after_ms < other.ended_ms + slack_ms and other.after_ms < one.ended_ms + slack_ms


def _seat_again(rows: Sequence[Lease], row: Lease, *, is_new_life: bool, is_revived: bool) -> Seat:
    """Where the row of a lease belongs, now that the observer tells of what was before: a script
    does not know."""
    last = _last(rows)
    others = [other for other in rows if other.life == row.life and other is not row]
    if row.life == last and is_new_life and others and _follows(row, others):
        return Seat(last + 1, 0, row)
    if row.life == last and is_revived and not others:
        before = [other for other in rows if other.life == last - 1]
        if any(other.attempts == row.attempts for other in before):
            return Seat(last - 1, _beside(before, last - 1, row).n, row)
    return Seat(row.life, row.n, row)


def _follows(row: Lease, others: Sequence[Lease]) -> bool:
    return all(other.ended_ms <= row.after_ms for other in others)


def _had_ended(mine: Sequence[Lease], told: Lease) -> bool:
    """Whether a lease of this number or a later one had ended before the one that is told: then
    they are of two lives. Of a job that was found dead the number is that of the moment."""
    since_ms = told.ended_ms if told.source == Source.FOUND else told.after_ms
    return any(row.attempts >= told.attempts and row.ended_ms <= since_ms for row in mine)


def _was_revived(mine: Sequence[Lease], told: Lease) -> bool:
    """Whether it goes on with the stall count of the last lease of its life, which has its number,
    and ended before it."""
    last = max(mine, key=lambda row: (row.attempts, row.ended_ms), default=told)
    is_next = last.attempts == told.attempts and last.ended_ms <= told.after_ms
    return is_next and told.source != Source.FOUND and _goes_on(last, told)


def _in_next_life(rows: Sequence[Lease], life: int, told: Lease) -> Seat:
    """In the life that followed, before all that is known of it. A life between two that are known
    has no number, and is told with the one before."""
    following = [row for row in rows if row.life == life + 1]
    if all(told.attempts < row.attempts for row in following):
        return Seat(life + 1, 0)
    return _beside([row for row in rows if row.life == life], life, told)


def _ended_first(mine: Sequence[Lease], told: Lease) -> bool:
    """Whether every lease of this number that is known began when the one that is told was over."""
    peers = [row for row in mine if row.attempts == told.attempts]
    return bool(peers) and all(told.ended_ms <= row.after_ms for row in peers)


def _before(rows: Sequence[Lease], life: int, told: Lease) -> Seat:
    """In its seat, which a later lease has: that one was revived, or is of the next life, as all
    that ended after the one that is told."""
    peers = [row for row in rows if (row.life, row.attempts) == (life, told.attempts)]
    if _goes_on(told, min(peers, key=lambda row: row.ended_ms)):
        moves = [(row, life, row.n + 1) for row in peers]
    else:
        moves = [
            (row, row.life + 1, row.n)
            for row in rows
            if row.life > life or (row.life == life and told.ended_ms <= row.after_ms)
        ]
    moves.sort(key=lambda move: move[1:], reverse=True)
    return Seat(life, min(row.n for row in peers), moves=tuple(moves))


def _goes_on(before: Lease, after: Lease) -> bool:
    """Whether the stall counts of two leases say that they are of one life: there was one, it is
    there still, and a sweep has added to it."""
    if before.stalled is None or after.stalled is None:
        return False
    return after.stalled - (after.kind in STALLS) >= max(before.stalled, 1)


def _beside(mine: Sequence[Lease], life: int, told: Lease) -> Seat:
    taken = [row.n for row in mine if row.attempts == told.attempts]
    return Seat(life, max(taken, default=-1) + 1)
