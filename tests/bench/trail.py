"""What the page of the trail costs with a million entries, over a page of the frame alone."""

from __future__ import annotations

from collections.abc import Iterator

import msgpack
import redis

from tests.bench.figures import Figure, alternating_ms
from tests.bench.pages import django_client, get, insert
from tests.bench.scripts import job_ids

START_MS = 1_790_000_000_000
PEOPLE, QUEUES, JOBS = 20, 100, 10_000
# The first hundred of each are as rare as one in a million; the other values are common.
RARE = {"kind": "kept", "server": "bench", "queue": b"rare", "op": "rare", "actor": "rare"}
PAGES = {
    "newest": "",
    "a person": "?who=person-3",
    "a person who did little": "?who=rare",
    "a verb": "?what=requeue",
    "a rare verb": "?what=rare",
    "a kind": "?kind=moved",
    "a rare kind": "?kind=kept",
    "a queue": "?server=bench&queue=q007",
    "a rare queue": "?server=bench&queue=rare",
    "a job": "?job={job}",
    "an op_id": "?op_id=0000000000000000000000000000002a",
    "a time range": "?from=1790000100000&to=1790000200000",
    "an old page": "?cursor=o1790000050000.50000",
    "a person on a queue": "?who=person-3&server=bench&queue=q007",
    "a person who never did that": "?who=person-3&what=rare",
    "a text that is nowhere": "?q=nowhere",
    "a server that is nowhere": "?server=nowhere",
}


def trail(client: redis.Redis, port: int, size: int = 1_000_000) -> Iterator[Figure]:
    """The first page of each filter, whole."""
    browser = django_client(port)
    client.flushdb()
    ids = job_ids(JOBS)
    _seed(ids, size)
    gets = [get(browser, f"/trail{query.format(job=ids[7])}") for query in PAGES.values()]
    *took, frame = alternating_ms(*gets, get(browser, "/frame/"), rounds=11)
    for name, ms in zip(PAGES, took, strict=True):
        yield Figure(f"trail of {size:,}, {name}", ms, "ms", frame, "<= 150 ms")


def _seed(ids: list[str], size: int) -> None:
    """Entries a millisecond apart, each of one job; the first hundred of rare values."""
    from django.db import connection, transaction
    from django.db.models import QuerySet

    from echomq_admin.ledger.models import TrailEntry, TrailJob, job_key

    keys = [job_key(job_id) for job_id in ids]
    blobs = [
        msgpack.packb([[job_id.encode(), b"requeued", 3, 1, False, b"room", b"timeout " * 8]])
        for job_id in ids
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        QuerySet(TrailEntry).all().delete()
        insert(cursor, TrailEntry, (_entry(at, blobs) for at in range(size)))
        named = (
            {"id": at + 1, "entry_id": at + 1, "job": keys[at % JOBS], "at_ms": START_MS + at}
            for at in range(size)
        )
        insert(cursor, TrailJob, named)


def _entry(at: int, blobs: list[bytes]) -> dict[str, object]:
    usual = {
        "kind": "moved" if at % 9 else "refused",
        "server": "bench",
        "queue": f"q{at % QUEUES:03}".encode(),
        "op": "requeue" if at % 3 else "sweep",
        "actor": f"person-{at % PEOPLE}",
    }
    return {
        "id": at + 1,
        "at_ms": START_MS + at,
        "n": 1,
        "op_id": f"{at:032x}",
        "jobs": blobs[at % JOBS],
        "detail": b"",
        "sentence": "",
        "fault": "",
        "stream_id": f"{START_MS + at}-0",
        "reason": "the mail server is back" if at % 5 == 0 else "",
        **(RARE if at < 100 else usual),
    }
