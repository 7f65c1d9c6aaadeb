"""The samples of an hour of a queue, in one row."""

from __future__ import annotations

from django.db import models

from echomq_admin.ledger.endings.models import Place

# So many hours are kept beside the one under way.
KEPT_H = 48


class SampleHour(models.Model):
    """`hour` counts the hours since 1970 by the server's clock; `packed` holds up to 360 samples,
    see `samples/packing.py`."""

    place = models.ForeignKey(Place, models.PROTECT, db_index=False)
    hour = models.PositiveIntegerField()
    packed = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["place", "hour"], name="one_row_per_hour")]
        indexes = [models.Index(fields=["hour"], name="samples_by_hour")]
