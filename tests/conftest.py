"""Fixtures that every test may use: one real server per session, empty for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import redis

from tests.valkey import valkey

# What takes long is started first, so that at the end no process waits long for another.
LONG = ("tests/faults/", "tests/chaos/", "tests/demo/", "tests/browser/")


# pytest-django lets no test into the database that has none of these or its mark.
DATABASE = {"db", "transactional_db", "live_server"}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the tests for several processes, of which each begins with a share of its own and
    then takes over from the ends of others. On another database than SQLite, leave out those that
    cannot tell one from the other."""
    if os.environ.get("TEST_DATABASE"):
        config.hook.pytest_deselected(items=[item for item in items if not _can_tell(item)])
        items[:] = filter(_can_tell, items)
    items.sort(key=_turn)


def _can_tell(item: pytest.Item) -> bool:
    """Whether the test reads or writes the database, or is about one itself."""
    is_let_in = DATABASE & set(item.fixturenames) or item.get_closest_marker("django_db")
    return bool(is_let_in) or item.nodeid.startswith("tests/postgresql/")


def _turn(item: pytest.Item) -> int:
    return next((at for at, part in enumerate(LONG) if item.nodeid.startswith(part)), len(LONG))


@pytest.fixture(scope="session")
def server_port() -> Iterator[int]:
    """The port of this process's Valkey."""
    with valkey() as port:
        yield port


@pytest.fixture
def client(server_port: int) -> Iterator[redis.Redis]:
    """A client of the emptied server that decodes nothing."""
    with redis.Redis(port=server_port) as connection:
        connection.flushall()
        yield connection


@pytest.fixture
def server_url(client: redis.Redis, server_port: int) -> str:
    """The address of the emptied server, as EMQ_SERVERS writes it."""
    return f"redis://127.0.0.1:{server_port}/0"
