"""How often the lease of each job in flight was renewed, as the agent saw it: what is slow but
alive is told from what is silent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from echomq_admin.console.drawn import Renewed
from echomq_admin.console.places import Place
from echomq_admin.console.times import ago
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.reads import Lease
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.observing import flights
from echomq_admin.ledger.observing.models import Watched

# The agent writes what it saw every few seconds: when it is older, nobody watches.
_FRESH_MS = 15_000
# A lease is silent when it was not renewed for so many times its usual interval, and so long.
_SILENT, _LEAST_MS = 3, 3_000
_NOBODY = "no agent watches this queue, so nobody counts renewals"
_UNSEEN = "the agent has not seen this lease yet: it looks about once a second"


@dataclass(frozen=True)
class Flights:
    """What the agent knew of leases of a queue at `seen_ms`, by the wire id of the job."""

    seen_ms: int
    leases: dict[bytes, flights.Lease]


def flights_of(place: Place, job_ids: Iterable[str]) -> Flights | None:
    """What the agent knows of the leases of these jobs, `None` when none ever watched the queue."""
    mine = Watched.objects.filter(
        place__server=place.server.name, place__queue=to_wire(place.queue)
    )
    row = mine.values_list("seen_ms", "flights").first()
    if row is None:
        return None
    wanted = set(map(to_wire, job_ids))
    return Flights(row[0], flights.unpack(bytes(row[1]), wanted))


def renewed(lease: Lease, seen: Flights | None, now_ms: int) -> Renewed:
    """The renewals of a lease, by the server's clock; unknown unless the agent saw this very
    attempt."""
    if seen is None:
        return _unknown(_NOBODY)
    if now_ms - seen.seen_ms > _FRESH_MS:
        return _unknown(f"the agent last looked {span(now_ms - seen.seen_ms)} ago")
    flight = seen.leases.get(to_wire(lease.job.job_id))
    if flight is None or lease.job.attempts is None or flight.attempts != lease.job.attempts:
        return _unknown(_UNSEEN)
    if flight.deadline_ms < lease.deadline_ms:
        # It was renewed since the agent last wrote: at this look at the latest.
        return _seen(flight, flight.renewals + 1, now_ms, now_ms)
    return _seen(flight, flight.renewals, flight.renewed_ms, now_ms)


def _unknown(why: str) -> Renewed:
    return Renewed("unknown", "?", "", None, why)


def _seen(flight: flights.Lease, count: int, last_ms: int | None, now_ms: int) -> Renewed:
    if not count or last_ms is None:
        since = f"in {_short(max(0, now_ms - flight.first_ms))}"
        return Renewed("none", "none", since, None, "not renewed since the agent first saw it")
    usual_ms, ago_ms = max(0, last_ms - flight.first_ms) / count, max(0, now_ms - last_ms)
    why = f"renewed about every {span(usual_ms)} since the agent first saw this lease"
    if ago_ms > max(_SILENT * usual_ms, _LEAST_MS):
        why += f", and no more for {span(ago_ms)}"
        return Renewed("silent", f"{count:,}", f"silent for {_short(ago_ms)}", None, why)
    return Renewed("renewed", f"{count:,}", "last ", ago_ms, why)


def _short(ms: int) -> str:
    """A length of time in one unit: `40 s`, `2 min`."""
    return ago(0, ms).removesuffix(" ago") if ms >= 1_000 else "under 1 s"
