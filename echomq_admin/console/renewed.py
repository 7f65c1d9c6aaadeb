"""How often the lease of each job in flight was renewed, as the agent saw it: what is slow but
alive is told from what is silent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from echomq_admin.console.drawn import Renewed
from echomq_admin.console.places import Place
from echomq_admin.console.times import ago
from echomq_admin.emq.reads import Lease
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.endings.names import find_place
from echomq_admin.ledger.observing import flights

# The agent writes what it saw every few seconds: when it is older, nobody watches.
_FRESH_MS = 15_000
# A lease is silent when it was not renewed for so many times its usual interval, and so long.
_SILENT, _LEAST_MS = 3, 3_000
_NOBODY = "no agent watches this queue, so nobody counts renewals"
_UNSEEN = "the agent has not seen this lease yet: it looks about once a second"
_WHOLE = "since the agent first saw this lease"
_PART = "at least: the agent counts them since then, and the lease may be older"


@dataclass(frozen=True)
class Flights:
    """What the agent knew of leases of a queue at `seen_ms`, by the id of the job."""

    seen_ms: int
    leases: Mapping[str, flights.Lease]


def flights_of(place: Place, job_ids: Iterable[str]) -> Flights | None:
    """What the agent knows of the leases of these jobs, `None` when none ever watched the queue."""
    seen_ms, leases = flights.of(find_place(place.server.name, place.queue), job_ids)
    return None if seen_ms is None else Flights(seen_ms, leases)


def renewed(lease: Lease, seen: Flights | None, now_ms: int) -> Renewed:
    """The renewals of a lease, by the server's clock; unknown unless the agent saw this very
    attempt."""
    if seen is None:
        return _unknown(_NOBODY)
    seen_ago_ms = now_ms - seen.seen_ms
    if seen_ago_ms > _FRESH_MS:
        return _unknown(f"the agent last looked {span(seen_ago_ms)} ago")
    flight = seen.leases.get(lease.job.job_id)
    if flight is None or lease.job.attempts is None or flight.attempts != lease.job.attempts:
        return _unknown(_UNSEEN)
    if flight.deadline_ms < lease.deadline_ms:
        # It was renewed since the agent last wrote; when, nobody knows yet.
        return _renewed(flight, flight.renewals + 1, f"last within {_short(seen_ago_ms)}")
    return _seen(flight, now_ms)


def _unknown(why: str) -> Renewed:
    return Renewed("unknown", "?", "", None, why)


def _seen(flight: flights.Lease, now_ms: int) -> Renewed:
    count, last_ms = flight.renewals, flight.renewed_ms
    if not count or last_ms is None:
        why = f"not renewed {_WHOLE}" if flight.is_whole else f"none seen; {_PART}"
        return Renewed("none", "none", "", None, why, flight.first_ms)
    usual_ms, ago_ms = max(0, last_ms - flight.first_ms) / count, max(0, now_ms - last_ms)
    every = f"renewed about every {span(usual_ms)}"
    if ago_ms > max(_SILENT * usual_ms, _LEAST_MS):
        silent = f"{every}, but not for the last {span(ago_ms)}"
        return _renewed(flight, count, f"silent for {_short(ago_ms)}", why=silent, sign="silent")
    return _renewed(flight, count, "last ", ago_ms, every)


def _renewed(
    flight: flights.Lease,
    count: int,
    text: str,
    ago_ms: int | None = None,
    why: str = "renewed",
    sign: str = "renewed",
) -> Renewed:
    told = f"{why}, {_WHOLE}" if flight.is_whole else f"{why}; {_PART}"
    since_ms = None if flight.is_whole else flight.first_ms
    least = "" if flight.is_whole else "at least "
    return Renewed(sign, f"{least}{count:,}", text, ago_ms, told, since_ms)


def _short(ms: int) -> str:
    """A length of time in one unit: `40 s`, `2 min`."""
    return ago(0, ms).removesuffix(" ago") if ms >= 1_000 else "1 s"
