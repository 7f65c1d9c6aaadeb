"""What benches of pages share: a signed-in client of the whole console, and a count of trips."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from unittest.mock import patch

from redis.connection import AbstractConnection


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


def get(browser: object, path: str) -> Callable[[], object]:
    """Loads a page, which must answer."""

    def run() -> object:
        answer = browser.get(path)
        if answer.status_code != 200:
            raise AssertionError(f"{path} answered {answer.status_code}")
        return answer.content

    return run


def insert(cursor: object, model: object, rows: Iterator[dict[str, object]]) -> None:
    """Rows without the objects of Django, which would take minutes for a million."""
    first = next(rows)
    names, holes = ", ".join(first), ", ".join(["%s"] * len(first))
    into = f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({holes})"
    cursor.executemany(into, (tuple(row.values()) for row in chain([first], rows)))


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
