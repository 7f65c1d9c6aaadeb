"""Endings as they are kept, for the pages and queries that read them."""

from __future__ import annotations

from hashlib import blake2s

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings.models import (
    SLOT_MS,
    Ending,
    EndingKind,
    ErrorText,
    Lane,
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
        job=to_wire(job_id),
        place=place,
        kind=kind,
        ended_ms=at_ms,
        lane=_lane(lane, at_ms),
        error=_error(error, at_ms),
        **(usual | fields),
    )
    count(place, at_ms, kind)
    return made


def count(place: Place, at_ms: int, kind: EndingKind) -> None:
    tally, _ = Tally.objects.get_or_create(place=place, slot=at_ms // SLOT_MS, kind=kind)
    tally.count += 1
    tally.save()


def _lane(name: str | None, at_ms: int) -> Lane | None:
    if name is None:
        return None
    raw = to_wire(name)
    key = blake2s(raw, digest_size=16).digest()
    return Lane.objects.get_or_create(key=key, defaults={"name": raw, "last_ms": at_ms})[0]


def _error(text: bytes | None, at_ms: int) -> ErrorText | None:
    if text is None:
        return None
    key = blake2s(b"%d:" % len(text) + text, digest_size=16).digest()
    kept = {"text": text, "size": len(text), "last_ms": at_ms}
    return ErrorText.objects.get_or_create(key=key, defaults=kept)[0]
