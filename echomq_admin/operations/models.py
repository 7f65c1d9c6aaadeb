"""The rights of the console. They belong to no table, so their model has none."""

from __future__ import annotations

from django.db import models


class Console(models.Model):
    """Carries the three permissions that the roles are made of."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions = [
            ("view_console", "Can see queues, jobs and the audit"),
            ("operate", "Can move jobs back and pause queues"),
            ("administer", "Can bury, remove, edit, drain and obliterate"),
        ]


class Before(models.Model):
    """What a dead job had before a requeue, so that the requeue can be undone to the letter.

    `op_id` is that of the whole call. `error` and `stalled` are those of the row, `None` where it
    had none; a stall count that is no number counts as none, and `is_odd`. `at_ms` is the clock of
    the console's host.
    """

    op_id = models.CharField(max_length=120)
    server = models.CharField(max_length=64)
    queue = models.BinaryField()
    job_id = models.BinaryField()
    attempts = models.BigIntegerField()
    error = models.BinaryField(null=True)
    stalled = models.BigIntegerField(null=True)
    is_odd = models.BooleanField(default=False)
    at_ms = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["server", "op_id"], name="before_by_call"),
            models.Index(fields=["at_ms"], name="before_by_time"),
        ]


class Trashed(models.Model):
    """A job that was removed, or is about to be: all that is needed to put it back.

    Written before the removal is sent; `is_removed` once it is known to be done, `is_restored` once
    the job was put back by the call `restored_by`. `under_way` is the op_id of the call that is not
    known to be done, empty for none. `body` is msgpack: a map of `fields`, `logs`, `dependencies`,
    `processed`, `failed`, `unsuccessful`, `dedup`. `places` is msgpack: a list of [set, group or
    nil, score]. `key` is the `job_key` of the id. `at_ms` and `changed_ms` are the clock of the
    console's host: when the job was kept, and when the row was last written.
    """

    op_id = models.CharField(max_length=120)
    server = models.CharField(max_length=64)
    queue = models.BinaryField()
    job_id = models.BinaryField()
    key = models.BinaryField(max_length=16)
    actor = models.CharField(max_length=300)
    reason = models.TextField(blank=True)
    at_ms = models.BigIntegerField()
    changed_ms = models.BigIntegerField()
    attempts = models.BigIntegerField(null=True)
    size = models.PositiveBigIntegerField()
    is_removed = models.BooleanField(default=False)
    is_restored = models.BooleanField(default=False)
    restored_by = models.CharField(max_length=120, blank=True)
    under_way = models.CharField(max_length=120, blank=True)
    # Behind all that a search reads: SQLite passes over a large value to reach those behind it.
    places = models.BinaryField()
    body = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["server", "queue", "op_id", "key"], name="one_removal_per_call"
            )
        ]
        indexes = [
            models.Index(fields=["at_ms", "id"], name="trash_by_time"),
            models.Index(fields=["server", "queue", "at_ms", "id"], name="trash_by_queue"),
            models.Index(fields=["server", "under_way"], name="trash_under_way"),
            models.Index(fields=["key"], name="trash_by_job"),
        ]
