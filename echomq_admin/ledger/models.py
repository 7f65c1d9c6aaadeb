"""What the console remembers of what people did. Names of the wire, ids and errors are bytes.

Nothing but `ledger/` writes here, and a trail entry is never changed once it stands: there is no
way to it from a page or a command.
"""

from __future__ import annotations

from django.db import models


class Kind(models.TextChoices):
    """Where an entry of the trail comes from."""

    MOVED = "moved"
    KEPT = "kept"
    REFUSED = "refused"
    SIGN_IN = "sign-in"


class TrailEntry(models.Model):
    """One thing that a person did, or was not let do.

    MOVED is a copy of an entry of a queue's audit stream, which the script wrote that did it; its
    `at_ms` is the server's clock and `stream_id` its id there. KEPT is a change of what the console
    itself keeps of a queue, REFUSED an attempt that came to nothing, SIGN_IN a sign-in, a sign-out
    or a failed one; their `at_ms` is the clock of the console's host.

    `op` is a verb, or what a sign-in was ("signed in", "signed out", "sign-in failed", "locked
    out"). `detail` (a map) and `jobs` (the list of the stream) are msgpack, as the script packed
    them; empty for none. `sentence` is what a person was told, `fault` what of a stream entry could
    not be read.
    """

    kind = models.CharField(max_length=8, choices=Kind.choices)
    at_ms = models.BigIntegerField()
    server = models.CharField(max_length=64, blank=True)
    queue = models.BinaryField(default=b"")
    op = models.CharField(max_length=100)
    op_id = models.CharField(max_length=120, blank=True)
    actor = models.CharField(max_length=300, blank=True)
    reason = models.TextField(blank=True)
    n = models.PositiveIntegerField(default=0)
    sentence = models.TextField(blank=True)
    detail = models.BinaryField(default=b"")
    jobs = models.BinaryField(default=b"")
    fault = models.TextField(blank=True)
    stream_id = models.CharField(max_length=50, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["server", "queue", "stream_id"], name="one_copy_per_stream_entry"
            )
        ]
        indexes = [
            models.Index(fields=["at_ms", "id"], name="trail_by_time"),
            models.Index(fields=["server", "queue", "at_ms", "id"], name="trail_by_queue"),
            models.Index(fields=["actor", "at_ms", "id"], name="trail_by_actor"),
            models.Index(fields=["op", "at_ms", "id"], name="trail_by_op"),
            models.Index(fields=["kind", "at_ms", "id"], name="trail_by_kind"),
            models.Index(fields=["op_id"], name="trail_by_op_id"),
        ]


class TrailJob(models.Model):
    """Which entries name a job: `job` is the 16-byte BLAKE2s of its id, of whatever length."""

    entry = models.ForeignKey(TrailEntry, models.CASCADE, related_name="named")
    job = models.BinaryField(max_length=16)
    at_ms = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["job", "at_ms", "entry"], name="trail_by_job")]


class Press(models.Model):
    """A call on its way, written before it is sent, so that its queue's stream is copied whatever
    becomes of the process. `op_id` is that of the whole call, without the number of a step."""

    op_id = models.CharField(max_length=120)
    server = models.CharField(max_length=64)
    queue = models.BinaryField()
    actor = models.CharField(max_length=300)
    op = models.CharField(max_length=100)
    reason = models.TextField(blank=True)
    at_ms = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["server", "queue", "op_id"], name="one_press_per_call")
        ]


class Copied(models.Model):
    """How far the audit stream of a queue is copied: the id of the last entry, `0-0` for none."""

    server = models.CharField(max_length=64)
    queue = models.BinaryField()
    last_id = models.CharField(max_length=50, default="0-0")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["server", "queue"], name="one_mark_per_stream")
        ]


class Gap(models.Model):
    """Entries of a stream that were gone before they were copied: those between two ids of it.

    `found_at_ms` is the clock of the console's host.
    """

    server = models.CharField(max_length=64)
    queue = models.BinaryField()
    after_id = models.CharField(max_length=50)
    before_id = models.CharField(max_length=50)
    found_at_ms = models.BigIntegerField()
    sentence = models.TextField()
