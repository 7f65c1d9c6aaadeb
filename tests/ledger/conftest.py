"""A server called `prod` on the emptied Valkey, and a stream written to by hand or by scripts."""

from __future__ import annotations

from dataclasses import dataclass

import msgpack
import pytest
import redis

from echomq_admin.emq import EchoMQ
from echomq_admin.ledger.models import Gap, TrailEntry
from tests.fleet.conftest import _nothing_kept, prod  # noqa: F401

Q = "orders"
AUDIT = b"emqadmin:{orders}:audit"


@dataclass(frozen=True)
class Stream:
    """The audit stream of `orders`."""

    client: redis.Redis

    def write(self, entry_id: str = "*", **fields: object) -> str:
        """An entry as a script writes it, but for `fields`; the id it got."""
        entry = {
            "op": "requeue", "op_id": "x", "actor": "olena", "t": 5, "n": 0,
            "jobs": msgpack.packb([]),
        } | fields  # fmt: skip
        return self.client.xadd(AUDIT, entry, id=entry_id).decode()

    def many(self, count: int) -> list[str]:
        with self.client.pipeline(transaction=False) as pipe:
            for at in range(count):
                pipe.xadd(AUDIT, {"op": "pause", "op_id": f"op-{at}", "actor": "o", "t": 5,
                                  "n": 0, "jobs": b"\x90"})  # fmt: skip
            return [entry_id.decode() for entry_id in pipe.execute()]


@pytest.fixture
def stream(client: redis.Redis) -> Stream:
    return Stream(client)


@pytest.fixture
def emq(client: redis.Redis) -> EchoMQ:
    return EchoMQ(client)


def copied_ids() -> list[str]:
    """The ids of the copied entries in the order they were written."""
    rows = TrailEntry.objects.filter(stream_id__isnull=False).order_by("pk")
    return list(rows.values_list("stream_id", flat=True))


def gaps() -> list[tuple[str, str, int | None]]:
    rows = Gap.objects.order_by("pk")
    return list(rows.values_list("after_id", "before_id", "missing"))
