"""Which deaths the ledger may have known and have forgotten since, for their age."""

from __future__ import annotations

from functools import cached_property

from django.conf import settings
from django.db.models import Sum

from echomq_admin.emq.ids import minted_ms
from echomq_admin.ledger.endings.keeping import DAY_MS
from echomq_admin.ledger.endings.models import DEATHS, Place, Tally
from echomq_admin.ledger.observing.models import Watched


class Forgotten:
    """Of one queue, at a time by the clock of its server. Raises `django.db.Error`."""

    def __init__(self, place: Place, now_ms: int) -> None:
        self._place = place
        self._cut_ms = now_ms - int(min(settings.EMQ_LEDGER_DAYS.values()) * DAY_MS)

    def may_have(self, job_id: str) -> bool:
        """Whether an earlier death of a job, or the one that is told of it, may be among them."""
        minted = minted_ms(job_id)
        return (minted is None or minted < self._cut_ms) and self._are_any

    @cached_property
    def _are_any(self) -> bool:
        if Watched.objects.filter(place=self._place, since_ms__lt=self._cut_ms).exists():
            return True
        # It may be watched anew: its deaths are counted for good, what is kept of them is not.
        deaths = Tally.objects.filter(place=self._place, kind__in=DEATHS)
        kept = deaths.aggregate(sum=Sum("count", default=0))["sum"]
        return Place.objects.filter(pk=self._place.pk, deaths__gt=kept).exists()
