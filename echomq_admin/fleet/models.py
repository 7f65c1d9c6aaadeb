"""What discovery remembers. Names of the wire are bytes."""

from __future__ import annotations

from django.db import models


class KnownQueue(models.Model):
    """A queue that the last pass saw on a server."""

    server = models.CharField(max_length=64)
    name = models.BinaryField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "name"], name="one_row_per_queue")]


class KnownLane(models.Model):
    """A lane of a known queue: a group with waiting jobs."""

    queue = models.ForeignKey(KnownQueue, models.CASCADE, related_name="lanes")
    group = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["queue", "group"], name="one_row_per_lane")]


class Pass(models.Model):
    """The last complete discovery pass of a server; `keys` are those it looked at."""

    server = models.CharField(max_length=64, unique=True)
    finished_at = models.DateTimeField()
    took_ms = models.PositiveIntegerField()
    keys = models.PositiveBigIntegerField()
    queues = models.PositiveIntegerField()
    lanes = models.PositiveIntegerField()
