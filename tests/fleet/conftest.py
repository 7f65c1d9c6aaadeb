"""A fleet of one server, `prod`, on the emptied Valkey."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from echomq_admin.fleet import servers
from echomq_admin.fleet.servers import Server


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    yield
    servers.forget()


@pytest.fixture
def prod(settings, server_url: str) -> Server:
    settings.EMQ_SERVERS = f"prod={server_url}"
    return servers.server("prod")
