"""How a lease ended, worked out from what was known of it and what is left: pure.

A wrong answer is worse than none. What can be told rests on a few facts of the protocol: only a
claim raises `attempts` and makes a row active; only a sweep raises `stalled`, and like a reap it
takes only what lapsed; every failure writes `last_error`, only a requeue drops it; every death but
one by hand is counted by the queue; and a lease that was claimed after the last look cannot have
lapsed by this one, unless a gap lies between the two.
"""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.emq.sights import ACTIVE, Sight, mark_of
from echomq_admin.emq.touches import UNTOLD
from echomq_admin.ledger.endings.models import STALLED, EndingKind
from echomq_admin.ledger.observing.flights import Lease

# Looks further apart than this may hide a failure that was tried again at once, whatever is known.
_QUICK_MS = 1_000
# After these, a job that is dead need not have died: `UNTOLD` may be any of them.
TO_THE_DEAD = {"bury", "restore", "return_to_dead", UNTOLD}
PENDING, SCHEDULED, DEAD = b"pending", b"scheduled", b"dead"
_STALLED_MARK = mark_of(STALLED, len(STALLED))
# Verbs after which a job is where it could be without an operator.
_HARMLESS = {
    *("claim", "claim_lane", "complete", "enqueue", "extend", "promote", "reap", "reap_group"),
    *("retry", "schedule", "sweep", "update_payload"),
}


@dataclass(frozen=True)
class Window:
    """Between which instants of the server's clock the lease was left unseen, and what is known
    of them.

    `is_gap`: a lease may have come and gone. `touches` are the verbs of operators that the audit
    names for the job. `backoff_ms` is the shortest time that a failed job of the queue waits,
    `None` when not known. So many `deaths` were counted, `None` when that is not known, and so many
    jobs are `dead` that died in it.
    """

    from_ms: int
    to_ms: int
    is_gap: bool = False
    touches: frozenset[str] = frozenset()
    backoff_ms: int | None = None
    deaths: int | None = None
    dead: int = 0

    @property
    def hides_a_failure(self) -> bool:
        """Whether a job may have failed, waited and been promoted in it. The shortest time that is
        known may be a little longer than the shortest there is."""
        span_ms = self.to_ms - self.from_ms
        return self.backoff_ms is None or span_ms > min(self.backoff_ms / 1.5, _QUICK_MS)

    @property
    def hides_a_death(self) -> bool:
        """Whether a job may have died in it that is dead no more."""
        return self.deaths is None or self.deaths > self.dead

    @property
    def lacks_deaths(self) -> bool:
        """Whether some that are dead did not die but were buried, though no audit says so."""
        return self.deaths is not None and self.deaths < self.dead

    @property
    def may_be_buried(self) -> bool:
        return not self.touches.isdisjoint(TO_THE_DEAD)

    @property
    def is_touched(self) -> bool:
        """Whether an operator may have moved the job between its sets."""
        return not self.touches <= _HARMLESS


@dataclass(frozen=True)
class Verdict:
    """What became of the lease. `stalled` is the stall count after it, `None` when not known;
    `has_error`: it died of the error that the row has now."""

    kind: EndingKind
    stalled: int | None = None
    has_error: bool = False


_UNCERTAIN = Verdict(EndingKind.UNCERTAIN)
_REAPED = Verdict(EndingKind.REAPED)


def judge(lease: Lease, left: Sight, window: Window) -> Verdict | None:
    """How the lease ended; `None` when it was completed, failed and will be tried again, or left
    no trace. `left` was seen at the end of the window; the lease is not in flight any more, or
    what is in flight is another."""
    if not left.has_row:
        return None
    if left.attempts is None or lease.attempts is None:
        return _unnumbered(lease, left, window)
    if left.attempts < lease.attempts:
        return None
    is_same = left.attempts == lease.attempts
    if left.stalled > lease.stalled:
        return _swept(lease, left, window) if is_same else _swept_before(lease, left, window)
    return _uncounted(lease, left, window) if is_same else _uncounted_before(lease, left, window)


def lapsed(lease: Lease, window: Window) -> bool:
    return lease.deadline_ms <= window.to_ms


def _unnumbered(lease: Lease, left: Sight, window: Window) -> Verdict | None:
    """Without a number for attempts only a sweep is told from the rest."""
    if left.attempts is None and left.stalled == lease.stalled + 1:
        return _swept(lease, left, window)
    return None


def _swept(lease: Lease, left: Sight, window: Window) -> Verdict | None:
    """The stall count rose, and nobody has claimed the job since."""
    if left.state == ACTIVE and window.is_gap:
        # The lease of another life.
        return None
    doubt = Verdict(EndingKind.UNCERTAIN, left.stalled)
    if left.stalled != lease.stalled + 1:
        return doubt
    has_died = _died_of_the_sweep(lease, left, window)
    if has_died is None:
        return doubt
    return Verdict(EndingKind.DEAD if has_died else EndingKind.RECOVERED, left.stalled)


