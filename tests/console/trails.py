"""Entries of the trail as they are kept, for the pages that read them."""

from __future__ import annotations

import msgpack

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.models import Kind, TrailEntry, TrailJob, job_key

# 2026-11-29 12:00:00 UTC.
NOON = 1_795_953_600_000


def moved(job_id: str, outcome: str = "requeued", *more: object) -> list[object]:
    """What a stream says of one job; what follows are attempts, stalls, deadline, group, error."""
    return [to_wire(job_id), outcome.encode(), *more]


def entry(*jobs: list, at_ms: int = NOON, **fields: object) -> TrailEntry:
    """An entry of a requeue by olena on prod/orders, unless the fields say otherwise."""
    given = {
        "kind": Kind.MOVED,
        "server": "prod",
        "queue": b"orders",
        "op": "requeue",
        "op_id": "f" * 32,
        "actor": "olena",
        "n": len(jobs),
        "jobs": msgpack.packb(list(jobs), use_bin_type=False),
        "stream_id": f"{at_ms}-{TrailEntry.objects.count()}",
    }
    made = TrailEntry.objects.create(at_ms=at_ms, **(given | fields))
    for job in jobs:
        job_id = job[0].decode("utf-8", "surrogateescape")
        TrailJob.objects.create(entry=made, job=job_key(job_id), at_ms=at_ms)
    return made


def note(kind: Kind, op: str, actor: str, at_ms: int = NOON, **fields: object) -> TrailEntry:
    """An entry of what no stream told."""
    given = {"server": "", "queue": b"", "op_id": "", "stream_id": None, "jobs": b""}
    return entry(at_ms=at_ms, **(given | {"kind": kind, "op": op, "actor": actor} | fields))
