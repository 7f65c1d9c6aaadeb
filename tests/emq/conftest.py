"""Fixtures of the protocol's tests."""

from __future__ import annotations

import pytest
import redis

from echomq_admin.emq import EchoMQ
from tests.emq.orders import Orders


@pytest.fixture
def orders(client: redis.Redis) -> Orders:
    """The empty queue `orders`."""
    return Orders(client)


@pytest.fixture
def emq(orders: Orders) -> EchoMQ:
    """Every verb, on the server of `orders`."""
    return orders.emq
