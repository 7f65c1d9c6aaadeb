"""What is entered of leases that are over: the verdict on each as a finding."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import redis

from echomq_admin.emq.audit import Moved
from echomq_admin.emq.dead_sets import said_dead
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.emq.sights import ACTIVE, Sight
from echomq_admin.emq.touches import UNTOLD, Touch, Touches, touches
from echomq_admin.ledger.endings.book import Finding
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.judge import (
    DEAD,
    PENDING,
    SCHEDULED,
    TO_THE_DEAD,
    Verdict,
    judge,
    lapsed,
)
from echomq_admin.ledger.observing.looks import Ended, Seen

_AFTER_THE_DEADLINE = {EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.REAPED}


def told(
    client: redis.Redis, looks: Mapping[str, Sequence[Seen]], broke: Callable[[str], None]
) -> dict[str, list[tuple[bytes, Finding]]]:
    """The findings of each queue, each with the wire id of its job; none where none is told.

    The audit says in which of them an operator had a hand. One round trip as a rule, two more when
    jobs have come to be dead, none when nothing is told. Whatever is wrong with a queue is told by
    calling `broke` while that is handled, and stops no other. Raises redis-py's errors.
    """
    over = {queue: _each(queue, partial(_over, some), broke) for queue, some in looks.items()}
    over = {queue: some for queue, some in over.items() if some}
    if not over:
        return {}
    since = {queue: min(map(_since_ms, some)) for queue, some in over.items()}
    jobs = {queue: {id for seen in some for id in _named(seen)} for queue, some in over.items()}
    known = touches(client, since, jobs)
    came = {
        queue: {raw for seen in some for raw in seen.deaths.came} for queue, some in over.items()
    }
    dead = said_dead(client, came)
    found = {
        queue: _each(queue, partial(_findings, some, known[queue], dead[queue]), broke)
        for queue, some in over.items()
    }
    return {queue: some for queue, some in found.items() if some is not None}


def _since_ms(seen: Seen) -> int:
    froms = [one.window.from_ms for one in seen.ended]
    return min([*froms, seen.deaths.since_ms] if seen.deaths.came else froms)


def _named(seen: Seen) -> Iterable[str]:
    return map(from_wire, [*(one.raw for one in seen.ended), *seen.deaths.came])


Worked = TypeVar("Worked")


def _each(queue: str, work: Callable[[], Worked], broke: Callable[[str], None]) -> Worked | None:
    try:
        return work()
    except Exception:
        broke(queue)
        return None


def _over(looks: Iterable[Seen]) -> list[Seen]:
    """The looks with those leases of which something is told, whatever the audit says."""
    over = (replace(seen, ended=list(filter(_may_be_told, seen.ended))) for seen in looks)
    return [seen for seen in over if seen.ended]


def _may_be_told(one: Ended) -> bool:
    """Whatever the audit says. It may say that a job which waits, or is in flight, was dead."""
    if not one.left.has_row or one.left.state in {PENDING, ACTIVE}:
        return one.left.has_row
    return _verdict(_with(one, touches=frozenset({UNTOLD}))) is not None


def _findings(
    looks: Iterable[Seen], known: Touches, dead: Collection[bytes]
) -> list[tuple[bytes, Finding]]:
    """`dead` are those who came to be dead whose row says so, too."""
    found: list[tuple[bytes, Finding]] = []
    for seen in looks:
        sure = [_touched(one, known) for one in seen.ended]
        died = {one.raw for one in sure if _is_dead(one) or _was_requeued(one, known)}
        died |= _died(seen, known).intersection(dead)
        for one in (_with(one, dead=len(died)) for one in sure):
            if verdict := _verdict(one):
                found.append((one.raw, _finding(one, verdict)))
    return found


def _touched(one: Ended, known: Touches) -> Ended:
    """With what the audit tells: of a job that was buried by hand, how it was until then."""
    touch = _first(one, known)
    if touch and _is_swept(one.lease, touch):
        # What was buried may have been scheduled, too: a stall says that it was not.
        return replace(_with(one, touches=frozenset()), left=_waiting(touch.moved))
    return _with(one, touches=known.verbs(from_wire(one.raw), one.window.from_ms))


def _first(one: Ended, known: Touches) -> Touch | None:
    """What moved the job first behind the end of the lease, from a place that it had come to by
    that; `None` where not all of that is told. With fewer attempts it was moved before the lease
    began."""
    lease, window = one.lease, one.window
    touch = known.first(from_wire(one.raw), window.from_ms, window.to_ms)
    if touch is None or lease.attempts is None or lease.is_elsewhere:
        return None
    moved = touch.moved
    is_behind = moved.attempts is not None and moved.attempts >= lease.attempts
    return touch if is_behind and moved.deadline_ms is None and not moved.error_cut else None


def _is_swept(lease: Lease, touch: Touch) -> bool:
    moved = touch.moved
    is_buried = (touch.op, moved.outcome) == ("bury", "buried")
    return is_buried and (moved.attempts, moved.stalled) == (lease.attempts, lease.stalled + 1)


def _waiting(moved: Moved) -> Sight:
    return Sight(
        True,
        state=PENDING,
        attempts=moved.attempts,
        stalled=moved.stalled or 0,
        lane=moved.group,
        error=moved.error,
        error_size=None if moved.error is None else len(moved.error),
        waits=True,
    )


def _was_requeued(one: Ended, known: Touches) -> bool:
    """Whether it died, which an operator has undone since."""
    touch = _first(one, known)
    if touch is None or touch.moved.error is None:
        return False
    return (touch.op, touch.moved.outcome) == ("requeue", "requeued")


def _died(seen: Seen, known: Touches) -> set[bytes]:
    """Those who came to be dead, but for whom a person put there."""
    deaths = seen.deaths
    verbs = {raw: known.verbs(from_wire(raw), deaths.since_ms) for raw in deaths.came}
    return {raw for raw, some in verbs.items() if some.isdisjoint(TO_THE_DEAD)}


def _with(one: Ended, **known: object) -> Ended:
    return replace(one, window=replace(one.window, **known))


def _is_dead(one: Ended) -> bool:
    """Whether its death is among those that were counted, if it was not buried by a person whom no
    audit names."""
    lease, left = one.lease, one.left
    # A late failure takes nobody out of dead.
    is_late = left.is_dead and left.state == SCHEDULED and left.stalled > lease.stalled
    if left.mark is None or one.window.may_be_buried or not (left.state == DEAD or is_late):
        return False
    is_new = left.mark != lease.mark or left.stalled > lease.stalled
    return is_new or not lease.is_elsewhere


def _verdict(one: Ended) -> Verdict | None:
    return judge(one.lease, one.left, one.window)


def _finding(one: Ended, verdict: Verdict) -> Finding:
    lease, left, window = one.lease, one.left, one.window
    is_other = _is_of_another_life(one, verdict)
    is_dated = math.isfinite(lease.deadline_ms) and not is_other
    return Finding(
        job_id=from_wire(one.raw),
        attempts=lease.attempts,
        kind=verdict.kind,
        source=Source.OBSERVER,
        ended_ms=window.to_ms,
        within_ms=max(0, window.to_ms - _after_ms(one, verdict)),
        deadline_ms=math.floor(lease.deadline_ms) if is_dated else None,
        stalled=_stalled(lease, verdict),
        renewals=None if is_other else lease.renewals,
        lane=left.lane,
        error=left.error if verdict.has_error else None,
        error_size=left.error_size if verdict.has_error else None,
        is_new_life=one.is_new_life,
        is_revived=lease.is_revived,
    )


def _stalled(lease: Lease, verdict: Verdict) -> int | None:
    """The count after it: what neither a sweep nor doubt has touched is as it was."""
    is_told = verdict.stalled is not None or verdict.kind == EndingKind.UNCERTAIN
    return verdict.stalled if is_told else lease.stalled


def _is_of_another_life(one: Ended, verdict: Verdict) -> bool:
    """Whether what was known of the lease is not of the one that ended: only what has lapsed is
    swept or reaped."""
    is_early = not lapsed(one.lease, one.window) and "recover_now" not in one.window.touches
    return is_early and verdict.kind in _AFTER_THE_DEADLINE


def _after_ms(one: Ended, verdict: Verdict) -> int:
    """The lease ended after this: sweep and reap take only what has lapsed."""
    window = one.window
    is_early = "recover_now" in window.touches or not lapsed(one.lease, window)
    if verdict.kind not in _AFTER_THE_DEADLINE or is_early:
        return window.from_ms
    deadline = one.lease.deadline_ms
    lapsed_ms = math.floor(deadline) - 1 if math.isfinite(deadline) else 0
    return max(window.from_ms, lapsed_ms)
