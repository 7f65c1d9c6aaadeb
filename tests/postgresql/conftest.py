"""What only PostgreSQL can do wrong: collected in runs on it, and in no others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest
from django.db import connection

from tests.console.conftest import browser  # noqa: F401
from tests.fleet.conftest import _nothing_kept, prod  # noqa: F401
from tests.waiting import wait_for

SERVER = os.environ.get("TEST_DATABASE", "")
collect_ignore_glob = [] if SERVER else ["test_*.py"]


@pytest.fixture
def empty_url() -> Iterator[str]:
    """The DATABASE_URL of a database that has nothing yet."""
    name = f"empty_{uuid4().hex}"
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield urlunsplit(urlsplit(SERVER)._replace(path=f"/{name}"))
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def cut_off() -> int:
    """End every connection to this test's database; how many they were."""
    with psycopg.connect(SERVER, autocommit=True) as server:
        name = connection.settings_dict["NAME"]
        rows = server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
        )
        return len(rows.fetchall())


def wait_until_blocked(how: str = "advisory") -> None:
    """Until somebody waits for a lock of that kind in this test's database."""
    asked = (
        "SELECT 1 FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock' "
        "AND wait_event = %s"
    )
    with psycopg.connect(SERVER, autocommit=True) as server:
        name = connection.settings_dict["NAME"]
        wait_for(lambda: server.execute(asked, [name, how]).fetchone())


@pytest.fixture
def beside() -> Iterator[Callable[[Callable[[], object]], Future[object]]]:
    """Calls something in a thread, with a connection of its own."""

    def work(call: Callable[[], object]) -> object:
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool:
        yield lambda call: pool.submit(work, call)
