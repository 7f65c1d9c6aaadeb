"""Where the observer did not see: spans of a server or of one queue."""

from __future__ import annotations

from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.observing.models import Blind

# Spans that lie no further apart than this are one.
_NEAR_MS = 2_000


def note(server: str, place: Place | None, from_ms: int, to_ms: int, why: str) -> None:
    """Keep that a span was not seen, by the server's clock; one that goes on with the last one
    makes that longer. Needs a transaction."""
    last = Blind.objects.filter(server=server, place=place).order_by("-pk").first()
    is_same = last is not None and last.why == why
    if is_same and last.from_ms <= to_ms + _NEAR_MS and from_ms <= last.to_ms + _NEAR_MS:
        last.from_ms, last.to_ms = min(last.from_ms, from_ms), max(last.to_ms, to_ms)
        last.save(update_fields=["from_ms", "to_ms"])
    else:
        Blind.objects.create(server=server, place=place, from_ms=from_ms, to_ms=to_ms, why=why)
