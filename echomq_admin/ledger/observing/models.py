"""What the observer keeps: who leads, what it saw last of each queue, where it did not see."""

from __future__ import annotations

from django.db import models

from echomq_admin.ledger.endings.models import Place


class Lead(models.Model):
    """Which agent observes a server. `number` grows with each takeover and is checked in every
    write of the holder; `beats` grows while it is alive, by which others tell, each by its own
    monotonic clock, that it is not. `holder` is empty when it was given up."""

    server = models.CharField(max_length=64, unique=True)
    holder = models.CharField(max_length=200)
    number = models.BigIntegerField(default=0)
    beats = models.BigIntegerField(default=0)


class Watched(models.Model):
    """What the observer knows of a queue. All times are the server's clock, unix ms.

    It has watched since `since_ms` and looked last at `seen_ms`. `flights` packs what it knew then
    of the leases in flight, see `observing/flights.py`. `shortest_ms` is the shortest lease seen,
    `backoff_ms` the shortest time that a failed job was seen to wait, at most; `None` for none.
    `failed` is the queue's own count of failures at the last sample or pass, `None` when unknown.
    `dead_cursor` is where the pass over the dead set goes on, `passed_ms` when one came to the end.
    """

    place = models.OneToOneField(Place, models.PROTECT, related_name="watched")
    since_ms = models.BigIntegerField()
    seen_ms = models.BigIntegerField()
    flights = models.BinaryField(default=b"")
    shortest_ms = models.BigIntegerField(null=True)
    backoff_ms = models.BigIntegerField(null=True)
    failed = models.BigIntegerField(null=True)
    dead_cursor = models.BinaryField(default=b"")
    passed_ms = models.BigIntegerField(null=True)


class Blind(models.Model):
    """A span in which the observer may have missed endings of a server, or, with a `place`, of one
    queue. Times are the server's clock, unix ms; `why` is a sentence."""

    server = models.CharField(max_length=64)
    place = models.ForeignKey(Place, models.PROTECT, null=True, db_index=False)
    from_ms = models.BigIntegerField()
    to_ms = models.BigIntegerField()
    why = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["server", "to_ms"], name="blind_by_server")]
