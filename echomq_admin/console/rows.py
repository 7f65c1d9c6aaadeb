"""What the row templates draw: records with every text ready, so that a template only places it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2s
from types import EllipsisType

from echomq_admin.console import links, payloads, times, words
from echomq_admin.console.payloads import Sight
from echomq_admin.console.places import Place
from echomq_admin.console.times import countdown
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.emq.preview import fate_of
from echomq_admin.emq.reads import Fate, Lease
from echomq_admin.emq.rows import Job
from echomq_admin.fleet.names import brief, shown, to_url

MAX_PIPS = 5
# How much of a state or a lane is shown in a remark.
_STATE = 40
_EXACT = 2**53
_DEADLY = frozenset({"dead", "unreadable"})
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
class Listing:
    """What the rows of a page share: where they are, the `state` that their list stands for, and
    the `max_stalled` of the queue's sweeps. `lane` is that of the list, `None` for no lane and
    `...` where a list holds jobs of any."""

    place: Place
    state: str
    now_ms: int
    max_stalled: int
    lane: str | EllipsisType | None = ...


@dataclass(frozen=True, slots=True)
class Stamp:
    """The score of a row as an instant: `ms`, or `None` for one that is none, which `text` then
    shows as it is; `is_due` when it has come."""

    ms: float | None
    text: str
    is_due: bool


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job of a list. `key` carries id, attempts and stalls as seen to the action; `help` says
    what to do about a `fault`; `odd` says how the row and its list disagree. `href` is empty for
    an id that is too long for an address, `lane_href` for a lane without a page."""

    dom_id: str
    key: str
    name: str
    href: str
    fault: str
    help: str
    odd: str
    state: str
    attempts: str
    stalls: Pips
    lane: str
    lane_href: str
    parent: str
    error: Sight
    payload: Sight
    progress: Sight
    minted_ms: int | None
    stamp: Stamp
    refusal: str
    ticked: bool

    @property
    def error_id(self) -> str:
        return self.dom_id + "e"

    @property
    def payload_id(self) -> str:
        return self.dom_id + "p"

    @property
    def progress_id(self) -> str:
        return self.dom_id + "g"

    @property
    def fault_id(self) -> str:
        return self.dom_id + "f"


@dataclass(frozen=True, slots=True)
class Countdown:
    """What is left of a lease. `fill` is how much of the bar (0 to 100) is left on the page's
    scale."""

    phase: str
    left: str
    remaining_ms: float | None
    fill: float


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """A job in flight; `fate` is what the next sweep does with a lapsed one, "?" when unknown."""

    job: JobRow
    lease: Countdown
    fate: str
    dies: bool


@dataclass(frozen=True, slots=True)
class FateRow:
    """A row of the sweep's preview."""

    dom_id: str
    name: str
    fault: str
    phase: str
    left: str
    remaining_ms: float | None
    attempts: str
    stalls: Pips
    fate: str
    dies: bool


def dom_id(name: str, kind: str = "r") -> str:
    """A short stable element id for any bytes; a letter tells what kind of thing they name."""
    return kind + blake2s(to_wire(name), digest_size=8).hexdigest()


def key(job: Job) -> str:
    """`attempts:stalls:name`, the form value of a job; an unreadable number is left out.

    Empty for an id that is too long for a form.
    """
    if len(job.job_id) > links.LONGEST_ID:
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


def job_row(job: Job, listing: Listing, refusals: Mapping[str, str] | None = None) -> JobRow:
    """A row of a list. `refusals` are those of the call just made, by id."""
    place, refused = listing.place, refusals or {}
    see, form = words.see(place, job.job_id), key(job)
    return JobRow(
        dom_id=dom_id(job.job_id),
        key=form,
        name=brief(job.job_id),
        href=links.job_href(place.server.name, place.queue, job.job_id),
        fault=shown(job.fault) if job.fault else "",
        help=words.mend(place, job) if job.fault else "",
        odd=_odd(job, listing),
        state="–" if job.state is None else brief(from_wire(job.state), _STATE),
        attempts=_number(job.attempts, job.fault),
        stalls=pips(None if job.fault else job.stalled, listing.max_stalled),
        lane="" if job.group is None else brief(job.group),
        lane_href=_lane_href(place, job.group),
        parent="" if job.parent is None else brief(job.parent),
        error=payloads.sight(job.error, see=see),
        payload=payloads.sight(job.payload, "no payload", see),
        progress=payloads.sight(job.progress, see=see),
        minted_ms=job.minted_ms,
        stamp=stamp(job.score, listing.now_ms),
        refusal=refused.get(job.job_id, "") or ("" if form else words.TOO_LONG),
        ticked=job.job_id in refused,
    )