def _died_of_the_sweep(lease: Lease, left: Sight, window: Window) -> bool | None:
    """Whether the sweep killed it; `None` when that cannot be told."""
    if left.state == DEAD and left.mark == _STALLED_MARK:
        return None if window.may_be_buried or window.lacks_deaths else True
    # A job that stood in other sets all the time may have been dead before, or been requeued.
    is_hidden = window.is_gap or window.is_touched
    if left.mark is None and lease.mark is None:
        # To die and be requeued, it would have got an error and lost it again.
        return None if is_hidden or window.hides_a_death else False
    is_hidden = is_hidden or lease.is_elsewhere
    if left.mark is None or window.hides_a_death:
        # It has died, of the sweep or of a late failure behind it, or may have.
        return None
    is_sure = left.mark != _STALLED_MARK or not left.is_dead
    if left.state == PENDING and left.mark == lease.mark and is_sure:
        return None if window.is_gap else False
    # It failed after the sweep, which takes it out of neither pending nor dead.
    is_hidden = is_hidden or left.deadline_ms is not None
    return None if is_hidden or left.state == DEAD else left.is_dead


def _swept_before(lease: Lease, left: Sight, window: Window) -> Verdict | None:
    """The stall count rose, and the job was claimed since."""
    doubt = Verdict(EndingKind.UNCERTAIN, left.stalled)
    if window.is_gap or not lapsed(lease, window):
        return doubt if lapsed(lease, window) or not window.is_gap else None
    if left.stalled != lease.stalled + 1 or window.is_touched:
        return doubt
    if window.hides_a_death:
        # It may have died and been requeued by a program that the audit does not name.
        return doubt
    if left.mark == lease.mark:
        return Verdict(EndingKind.RECOVERED, left.stalled)
    # The error, or its lack, may be of a lease after this one.
    is_odd = left.mark is None or left.mark == _STALLED_MARK or _is_alone(lease, left)
    return doubt if is_odd else Verdict(EndingKind.RECOVERED, left.stalled)


def _uncounted(lease: Lease, left: Sight, window: Window) -> Verdict | None:
    """No sweep, no claim."""
    if left.state == ACTIVE or left.stalled < lease.stalled:
        return _forgotten(lease, left, window)
    if left.mark is None and lease.mark is not None:
        return _requeued(lease, window)
    if left.state == DEAD:
        return _dead(lease, left, window)
    if not lapsed(lease, window):
        return None
    if left.state == SCHEDULED:
        # A late failure puts a job that waits again, because it was reaped, into schedule as well.
        return _UNCERTAIN if left.waits else None
    is_back = left.state == PENDING and left.mark == lease.mark
    return _reaped(lease, window) if is_back else None


def _forgotten(lease: Lease, left: Sight, window: Window) -> Verdict | None:
    """With less stalls than before, it is the row of another life, or was requeued without them."""
    is_less = left.stalled < lease.stalled
    return _UNCERTAIN if is_less and window.is_touched else None


def _dead(lease: Lease, left: Sight, window: Window) -> Verdict | None:
    if left.mark is None:
        return None
    if window.may_be_buried or (left.waits and lapsed(lease, window)):
        return _UNCERTAIN
    if lease.is_elsewhere and left.mark == lease.mark:
        # It was dead already, as when a late extend revived it.
        return _UNCERTAIN if lapsed(lease, window) else None
    if window.deaths is None or window.lacks_deaths:
        return _UNCERTAIN
    return Verdict(EndingKind.FAILED, has_error=True)


def _requeued(lease: Lease, window: Window) -> Verdict | None:
    """The error is gone: the job was dead, and no sweep killed it. One that was reaped may have
    died of a late failure."""
    if lapsed(lease, window) or lease.is_elsewhere:
        return _UNCERTAIN if lapsed(lease, window) else None
    if window.is_gap or window.is_touched or not window.hides_a_death:
        return _UNCERTAIN
    return Verdict(EndingKind.FAILED)


def _reaped(lease: Lease, window: Window) -> Verdict:
    """Back without a count, with the error it had. A failure with the same text looks the same."""
    if window.is_gap or window.is_touched or window.hides_a_death:
        return _UNCERTAIN
    if lease.mark is not None and window.hides_a_failure:
        return _UNCERTAIN
    return _REAPED


def _uncounted_before(lease: Lease, left: Sight, window: Window) -> Verdict | None:
    """No sweep, but the job was claimed since."""
    if left.stalled < lease.stalled:
        return _forgotten(lease, left, window)
    doubt = _UNCERTAIN if lapsed(lease, window) else None
    if lease.is_elsewhere:
        # It waited while it was in flight, so a claim needed nobody to end it.
        return doubt
    if left.mark is None and lease.mark is not None:
        return _requeued(lease, window) if _is_alone(lease, left) else doubt
    if doubt is None or left.mark == lease.mark:
        return doubt and _reaped(lease, window)
    return None if _is_alone(lease, left) else _failed_since(window)


def _failed_since(window: Window) -> Verdict:
    """It was claimed again, and that lease failed; this one too, if there was time for it."""
    is_hidden = window.is_gap or window.is_touched or window.hides_a_failure
    is_hidden = is_hidden or window.hides_a_death
    return _UNCERTAIN if is_hidden else _REAPED


def _is_alone(lease: Lease, left: Sight) -> bool:
    """Whether no lease but this one has ended: the next one is in flight."""
    return left.attempts == (lease.attempts or 0) + 1 and left.state == ACTIVE
