"""Fixtures that every test may use: one real server per session, empty for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from tests.valkey import valkey


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
