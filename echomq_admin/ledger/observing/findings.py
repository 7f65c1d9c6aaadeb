"""What is entered of leases that are over: the verdict on each as a finding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import redis

from echomq_admin.emq.audit import Moved
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.emq.sights import ACTIVE, Sight
from echomq_admin.emq.touches import UNTOLD, Touch, Touches, touches
from echomq_admin.ledger.endings.book import Finding
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.judge import (
    DEAD,
    PENDING,
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

    The audit says in which of them an operator had a hand. One round trip as a rule, or none when
    nothing is told. Whatever is wrong with a queue is told by calling `broke` while that is
    handled, and stops no other. Raises redis-py's errors.
    """
    over = {queue: _each(queue, partial(_over, some), broke) for queue, some in looks.items()}
    over = {queue: some for queue, some in over.items() if some}
    if not over:
        return {}
    since = {queue: min(map(_since_ms, some)) for queue, some in over.items()}
    jobs = {queue: {id for seen in some for id in _named(seen)} for queue, some in over.items()}
    known = touches(client, since, jobs)
    found = {
        queue: _each(queue, partial(_findings, some, known[queue]), broke)
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


def _findings(looks: Iterable[Seen], known: Touches) -> list[tuple[bytes, Finding]]:
    found: list[tuple[bytes, Finding]] = []
    for seen in looks:
        sure = [_touched(one, known) for one in seen.ended]
        dead = len({one.raw for one in sure if _is_dead(one)} | _died(seen, known))
        for one in (_with(one, dead=dead) for one in sure):
            if verdict := _verdict(one):
                found.append((one.raw, _finding(one, verdict)))
    return found


def _touched(one: Ended, known: Touches) -> Ended:
    """With what the audit tells: of a job that was moved by hand, how it was until then."""
    job_id, from_ms = from_wire(one.raw), one.window.from_ms
    left = _before(one, known.first(job_id, from_ms))
    if left is not None:
        return replace(_with(one, touches=frozenset()), left=left)
    return _with(one, touches=known.verbs(job_id, from_ms))


def _before(one: Ended, touch: Touch | None) -> Sight | None:
    """What was left of the lease when an operator first moved the job; `None` where the audit does
    not tell that."""
    lease, moved = one.lease, touch.moved if touch else None
    if touch is None or moved is None or not _is_of_lease(lease, moved):
        return None
    is_swept = (moved.attempts, moved.stalled) == (lease.attempts, lease.stalled + 1)
    is_dead = (touch.op, moved.outcome) == ("requeue", "requeued")
    # What was buried may have been scheduled, too: a stall says that it was not.
    if not is_dead and not (is_swept and (touch.op, moved.outcome) == ("bury", "buried")):
        return None
    return Sight(
        True,
        state=DEAD if is_dead else PENDING,
        attempts=moved.attempts,
        stalled=moved.stalled or 0,
        lane=moved.group,
        error=moved.error,
        error_size=None if moved.error is None else len(moved.error),
        waits=not is_dead,
        is_dead=is_dead,
    )


def _is_of_lease(lease: Lease, moved: Moved) -> bool:
    """Whether the job was moved behind the end of the lease, from a place it had come to by that,
    and all is told of it. With fewer attempts it was moved before the lease began."""
    is_behind = None not in (lease.attempts, moved.attempts) and moved.attempts >= lease.attempts
    return is_behind and moved.deadline_ms is None and not (moved.error_cut or lease.is_elsewhere)


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
    if left.state != DEAD or left.mark is None or one.window.may_be_buried:
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
