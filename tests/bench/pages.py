"""What pages cost: commands, round trips and server time, at a thousand and a million jobs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

import redis
from redis.connection import AbstractConnection

from tests.bench.figures import Figure, alternating_ms, calls
from tests.bench.scripts import QUEUE, seed_dead

ROWS = 25


def django_client(port: int) -> object:
    """A signed-in test client of the whole console over the bench server."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth.models import Group, User
    from django.core.management import call_command
    from django.test import Client

    settings.EMQ_SERVERS = f"bench=redis://127.0.0.1:{port}/0"
    settings.ROOT_URLCONF = "tests.bench.urls"
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    user, _ = User.objects.get_or_create(username="bench")
    user.groups.add(Group.objects.get(name="operator"))
    client = Client()
    client.force_login(user)
    return client


@contextmanager
def counted_trips() -> Iterator[list[int]]:
    """Counts what is sent to the server: one entry a round trip."""
    sent: list[int] = []
    send = AbstractConnection.send_packed_command

    def counting(
        connection: AbstractConnection, command: object, check_health: bool = True
    ) -> None:
        sent.append(1)
        send(connection, command, check_health)

    with patch.object(AbstractConnection, "send_packed_command", counting):
        yield sent


def dead_tab(client: redis.Redis, port: int, size: int = 1_000_000) -> Iterator[Figure]:
    """The dead tab at 1,000 and at `size` jobs: commands, round trips, time."""
    from echomq_admin.emq import reads

    browser = django_client(port)
    runs: list[Callable[[], object]] = []
    counted = []
    small, large = _two_queues(client, size)
    if client.zcard(f"emq:{{{large}}}:dead") != size:
        raise AssertionError("the seed is not as large as it says")
    for queue in (small, large):
        reads.dead_page(client, queue, limit=ROWS)
        before = calls(client)
        with counted_trips() as trips:
            reads.dead_page(client, queue, limit=ROWS)
        counted.append((calls(client) - before, len(trips)))
        runs.append(lambda queue=queue: reads.dead_page(client, queue, limit=ROWS))
    (few, few_trips), (many, many_trips) = counted
    yield Figure(f"dead tab, commands at {size:,}", many, "commands", few, "ratio = 1")
    yield Figure(f"dead tab, round trips at {size:,}", many_trips, "trips", few_trips, "<= 3 trips")
    at_small, at_large = alternating_ms(*runs)
    yield Figure(f"dead tab, read at {size:,}", at_large, "ms", at_small, "ratio <= 1.3")
    yield from _whole_pages(browser, small, large, size)


def _two_queues(client: redis.Redis, size: int) -> tuple[str, str]:
    seed_dead(client, size, rows=1000)
    newest = client.zrange(f"emq:{{{QUEUE}}}:dead", -1000, -1)
    pipe = client.pipeline(transaction=False)
    pipe.zadd("emq:{small}:dead", dict.fromkeys(newest, 0))
    for job_id in newest:
        pipe.copy(f"emq:{{{QUEUE}}}:job:{job_id.decode()}", f"emq:{{small}}:job:{job_id.decode()}")
    pipe.execute()
    return "small", QUEUE


def _whole_pages(browser: object, small: str, large: str, size: int) -> Iterator[Figure]:
    def get(path: str) -> Callable[[], object]:
        def run() -> None:
            answer = browser.get(path)
            if answer.status_code != 200:
                raise AssertionError(f"{path} answered {answer.status_code}")

        return run

    at_small, at_large, frame = alternating_ms(
        get(f"/q/bench/{small}/dead"), get(f"/q/bench/{large}/dead"), get("/frame/")
    )
    yield Figure(f"dead page, whole, at {size:,}", at_large, "ms", at_small, "ratio <= 1.3")
    yield Figure(f"dead page, {ROWS} rows, whole HTML", at_large, "ms", frame, "ratio <= 8")