def stamp(score: float | None, now_ms: int) -> Stamp:
    """A score as an instant. Scores from 1970 to the end of the calendar are times."""
    score = math.inf if score is None else score
    is_due = score <= now_ms
    if score >= 0 and times.instant(score) is not None:
        return Stamp(score, "", is_due)
    is_whole = math.isfinite(score) and abs(score) < _EXACT and score == int(score)
    return Stamp(None, str(int(score)) if is_whole else f"{score:g}", is_due)


def _odd(job: Job, listing: Listing) -> str:
    """How a row contradicts the list that holds it; empty when it does not."""
    if job.fault:
        return ""
    if job.state is None:
        return "row has no state"
    if job.state != listing.state.encode():
        return f"row says {brief(from_wire(job.state), _STATE)}"
    if listing.lane is ... or job.group == listing.lane:
        return ""
    return "row says no lane" if job.group is None else f"row says lane {brief(job.group, _STATE)}"


def _lane_href(place: Place, group: str | None) -> str:
    return "" if group is None else links.lane_href(place.server.name, place.queue, group)


def scale_ms(leases: tuple[Lease, ...]) -> float:
    """The length of a full bar: the smallest round span that holds the leases of the page."""
    longest = max((x.remaining_ms for x in leases if math.isfinite(x.remaining_ms)), default=0)
    return next((scale for scale in _SCALES_MS if longest <= scale), longest)


def lease_row(lease: Lease, listing: Listing, scale: float) -> LeaseRow:
    """A row of the active tab."""
    job = lease.job
    verdict = _verdict(job, listing.max_stalled) if lease.phase == "lapsed" else ""
    lane = None if job.group is None else brief(job.group)
    is_known = verdict not in {"", "?"}
    return LeaseRow(
        job=job_row(job, listing),
        lease=_countdown(lease, scale),
        fate=words.short_fate(verdict, job.stalled, lane) if is_known else verdict,
        dies=verdict in _DEADLY,
    )


def _verdict(job: Job, max_stalled: int) -> str:
    """What the next sweep says, "?" where the list has not read what decides where the job goes."""
    verdict = fate_of(job, is_homeless=False, max_stalled=max_stalled)
    return "?" if job.fault and verdict not in words.LOST else verdict


def fate_row(fate: Fate, max_stalled: int) -> FateRow:
    """A row of the sweep's preview."""
    job, left = fate.lease.job, _countdown(fate.lease, 1)
    lane = None if job.group is None else brief(job.group)
    return FateRow(
        dom_id=dom_id(job.job_id),
        name=brief(job.job_id),
        fault=shown(job.fault) if job.fault else "",
        phase=left.phase,
        left=left.left,
        remaining_ms=left.remaining_ms,
        attempts=_number(job.attempts, job.fault),
        stalls=pips(None if job.fault else job.stalled, max_stalled),
        fate=words.fate(fate.fate, job.stalled, lane),
        dies=fate.fate in _DEADLY,
    )


def _countdown(lease: Lease, scale: float) -> Countdown:
    left_ms = lease.remaining_ms
    return Countdown(
        phase=lease.phase,
        left=countdown(left_ms),
        remaining_ms=round(left_ms, 1) if math.isfinite(left_ms) else None,
        fill=_fill(left_ms, scale),
    )


def _fill(remaining_ms: float, scale: float) -> float:
    if remaining_ms <= 0:
        return 0
    return round(min(100.0, 100 * remaining_ms / scale), 1) if scale else 100


def _number(value: int | None, fault: str | None) -> str:
    return "?" if value is None or fault else f"{value:,}"
