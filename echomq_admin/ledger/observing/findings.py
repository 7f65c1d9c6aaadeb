"""What is entered of leases that are over: the verdict on each as a finding."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import redis

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.emq.touches import Touches, touches
from echomq_admin.ledger.endings.book import Finding
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.judge import Verdict, judge, lapsed
from echomq_admin.ledger.observing.watch import Ended

_AFTER_THE_DEADLINE = {EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.REAPED}


def told(
    client: redis.Redis, ended: Mapping[str, Sequence[Ended]]
) -> dict[str, list[tuple[bytes, Finding]]]:
    """The findings of each queue, each with the wire id of its job; none where none is told.

    The audit says in which of them an operator had a hand. One round trip, or none when nothing
    is told. Raises redis-py's errors.
    """
    over = {queue: [one for one in some if _verdict(one)] for queue, some in ended.items()}
    over = {queue: some for queue, some in over.items() if some}
    since = {queue: min(one.window.from_ms for one in some) for queue, some in over.items()}
    known = touches(client, since) if since else {}
    return {queue: list(_findings(some, known[queue])) for queue, some in over.items()}


def _findings(ended: Iterable[Ended], known: Touches) -> Iterator[tuple[bytes, Finding]]:
    for one in ended:
        verbs = known.of(from_wire(one.raw))
        sure = replace(one, window=replace(one.window, touches=verbs)) if verbs else one
        verdict = _verdict(sure)
        if verdict:
            yield one.raw, _finding(sure, verdict)


def _verdict(one: Ended) -> Verdict | None:
    return judge(one.lease, one.left, one.window)


def _finding(one: Ended, verdict: Verdict) -> Finding:
    lease, left, window = one.lease, one.left, one.window
    deadline = math.floor(lease.deadline_ms) if math.isfinite(lease.deadline_ms) else None
    return Finding(
        job_id=from_wire(one.raw),
        attempts=lease.attempts,
        kind=verdict.kind,
        source=Source.OBSERVER,
        ended_ms=window.to_ms,
        within_ms=max(0, window.to_ms - _after_ms(one, verdict)),
        deadline_ms=deadline,
        stalled=_stalled(lease, verdict),
        renewals=lease.renewals,
        lane=lease.lane if left.lane is None else left.lane,
        error=left.error if verdict.has_error else None,
        error_size=left.error_size if verdict.has_error else None,
        is_new_life=one.is_new_life,
        is_revived=lease.is_revived,
    )


def _stalled(lease: Lease, verdict: Verdict) -> int | None:
    """The count after it: what neither a sweep nor doubt has touched is as it was."""
    is_told = verdict.stalled is not None or verdict.kind == EndingKind.UNCERTAIN
    return verdict.stalled if is_told else lease.stalled


def _after_ms(one: Ended, verdict: Verdict) -> int:
    """The lease ended after this: sweep and reap take only what has lapsed."""
    window = one.window
    is_early = "recover_now" in window.touches or not lapsed(one.lease, window)
    if verdict.kind not in _AFTER_THE_DEADLINE or is_early:
        return window.from_ms
    deadline = one.lease.deadline_ms
    lapsed_ms = math.floor(deadline) - 1 if math.isfinite(deadline) else 0
    return max(window.from_ms, lapsed_ms)
