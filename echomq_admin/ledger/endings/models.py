"""What the ledger keeps of leases. Names of the wire, ids and errors are bytes.

A row of `Ending` is written a million times, so whatever repeats is an integer of a small table:
queues, lanes and errors. Nothing but `endings/book.py` writes endings.
"""

from __future__ import annotations

from django.db import models


class EndingKind(models.IntegerChoices):
    """How a lease ended. Completed leases, and failed ones whose job waits for its next attempt,
    are no endings of the ledger.

    REAPED is a return without a count. OPERATOR: a person buried or removed the job in flight.
    UNCERTAIN: it is over, and more than one thing may have ended it.
    """

    RECOVERED = 1, "stalled, recovered"
    DEAD = 2, "stalled, dead"
    REAPED = 3, "reaped"
    FAILED = 4, "dead by attempts"
    OPERATOR = 5, "ended by an operator"
    UNCERTAIN = 6, "uncertain"


# What a sweep writes as the error of a job that it kills.
STALLED = b"stalled"
STALLS = (EndingKind.RECOVERED, EndingKind.DEAD)
DEATHS = (EndingKind.DEAD, EndingKind.FAILED)


def is_stall(error: bytes | None, stalled: int | None) -> bool:
    """Whether a dead job died of a sweep: by its error, and the stall count that came with it."""
    return error == STALLED and (stalled or 0) > 0


class Source(models.IntegerChoices):
    """Who says so, the most exact first: the script that ended it, through its audit entry; the
    observer, who saw the lease and then what was left of it; the pass over dead jobs, which found
    the job when the lease was long gone."""

    SCRIPT = 1, "exact"
    OBSERVER = 2, "observed"
    FOUND = 3, "found dead"


class Place(models.Model):
    """A queue of a server. `deaths` counts the endings of DEATHS that were ever entered, pruned or
    not; its row is locked while endings of the queue are written."""

    server = models.CharField(max_length=64)
    queue = models.BinaryField()
    deaths = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "queue"], name="one_place_each")]


class Lane(models.Model):
    """The name of a lane, of whatever queue; `key` is a digest of the whole name, `name` its first
    `MOST_NAME` bytes, `last_ms` when the last ending that names it ended, at least."""

    key = models.BinaryField(max_length=16, unique=True)
    name = models.BinaryField()
    last_ms = models.BigIntegerField(db_index=True)


class ErrorText(models.Model):
    """An error of a job: its first `MOST_ERROR` bytes and the `size` of the whole, `key` a digest
    of what was read of it and of its size. `last_ms` as of a lane."""

    key = models.BinaryField(max_length=16, unique=True)
    text = models.BinaryField()
    size = models.BigIntegerField()
    last_ms = models.BigIntegerField(db_index=True)


class LongId(models.Model):
    """The whole id of a job whose id is too long for `Ending.job`, which then is `key`."""

    key = models.BinaryField(max_length=41, unique=True)
    job_id = models.BinaryField()
    last_ms = models.BigIntegerField(db_index=True)


class Ending(models.Model):
    """How one lease ended: at most one row for (place, job, life, attempts, n).

    `job` is the id as `names.job_ref` writes it. `life` counts from 0 and grows when the job's row
    vanished or its attempts fell; `n` is 0, and grows when a late extend revived an ended lease.
    `attempts` is -1 where the row's is no number. The lease ended after `ended_ms - within_ms` and
    at `ended_ms` at the latest, by the server's clock; `within_ms` is 0 when that is exact.
    `deadline_ms` is the last deadline known, `stalled` the stall count afterwards, `renewals` how
    often the lease was seen to be renewed at least; each `None` when not known. `entry` is the
    primary key of the trail's entry that says so, where the source is SCRIPT.
    """

    job = models.BinaryField(max_length=41)
    place = models.ForeignKey(Place, models.PROTECT, db_index=False)
    life = models.PositiveIntegerField(default=0)
    attempts = models.BigIntegerField()
    n = models.PositiveIntegerField(default=0)
    kind = models.PositiveSmallIntegerField(choices=EndingKind.choices)
    source = models.PositiveSmallIntegerField(choices=Source.choices)
    ended_ms = models.BigIntegerField()
    within_ms = models.BigIntegerField(default=0)
    deadline_ms = models.BigIntegerField(null=True)
    stalled = models.BigIntegerField(null=True)
    renewals = models.PositiveIntegerField(null=True)
    lane = models.ForeignKey(
        Lane, models.DO_NOTHING, null=True, db_index=False, db_constraint=False
    )
    error = models.ForeignKey(
        ErrorText, models.DO_NOTHING, null=True, db_index=False, db_constraint=False
    )
    entry = models.BigIntegerField(null=True)

    class Meta:
        # No index names the id: SQLite ends each of its own with it, PostgreSQL sorts the few rows
        # of one instant.
        constraints = [
            models.UniqueConstraint(
                fields=["job", "place", "life", "attempts", "n"], name="one_ending_per_lease"
            )
        ]
        indexes = [
            models.Index(fields=["ended_ms"], name="endings_by_time"),
            models.Index(fields=["place", "ended_ms"], name="endings_by_place"),
            models.Index(fields=["kind", "ended_ms"], name="endings_by_kind"),
            models.Index(fields=["source", "ended_ms"], name="endings_by_source"),
            models.Index(
                fields=["lane", "ended_ms"],
                name="endings_by_lane",
                condition=models.Q(lane__isnull=False),
            ),
        ]


class Tally(models.Model):
    """How many endings of one kind a queue had in one slot of `SLOT_MS`, by the server's clock:
    `slot` is the number of the slot since 1970. Kept in step with `Ending` by `endings/book.py`."""

    place = models.ForeignKey(Place, models.PROTECT, db_index=False)
    slot = models.BigIntegerField()
    kind = models.PositiveSmallIntegerField(choices=EndingKind.choices)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slot", "place", "kind"], name="one_tally_each")
        ]
        indexes = [models.Index(fields=["place", "slot"], name="tallies_by_place")]


SLOT_MS = 300_000
# What is kept of a long name of a lane, and of an error, bytes.
MOST_NAME, MOST_ERROR = 200, 1_000
# Ids up to so many bytes stand in `Ending.job` as they are.
LONGEST_REF = 40
