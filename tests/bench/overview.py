"""What the overview costs with a thousand queues of ten lanes and their samples of two hours, and
the looks behind it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import redis

from tests.bench.figures import Figure, alternating_ms, calls
from tests.bench.pages import counted_trips, django_client
from tests.bench.scripts import job_ids

QUEUES, LANES, VIEWERS = 1_000, 10, 50
WATCHED_S = 8.0


def overview(client: redis.Redis, port: int, size: int = QUEUES) -> Iterator[Figure]:
    """A page of 100, one whole read, fifty viewers against one, the share of a core."""
    browser = django_client(port)
    from echomq_admin.fleet import discovery, servers

    seed(client, size)
    sampled(client, size)
    server = servers.server("bench")
    discovery.discover(server)
    yield from _whole_read(client, server)
    yield from _page(browser, size)
    yield from _new_samples(server)
    yield from _viewers(client, server)
    servers.forget()


def seed(client: redis.Redis, size: int) -> None:
    """Queues with jobs in every state, ten lanes on the ring, a few dead and done."""
    jobs = job_ids(LANES)
    for number in range(size):
        base, pipe = f"emq:{{queue.{number:04}}}:", client.pipeline(transaction=False)
        for lane in range(LANES):
            pipe.zadd(f"{base}g:tenant-{lane}:pending", {jobs[lane]: 0})
            pipe.rpush(f"{base}ring", f"tenant-{lane}")
        pipe.zadd(f"{base}pending", dict.fromkeys(jobs, 0))
        pipe.zadd(f"{base}active", dict.fromkeys(jobs, 9e15))
        pipe.zadd(f"{base}dead", dict.fromkeys(jobs[: 1 + number % 3], 0))
        pipe.hset(f"{base}metrics:completed", "count", 1_000 + number)
        pipe.execute()


def sampled(client: redis.Redis, size: int) -> None:
    """Samples of two hours up to now, in which every number moves."""
    from echomq_admin.ledger.endings.models import Place
    from echomq_admin.ledger.samples.models import SampleHour
    from echomq_admin.ledger.samples.packing import SLOT_MS, Packing, Sample, hour_of

    last = (client.time()[0] * 1_000) // SLOT_MS
    taken = [Sample(slot, slot % 97, slot % 13, 5, slot // 9, 0, slot * 7, slot // 9)
             for slot in range(last - 720, last + 60)]  # fmt: skip
    hours = {hour_of(sample.slot): [] for sample in taken}
    for sample in taken:
        hours[hour_of(sample.slot)].append(sample)
    packed = {hour: Packing(samples).packed() for hour, samples in hours.items()}
    places = Place.objects.bulk_create(
        Place(server="bench", queue=b"queue.%04d" % number) for number in range(size)
    )
    SampleHour.objects.bulk_create(
        (SampleHour(place=place, hour=hour, packed=blob)
         for place in places for hour, blob in packed.items()),
        batch_size=250,
    )  # fmt: skip


def _new_samples(server: object) -> Iterator[Figure]:
    from echomq_admin.console import sparks

    page = [f"queue.{number:04}" for number in range(100)]
    now_ms = server.client.time()[0] * 1_000
    slots = iter(range(100))

    def drawn() -> None:
        found = sparks.sparks(server, page, now_ms + next(slots) * 10_000)
        if not all(one.drawing for one in found.values()):
            raise AssertionError("a queue without samples")

    (drawn_ms,) = alternating_ms(drawn, rounds=15)
    yield Figure("  the last hour of 100, once in 10 s", drawn_ms, "ms", 0, "a page waits for it")


def _whole_read(client: redis.Redis, server: object) -> Iterator[Figure]:
    from echomq_admin.emq.reads import counts
    from echomq_admin.fleet.discovery import known

    queues = known("bench")
    shown = dict(list(queues.items())[:100])
    with counted_trips() as trips:
        counts(server.client, shown)
    yield Figure(f"counts of {len(shown)} queues, round trips", len(trips), "trips", 3, "<= 3")
    started, worked = calls(client), time.thread_time()
    with counted_trips() as trips:
        counts(server.client, queues)
    worked_ms = (time.thread_time() - worked) * 1_000
    asked = calls(client) - started
    least = -(-asked // 10_000)
    yield Figure(
        f"  of {len(queues):,}, round trips", len(trips), "trips", least, "10,000 commands each"
    )
    yield Figure("  commands a queue", asked / len(queues), "commands", 0, "10 lanes each")
    yield Figure("  work of this process", worked_ms, "ms", 0, "spread over several looks")


def _page(browser: object, size: int) -> Iterator[Figure]:
    def get(path: str) -> object:
        def run() -> None:
            answer = browser.get(path)
            if answer.status_code != 200 or (
                path != "/frame/" and b"queue.00" not in answer.content
            ):
                raise AssertionError(f"{path} answered {answer.status_code}")

        return run

    paths = ("/", "/?sort=-oldest", "/?q=queue.0", "/?page=5&q=queue.00", "/frame/")
    plain, by_age, filtered, _, frame = alternating_ms(*map(get, paths), rounds=15)
    yield Figure(f"overview, 100 of {size:,} queues", plain, "ms", frame, "<= 120 ms")
    yield Figure("  sorted by the oldest job", by_age, "ms", frame, "<= 120 ms")
    yield Figure("  filtered", filtered, "ms", frame, "<= 120 ms")


def _viewers(client: redis.Redis, server: object) -> Iterator[Figure]:
    alone, share = _watched(client, server, 1)
    together, _ = _watched(client, server, VIEWERS)
    yield Figure(
        f"{VIEWERS} viewers, commands a second", together, "commands", alone, "ratio <= 1.1"
    )
    yield Figure("looking, share of a core", share * 100, "%", 20, "<= 20 %")


def _watched(client: redis.Redis, server: object, viewers: int) -> tuple[float, float]:
    """Commands a second, and the share of a core, while so many look at the same page."""
    from django.db import connection

    from echomq_admin.fleet.snapshot import live

    page = [f"queue.{number:04}" for number in range(100)]
    over = threading.Event()

    def view() -> None:
        while not over.wait(1.0):
            live(server, page)
        connection.close()

    live(server, page)
    watching = [threading.Thread(target=view) for _ in range(viewers)]
    for viewer in watching:
        viewer.start()
    started, before, worked = time.monotonic(), calls(client), time.process_time()
    over.wait(WATCHED_S)
    took = time.monotonic() - started
    asked, share = (calls(client) - before) / took, (time.process_time() - worked) / took
    over.set()
    for viewer in watching:
        viewer.join()
    return asked, share
