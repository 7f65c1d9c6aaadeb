"""What the agent's work for the ledger costs, as shares of a core at its own pace: the observer,
the pass over dead jobs, the samples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from unittest.mock import patch

import redis

from tests.bench import overview
from tests.bench.figures import Figure
from tests.bench.pages import django_client
from tests.bench.scripts import ERROR, job_ids

QUEUES, ROUNDS = 200, 20
LEASE_MS = 30_000


def observer(client: redis.Redis, port: int, size: int = 5_000) -> Iterator[Figure]:
    """Beats over 200 queues with so many leases, a third of which are renewed before each; the
    floor is one look at the same sets."""
    server, term = _started(client, port, lambda: _seed_active(client, size))
    from echomq_admin.ledger.observing.observer import Observer

    observing = Observer(server, term)
    first_ms = _worked_ms(observing.beat)
    worked_ms, looked_ms, began_s = 0.0, 0.0, time.monotonic()
    for turn in range(ROUNDS):
        _renew(client, size, turn)
        pause_s: list[float] = []
        worked_ms += _worked_ms(lambda pause_s=pause_s: pause_s.append(observing.beat()))
        looked_ms += _worked_ms(lambda: _look(server.client))
        time.sleep(pause_s[0])
    took_ms = (time.monotonic() - began_s) * 1000
    observing.close()
    yield Figure(
        f"observer, {size:,} leases, a beat", worked_ms / ROUNDS, "ms", looked_ms / ROUNDS, "-"
    )
    yield Figure("  share of a core", worked_ms / took_ms * 100, "%", 25, "<= 25 %")
    yield Figure("  the first beat, all leases new", first_ms, "ms", looked_ms / ROUNDS, "-")


def found(client: redis.Redis, port: int, size: int = 100_000) -> Iterator[Figure]:
    """Steps of the pass over dead jobs, of which none is known, and of which all are."""
    server, term = _started(client, port, lambda: _seed_dead(client, size))
    from echomq_admin.ledger.observing.found import Finder
    from echomq_admin.ledger.observing.turns import EVERY_S

    finder, shares = Finder(server, term), []
    entered = 1
    while entered:
        made: list[int] = []
        worked_ms = _worked_ms(lambda made=made: made.append(finder.step()))
        entered = made[0]
        shares.append(worked_ms / EVERY_S / 10)
    yield Figure(f"pass over {size:,} dead, all new", shares[0], "%", 25, "share of a core")
    yield Figure("  all known", shares[-1], "%", 25, "share of a core")


def samples(client: redis.Redis, port: int, size: int = 1_000) -> Iterator[Figure]:
    """Samples of so many queues of ten lanes, at one every ten seconds."""
    server, term = _started(client, port, lambda: overview.seed(client, size))
    from echomq_admin.emq.reads import counts
    from echomq_admin.ledger.samples import sampling

    slot = 0
    sampler = sampling.Sampler(server, term)

    def later(*args: object) -> tuple[int, object]:
        """As if each round were that of the next slot."""
        now_ms, sizes = counts(*args)
        return now_ms + sampling.SLOT_MS * slot, sizes

    worked_ms = 0.0
    with patch.object(sampling, "counts", later):
        sampler.take()
        for slot in range(1, ROUNDS + 1):  # noqa: B007
            worked_ms += _worked_ms(sampler.take)
    share = worked_ms / ROUNDS / sampling.SLOT_MS * 100
    yield Figure(f"samples of {size:,} queues", share, "%", 10, "share of a core")


def _started(client: redis.Redis, port: int, seed: Callable[[], object]) -> tuple[object, object]:
    """A seeded server whose queues are known, and a term of its lead."""
    django_client(port)
    from echomq_admin.fleet import discovery, servers
    from echomq_admin.ledger.observing.lead import Lead

    client.flushdb()
    seed()
    server = servers.server("bench")
    discovery.discover(server)
    lead = Lead("bench", patience_s=0.0)
    while not lead.hold():
        pass
    return server, lead.term


def _worked_ms(run: Callable[[], object]) -> float:
    before_s = time.thread_time()
    run()
    return (time.thread_time() - before_s) * 1000


def _queue(number: int) -> str:
    return f"emq:{{q{number % QUEUES:03}}}:"


def _seed_active(client: redis.Redis, size: int) -> None:
    pipe = client.pipeline(transaction=False)
    row = {"state": "active", "attempts": 1, "payload": "{}"}
    for number, job_id in enumerate(job_ids(size)):
        pipe.hset(f"{_queue(number)}job:{job_id}", mapping=row)
    pipe.execute()
    for third in range(3):
        _renew(client, size, third)


def _renew(client: redis.Redis, size: int, turn: int) -> None:
    seconds, micros = client.time()
    deadline_ms = seconds * 1000 + micros // 1000 + LEASE_MS
    pipe = client.pipeline(transaction=False)
    for number, job_id in enumerate(job_ids(size)):
        if number // QUEUES % 3 == turn % 3:
            pipe.zadd(f"{_queue(number)}active", {job_id: deadline_ms + number % 1_000})
    pipe.execute()


def _look(client: redis.Redis) -> None:
    pipe = client.pipeline(transaction=False)
    pipe.time()
    for number in range(QUEUES):
        pipe.zrange(f"{_queue(number)}active", 0, -1, withscores=True)
    pipe.time()
    pipe.execute()


def _seed_dead(client: redis.Redis, size: int) -> None:
    ids = job_ids(size)
    row = {"state": "dead", "attempts": 3, "payload": "{}", "last_error": ERROR}
    for start in range(0, size, 10_000):
        pipe = client.pipeline(transaction=False)
        for number in range(start, min(start + 10_000, size)):
            pipe.hset(f"{_queue(number)}job:{ids[number]}", mapping=row)
            pipe.zadd(f"{_queue(number)}dead", {ids[number]: 0})
        pipe.execute()
    for number in range(QUEUES):
        client.hset(f"{_queue(number)}metrics:failed", "count", size // QUEUES)
