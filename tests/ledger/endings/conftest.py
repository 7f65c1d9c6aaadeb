"""Jobs in flight on the emptied Valkey."""

from __future__ import annotations

import pytest
import redis

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet.servers import Server
from tests.ledger.endings.working import Work


@pytest.fixture
def work(client: redis.Redis, prod: Server, emq: EchoMQ) -> Work:
    return Work(client, prod, emq)
