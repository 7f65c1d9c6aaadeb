"""What the console remembers of what people did. Names of the wire, ids and errors are bytes.

Nothing but `ledger/` writes here, and a trail entry is never changed once it stands: there is no
way to it from a page or a command.
"""

from __future__ import annotations

from hashlib import blake2s
from typing import Any, NoReturn

from django.db import models

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings import models as _endings  # noqa: F401
from echomq_admin.ledger.observing import models as _observing  # noqa: F401
from echomq_admin.ledger.samples import models as _samples  # noqa: F401


def job_key(job_id: str) -> bytes:
    """The digest by which a job is looked up: an id may be of any length."""
    return blake2s(to_wire(job_id), digest_size=16).digest()


class NeverChanged(TypeError):
    """The trail is only added to."""


class _Written(models.QuerySet):
    """Rows that can be read and added."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise NeverChanged("an entry of the trail is never changed or deleted")

    update = delete = bulk_update = update_or_create = _refuse


class _Entry(models.Model):
    """A row that is written once."""

    objects = _Written.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise NeverChanged("an entry of the trail is never changed")
        super().save(*args, **kwargs)

    def delete(self, *_: Any, **__: Any) -> NoReturn:
        raise NeverChanged("an entry of the trail is never deleted")


class Kind(models.TextChoices):
    """Where an entry of the trail comes from."""

    MOVED = "moved"
    KEPT = "kept"
    REFUSED = "refused"
    SIGN_IN = "sign-in"


class TrailEntry(_Entry):
    """One thing that a person did, or was not let do.

    MOVED is a copy of an entry of a queue's audit stream, which the script wrote that did it; its
    `at_ms` is the server's clock and `stream_id` its id there. KEPT is a change of what the console
    itself keeps of a queue, or, without a server, of an account; REFUSED an attempt that came to
    nothing, SIGN_IN a sign-in, a sign-out or a failed one; their `at_ms` is the clock of the
    console's host.

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


class TrailJob(_Entry):
    """Which entries name a job: `job` is the `job_key` of its id."""

    entry = models.ForeignKey(TrailEntry, models.CASCADE, related_name="named")
    job = models.BinaryField(max_length=16)
    at_ms = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["job", "at_ms", "entry"], name="trail_by_job")]


class Press(models.Model):
    """A call on its way, written before it is sent, so that its reason stands beside what it did
    whatever becomes of the process.

    `op_id` is that of the whole call, without the number of a step. `at_ms` is the clock of the
    console's host.
    """

    op_id = models.CharField(max_length=120)
    server = models.CharField(max_length=64)
    queue = models.BinaryField()
    actor = models.CharField(max_length=300)
    op = models.CharField(max_length=100)
    reason = models.TextField(blank=True)
    at_ms = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["server", "queue", "op_id", "actor"], name="one_press_per_call"
            )
        ]
        indexes = [models.Index(fields=["server", "at_ms"], name="presses_by_time")]


class Copied(models.Model):
    """How far the audit stream of a queue is copied; a row for each stream that is looked after.

    `last_id` is the id of the last entry that was looked at, `0-0` for none. Up to `whole_id` it is
    settled whether any were missing. `added` is how many entries the stream ever held up to
    `last_id`; `None` when that is to be taken from the server, which may not count them. `fault` is
    why the stream cannot be copied now, empty while it can.
    """

    server = models.CharField(max_length=64)
    queue = models.BinaryField()
    last_id = models.CharField(max_length=50, default="0-0")
    whole_id = models.CharField(max_length=50, default="0-0")
    added = models.BigIntegerField(null=True, default=0)
    fault = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["server", "queue"], name="one_mark_per_stream")
        ]


class Gap(_Entry):
    """Entries of a stream that were gone before they were copied: those between two ids of it.

    `before_id` is empty while nothing is known behind the gap. `missing` is how many are gone,
    `None` when that is not known, nor whether there were any. `found_at_ms` is the clock of the
    console's host.
    """

    server = models.CharField(max_length=64)
    queue = models.BinaryField()
    after_id = models.CharField(max_length=50)
    before_id = models.CharField(max_length=50, blank=True)
    missing = models.BigIntegerField(null=True)
    found_at_ms = models.BigIntegerField()
    sentence = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["server", "queue", "id"], name="gaps_by_queue")]
