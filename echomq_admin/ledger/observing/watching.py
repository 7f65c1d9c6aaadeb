"""Whether anybody watches a server."""

from __future__ import annotations

from django.db.models import Max

from echomq_admin.ledger.observing.models import Watched


def seen_ms(server: str) -> int | None:
    """When an agent last looked at queues of a server, by its clock, to a few seconds; `None` for
    never."""
    return Watched.objects.filter(place__server=server).aggregate(last=Max("seen_ms"))["last"]
