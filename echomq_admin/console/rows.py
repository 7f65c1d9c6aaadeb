"""The rows of lists, drawn from what was read: a template only places them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2s
from types import EllipsisType

from echomq_admin.console import links, payloads, times, words
from echomq_admin.console.budget import BRIEF, Budget
from echomq_admin.console.drawn import Countdown, FateRow, JobRow, LeaseRow, Pips, Stamp
from echomq_admin.console.offers import Bar
from echomq_admin.console.payloads import Sight
from echomq_admin.console.places import Place
from echomq_admin.console.renewed import Flights, renewed
from echomq_admin.console.times import countdown
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.emq.preview import fate_of
from echomq_admin.emq.reads import Fate, Lease
from echomq_admin.emq.rows import Job, Text
from echomq_admin.fleet.names import brief, shown, to_url

MAX_PIPS = 5
# How much of a state or a lane is shown in a remark.
_STATE = 40
_DEADLY = frozenset({"dead", "unreadable"})
_SCALES_MS = (10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 86_400_000)


@dataclass(frozen=True, slots=True)
class Listing:
    """What the rows of a page share: where they are, the `state` that their list stands for, and
    the `max_stalled` of the queue's sweeps. `lane` is that of the list, `None` for no lane and
    `...` where a list holds jobs of any. `shown` are its columns, `budget` is what they share.
    `lease_ms` is the length of leases in the settings, `None` when they tell none. `bar` is what
    the person may do with the jobs, `refusals` those of the call just made, by id; `ticks` says
    whether it was ticked jobs of a list that it was made for."""

    place: Place
    state: str
    now_ms: int
    max_stalled: int
    lane: str | EllipsisType | None = ...
    shown: frozenset[str] = frozenset({"error", "payload", "progress"})
    budget: Budget = field(default_factory=Budget)
    lease_ms: int | None = None
    bar: Bar = field(default_factory=Bar)
    refusals: Mapping[str, str] = field(default_factory=dict)
    ticks: bool = True


def dom_id(name: str, kind: str = "r") -> str:
    """A short stable element id for any bytes; a letter tells what kind of thing they name."""
    return kind + blake2s(to_wire(name), digest_size=8).hexdigest()


def key(job: Job) -> str:
    """`attempts:stalls:name`, the form value of a job; an unreadable number is left out.

    Empty for an id that is too long for a form.
    """
    if len(job.job_id) > links.LONGEST_ID:
        return ""
    attempts = "" if job.attempts is None or not job.is_movable else job.attempts
    stalled = "" if job.stalled is None or not job.is_movable else job.stalled
    return f"{attempts}:{stalled}:{to_url(job.job_id)}"


def pips(stalled: int | None, budget: int) -> Pips:
    """The dots of a stall count against the budget; no dots when they would be too many."""
    if stalled is None:
        return Pips("?", range(0), range(0), "the stall count cannot be read")
    why = words.stalls(stalled, budget)
    if not 0 <= stalled <= MAX_PIPS or budget > MAX_PIPS:
        return Pips(f"{stalled:,}", range(0), range(0), why)
    return Pips(str(stalled), range(stalled), range(max(0, budget - stalled)), why)


def job_row(job: Job, listing: Listing) -> JobRow:
    """A row of a list."""
    place, refused, budget = listing.place, listing.refusals, listing.budget
    href = budget.link(links.job_href(place.server.name, place.queue, job.job_id))
    form = budget.form(key(job), listing.bar.uses) if _is_offered(job, listing) else ""
    name, lane = _name(job.job_id, budget, 4), _name(job.group, budget, 2)
    return JobRow(
        dom_id=dom_id(job.job_id),
        key=form,
        is_movable=job.is_movable,
        name=name,
        href=href,
        fault=shown(job.fault) if job.fault else "",
        help=_help(job, listing) if job.fault else "",
        odd=_odd(job, listing),
        state=_state(job),
        attempts=_number(job.attempts, not job.is_movable),
        stalls=pips(job.stalled if job.is_movable else None, listing.max_stalled),
        lane=lane,
        lane_href=budget.link(_lane_href(place, job.group)),
        parent=_name(job.parent, budget, 2),
        error=_sight("error", job.error, listing),
        payload=_sight("payload", job.payload, listing, "no payload"),
        progress=_sight("progress", job.progress, listing),
        minted_ms=job.minted_ms,
        stamp=stamp(job.score, listing.now_ms),
        refusal=refused.get(job.job_id, "") or _no_form(job, listing, form, href),
        ticked=listing.ticks and job.job_id in refused,
    )


def _name(name: str | None, budget: Budget, times: int) -> str:
    """A name that stands so often in its row."""
    text = "" if name is None else brief(name)
    return text if name is None or budget.line(text, times) else brief(name, BRIEF)


def _sight(column: str, text: Text | None, listing: Listing, absent: str = "–") -> Sight:
    if column not in listing.shown:
        return Sight("")
    seen, budget = payloads.sight(text, absent), listing.budget
    if not budget.line(seen.line):
        seen = payloads.sight(text, absent, BRIEF)
    return seen if budget.text(seen.full) else replace(seen, full="", is_part=True)


def _help(job: Job, listing: Listing) -> str:
    said = words.mend(listing.place, job)
    return said if listing.budget.text(said) else words.MEND_THERE


def _is_offered(job: Job, listing: Listing) -> bool:
    """Whether the person may do something with this job; a lost one can only be removed."""
    return listing.bar.is_any if job.is_movable else listing.bar.lost is not None


def _no_form(job: Job, listing: Listing, form: str, href: str) -> str:
    """Why a job has no box and no button although something could be done with it."""
    if form or not listing.bar.is_any:
        return ""
    if len(job.job_id) > links.LONGEST_ID:
        return words.TOO_LONG
    if not _is_offered(job, listing):
        return ""
    return words.NO_ROOM if href else words.NO_LINK


def _state(job: Job) -> str:
    if job.state is None:
        return "?" if job.odd or not job.is_read else "–"
    return brief(from_wire(job.state), _STATE)


def stamp(score: float | None, now_ms: int) -> Stamp:
    """A score as an instant. Scores from 1970 to the end of the calendar are times."""
    score = math.inf if score is None else score
    is_due = score <= now_ms
    if score >= 0 and times.instant(score) is not None:
        return Stamp(score, "", is_due)
    return Stamp(None, times.number(score), is_due)


def _odd(job: Job, listing: Listing) -> str:
    """How a row contradicts the list that holds it; empty when it does not."""
    if job.fault:
        return ""
    if job.odd:
        return job.odd
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


def lease_row(
    lease: Lease, listing: Listing, scale: float, flights: Flights | None = None
) -> LeaseRow:
    """A row of the active tab; `flights` is what the agent knows of the leases, `None` when it
    does not watch."""
    job = lease.job
    verdict = _verdict(job, listing.max_stalled) if lease.phase == "lapsed" else ""
    lane = None if job.group is None else brief(job.group)
    is_known = verdict not in {"", "?"}
    return LeaseRow(
        job=job_row(job, listing),
        lease=_countdown(lease, scale),
        fate=words.short_fate(verdict, job.stalled, lane) if is_known else verdict,
        dies=verdict in _DEADLY,
        sign_ms=_sign_ms(lease.deadline_ms, listing),
        renewed=renewed(lease, flights, listing.now_ms),
    )


def _sign_ms(deadline_ms: float, listing: Listing) -> float | None:
    """When a lease was made or renewed, if it has the length that is set for the queue."""
    sign = deadline_ms - (listing.lease_ms or math.inf)
    return sign if math.isfinite(sign) and sign <= listing.now_ms else None


def _verdict(job: Job, max_stalled: int) -> str:
    """What the next sweep says, "?" where the list has not read what decides where the job goes."""
    if not job.is_read or (job.odd and job.group is None):
        return "?"
    return fate_of(job, is_homeless=False, max_stalled=max_stalled)


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
        attempts=_number(job.attempts, not job.is_movable),
        stalls=pips(job.stalled if job.is_movable else None, max_stalled),
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


def _number(value: int | None, is_unknown: bool) -> str:
    return "?" if value is None or is_unknown else f"{value:,}"
