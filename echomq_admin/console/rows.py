"""What the row templates draw: records with every text ready, so that a template only places it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2s

from echomq_admin.console import payloads, words
from echomq_admin.console.payloads import Sight
from echomq_admin.console.places import Place
from echomq_admin.console.times import countdown
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.reads import Fate, Lease
from echomq_admin.emq.rows import Job
from echomq_admin.fleet.names import brief, shown, to_url

MAX_PIPS = 5
_SCALES_MS = (10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 86_400_000)


@dataclass(frozen=True, slots=True)
class Pips:
    """A stall count as dots: `on` filled, `off` empty; `text` is the number or "?".

    `why` says in words what the dots mean.
    """

    text: str
    on: range
    off: range
    why: str


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job of a list. `key` carries id, attempts and stalls as seen to the action; `help` says
    what to do about a `fault`."""

    dom_id: str
    key: str
    name: str
    fault: str
    help: str
    attempts: str
    stalls: Pips
    lane: str
    error: Sight
    payload: Sight
    minted_ms: int | None
    refusal: str
    ticked: bool

    @property
    def error_id(self) -> str:
        return self.dom_id + "e"

    @property
    def payload_id(self) -> str:
        return self.dom_id + "p"

    @property
    def fault_id(self) -> str:
        return self.dom_id + "f"


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """A job in flight. `fill` is how much of the bar (0 to 100) is left on the page's scale."""

    dom_id: str
    name: str
    fault: str
    phase: str
    left: str
    remaining_ms: float | None
    fill: float
    attempts: str
    stalls: Pips
    lane: str
    fate: str
    dies: bool


def dom_id(job_id: str) -> str:
    """A short stable element id for any bytes."""
    return "r" + blake2s(to_wire(job_id), digest_size=8).hexdigest()


def key(job: Job) -> str:
    """`attempts:stalls:name`, the form value of a job; an unreadable number is left out.

    Empty for an id that is too long for a form.
    """
    if len(job.job_id) > words.LONGEST_ID:
        return ""
    attempts = "" if job.attempts is None or job.fault else job.attempts
    stalled = "" if job.stalled is None or job.fault else job.stalled
    return f"{attempts}:{stalled}:{to_url(job.job_id)}"


def pips(stalled: int | None, budget: int) -> Pips:
    """The dots of a stall count against the budget; no dots when they would be too many."""
    if stalled is None:
        return Pips("?", range(0), range(0), "the stall count cannot be read")
    why = words.stalls(stalled, budget)
    if not 0 <= stalled <= MAX_PIPS or budget > MAX_PIPS:
        return Pips(f"{stalled:,}", range(0), range(0), why)
    return Pips(str(stalled), range(stalled), range(max(0, budget - stalled)), why)


def job_row(job: Job, refusals: Mapping[str, str], place: Place) -> JobRow:
    """A row of the pending or the dead tab. `refusals` are those of the call just made, by id."""
    see = words.see(place, job.job_id)
    return JobRow(
        dom_id=dom_id(job.job_id),
        key=key(job),
        name=brief(job.job_id),
        fault=shown(job.fault) if job.fault else "",
        help=words.mend(place, job) if job.fault else "",
        attempts=_number(job.attempts, job.fault),
        stalls=pips(None if job.fault else job.stalled, words.SWEEP_STARTS_AT),
        lane="" if job.group is None else brief(job.group),
        error=payloads.sight(job.error, see=see),
        payload=payloads.sight(job.payload, "no payload", see),
        minted_ms=job.minted_ms,
        refusal=refusals.get(job.job_id, "") or (words.TOO_LONG if not key(job) else ""),
        ticked=job.job_id in refusals,
    )


def scale_ms(leases: tuple[Lease, ...]) -> float:
    """The length of a full bar: the smallest round span that holds the leases of the page."""
    longest = max((x.remaining_ms for x in leases if math.isfinite(x.remaining_ms)), default=0)
    return next((scale for scale in _SCALES_MS if longest <= scale), longest)


def lease_row(lease: Lease, scale: float, max_stalled: int) -> LeaseRow:
    """A row of the active tab."""
    verdict = _verdict(lease.job, max_stalled) if lease.phase == "lapsed" else ""
    return _lease_row(lease, scale, max_stalled, verdict, words.short_fate)


def fate_row(fate: Fate, max_stalled: int) -> LeaseRow:
    """A row of the sweep's preview."""
    return _lease_row(fate.lease, 1, max_stalled, fate.fate, words.fate)


def _lease_row(
    lease: Lease, scale: float, max_stalled: int, verdict: str, say: Callable[..., str]
) -> LeaseRow:
    job, finite = lease.job, math.isfinite(lease.remaining_ms)
    lane = None if job.group is None else brief(job.group)
    return LeaseRow(
        dom_id=dom_id(job.job_id),
        name=brief(job.job_id),
        fault=shown(job.fault) if job.fault else "",
        phase=lease.phase,
        left=countdown(lease.remaining_ms),
        remaining_ms=round(lease.remaining_ms, 1) if finite else None,
        fill=_fill(lease.remaining_ms, scale),
        attempts=_number(job.attempts, job.fault),
        stalls=pips(None if job.fault else job.stalled, max_stalled),
        lane=lane or "",
        fate=say(verdict, job.stalled, lane) if verdict else "",
        dies=verdict in {"dead", "unreadable"},
    )


def _verdict(job: Job, max_stalled: int) -> str:
    if job.fault:
        return "orphaned" if job.fault == "row missing" else "unreadable"
    return "dead" if (job.stalled or 0) + 1 >= max_stalled else "recovered"


def _fill(remaining_ms: float, scale: float) -> float:
    if remaining_ms <= 0:
        return 0
    return round(min(100.0, 100 * remaining_ms / scale), 1) if scale else 100


def _number(value: int | None, fault: str | None) -> str:
    return "?" if value is None or fault else f"{value:,}"
