"""What a full pass of discovery costs, nearly all keys being rows of jobs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import redis

from tests.bench.figures import Figure
from tests.bench.pages import django_client
from tests.bench.scripts import job_ids

QUEUES, LANES = 1_000, 10


def discovery(client: redis.Redis, port: int, size: int = 1_000_000) -> Iterator[Figure]:
    """A pass over so many keys, as `emq discover` makes one, and one by the server alone."""
    django_client(port)
    from echomq_admin.fleet import discovery, servers

    _seed(client, size)
    server = servers.server("bench")
    for name in ("the first", "nothing new"):
        start = time.perf_counter()
        found = discovery.discover(server)
        took = time.perf_counter() - start
        if found is None or (found.queues, found.lanes) != (QUEUES, QUEUES * LANES):
            raise AssertionError("the pass has not found what was seeded")
        yield Figure(f"pass over {size:,} keys, {name}", took, "s", _bare_s(client), "<= 10 s")


def _bare_s(client: redis.Redis) -> float:
    """The time of a whole SCAN that asks for nothing."""
    start, cursor = time.perf_counter(), -1
    while cursor:
        cursor, _ = client.scan(max(cursor, 0), "none", 1_000)
    return time.perf_counter() - start


def _seed(client: redis.Redis, size: int) -> None:
    """Queues with lanes, which all keys for it name; all other keys are rows."""
    pipe = client.pipeline(transaction=False)
    names = [f"tenant-{lane}" for lane in range(LANES)]
    for number in range(QUEUES):
        for word in ("gactive", "glimit", "gweight"):
            pipe.hset(f"emq:{{q{number}}}:{word}", mapping=dict.fromkeys(names, 1))
        pipe.sadd(f"emq:{{q{number}}}:paused", *names)
        pipe.rpush(f"emq:{{q{number}}}:ring", *names)
        for lane in range(LANES):
            pipe.zadd(f"emq:{{q{number}}}:g:tenant-{lane}:pending", {"JOB": 0})
    pipe.execute()
    rows = job_ids(size - QUEUES * (LANES + 5))
    for at in range(0, len(rows), 10_000):
        for name in rows[at : at + 10_000]:
            pipe.hset(f"emq:{{q{at % QUEUES}}}:job:{name}", "state", "dead")
        pipe.execute()
