"""What the console remembers of its servers. Names of the wire are bytes."""

from __future__ import annotations

from django.db import models


class KnownQueue(models.Model):
    """A queue that a pass saw on a server, or that an operator added by name.

    An `added` one is kept although no pass sees a key of it.
    """

    server = models.CharField(max_length=64)
    name = models.BinaryField()
    added = models.BooleanField(default=False)

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


class Failure(models.Model):
    """Why the last try of a pass came to nothing; no row once a pass was complete again."""

    server = models.CharField(max_length=64, unique=True)
    at = models.DateTimeField()
    sentence = models.TextField()


class Walk(models.Model):
    """How far the pass under way has come on a server.

    `cursor` is where its SCAN goes on, empty between passes; it means something only to the run
    of the server that `run_id` names. `number` counts the passes begun. `seen_queues` and
    `seen_lanes` are the primary keys of what was seen so far, eight bytes each.
    """

    server = models.CharField(max_length=64, unique=True)
    number = models.PositiveBigIntegerField(default=0)
    cursor = models.CharField(max_length=20)
    run_id = models.CharField(max_length=64)
    keys = models.PositiveBigIntegerField(default=0)
    spent_ms = models.PositiveBigIntegerField(default=0)
    seen_queues = models.BinaryField(default=b"")
    seen_lanes = models.BinaryField(default=b"")


class Mark(models.Model):
    """Changes whenever what is remembered of a server changes; no value ever comes back."""

    server = models.CharField(max_length=64)
    what = models.CharField(max_length=20)
    mark = models.CharField(max_length=32)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "what"], name="one_mark_each")]


class QueuePreference(models.Model):
    """What people set for a queue. `None` is nothing of its own: a default holds."""

    server = models.CharField(max_length=64)
    name = models.BinaryField()
    max_stalled = models.PositiveIntegerField(null=True)
    lease_ms = models.PositiveBigIntegerField(null=True)
    note = models.TextField(default="")
    hidden = models.BooleanField(default=False)
    changed_by = models.CharField(max_length=150)
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["server", "name"], name="one_preference_per_queue")
        ]


class QueueChange(models.Model):
    """One value that somebody changed; `what` is "max_stalled", "note", "hidden", "added", …

    `before` and `after` are the values as text, empty for none.
    """

    server = models.CharField(max_length=64)
    name = models.BinaryField()
    at = models.DateTimeField()
    by = models.CharField(max_length=150)
    what = models.CharField(max_length=20)
    before = models.TextField()
    after = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["server", "name", "at"], name="changes_of_a_queue")]
