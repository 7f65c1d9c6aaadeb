"""What is noted of people that no script writes down: what was refused, what the console keeps of
a queue, who signed in."""

from __future__ import annotations

import time
from collections.abc import Iterable

from django.db import transaction

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.models import Kind, TrailEntry, TrailJob, job_key
from echomq_admin.ledger.texts import fit, sound

# So many jobs of one entry are found by their ids; a call names no more.
MOST_NAMED = 10_000
_MOST_N = 2**31 - 1
_MOST_QUEUE = 4096
_AT_ONCE = 500


def note(
    kind: Kind,
    op: str,
    actor: str,
    sentence: str,
    server: str = "",
    queue: str = "",
    op_id: str = "",
    reason: str = "",
    n: int = 0,
    job_ids: Iterable[str] = (),
) -> TrailEntry:
    """Write an entry, all of it or nothing. Raises `django.db.Error` only.

    Any text will do: what the table does not hold is cut or escaped.
    """
    entry = TrailEntry(
        kind=kind,
        at_ms=host_ms(),
        server=fit(server, 64),
        queue=to_wire(_writable(queue))[:_MOST_QUEUE],
        op=fit(op, 100),
        op_id=fit(op_id, 120),
        actor=fit(actor, 300),
        reason=sound(reason),
        n=min(n, _MOST_N),
        sentence=sound(sentence),
    )
    with transaction.atomic():
        write([(entry, map(_writable, job_ids))])
    return entry


def _writable(name: str) -> str:
    """A name that has bytes: what was refused may hold characters that stand for none."""
    try:
        to_wire(name)
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode()
    return name


def write(rows: Iterable[tuple[TrailEntry, Iterable[str]]]) -> None:
    """Write entries, each with the jobs that it names. Needs a transaction."""
    given = list(rows)
    TrailEntry.objects.bulk_create([entry for entry, _ in given], batch_size=50)
    TrailJob.objects.bulk_create(
        (
            TrailJob(entry=entry, job=key, at_ms=entry.at_ms)
            for entry, job_ids in given
            for key in list(dict.fromkeys(map(job_key, job_ids)))[:MOST_NAMED]
        ),
        batch_size=_AT_ONCE,
    )


def host_ms() -> int:
    """The clock of the console's host, unix ms: for what no server has a time of."""
    return time.time_ns() // 1_000_000
