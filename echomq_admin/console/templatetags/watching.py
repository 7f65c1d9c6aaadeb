"""The note on pages whose renewals, deaths and charts are of an agent that looks no more."""

from __future__ import annotations

from django import template

from echomq_admin.ledger.endings.unseen import LATE_MS
from echomq_admin.ledger.observing import watching

register = template.Library()


@register.inclusion_tag("console/_unwatched.html")
def watch_note(server: str, now_ms: float | None) -> dict[str, object]:
    """Nothing while an agent looks at the queues of this server, by whose clock it is `now_ms`, or
    while none ever did."""
    seen_ms = watching.seen_ms(server) if now_ms else None
    is_late = seen_ms is not None and now_ms is not None and now_ms - seen_ms > LATE_MS
    return {"server": server, "seen_ms": seen_ms if is_late else None}
