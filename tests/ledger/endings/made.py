"""Endings as they are kept, for the pages and queries that read them."""

from __future__ import annotations

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings import names
from echomq_admin.ledger.endings.models import (
    SLOT_MS,
    Ending,
    EndingKind,
    Place,
    Source,
    Tally,
)

# 2026-11-29 12:00:00 UTC.
NOON = 1_795_953_600_000


def ending(
    job_id: str,
    kind: EndingKind = EndingKind.RECOVERED,
    at_ms: int = NOON,
    server: str = "prod",
    queue: str = "orders",
    lane: str | None = None,
    error: bytes | None = None,
    **fields: object,
) -> Ending:
    """An ending of the first lease of a job that the observer saw, unless the fields say otherwise,
    counted in its tally."""
    place, _ = Place.objects.get_or_create(server=server, queue=to_wire(queue))
    usual = {"attempts": 1, "source": Source.OBSERVER, "deadline_ms": at_ms - 400, "within_ms": 200}
    made = Ending.objects.create(
        job=names.job_ref(job_id),
        place=place,
        kind=kind,
        ended_ms=at_ms,
        lane_id=None if lane is None else names.keep_lanes([lane], at_ms)[lane],
        error_id=None if error is None else _error(error, at_ms),
        **(usual | fields),
    )
    count(place, at_ms, kind)
    return made


def count(place: Place, at_ms: int, kind: EndingKind) -> None:
    tally, _ = Tally.objects.get_or_create(place=place, slot=at_ms // SLOT_MS, kind=kind)
    tally.count += 1
    tally.save()


def _error(text: bytes, at_ms: int) -> int:
    (pk,) = names.keep_errors([(text, len(text))], at_ms).values()
    return pk
