"""Jobs of the queue `orders` on the real server, moved by the real scripts, and their endings."""

from __future__ import annotations

import redis

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.reads import server_now_ms
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger import copying
from echomq_admin.ledger.endings.models import Ending, ErrorText
from tests.ledger.conftest import Q

A, B, C = "JOB0KHTOWnGLuA", "JOB0KHTOWnGLuB", "JOB0KHTOWnGLuC"


class Work:
    """Jobs of `orders` in flight, and what an operator does with them."""

    def __init__(self, client: redis.Redis, server: Server, emq: EchoMQ) -> None:
        self.client, self.server, self.emq = client, server, emq

    def claim(self, job_id=A, group=None, lease_ms=60_000) -> None:
        self.emq.enqueue(Q, job_id, "{}", group=group)
        self.claim_again(group, lease_ms)

    def claim_again(self, group=None, lease_ms=60_000) -> None:
        verb = self.emq.claim_lane if group else self.emq.claim
        assert verb(Q, lease_ms)

    def lapse(self, *job_ids) -> int:
        """Their leases are over; when they were."""
        deadline = server_now_ms(self.client) - 5
        self.client.zadd("emq:{orders}:active", dict.fromkeys(job_ids, deadline))
        return deadline

    def fail(self, job_id=A, token=1, error="boom", actor=None) -> None:
        assert self.emq.retry(Q, job_id, token, 0, 1, error, actor=actor) == "dead"

    def copied(self) -> list[tuple]:
        copying.copy(self.server, Q)
        return told()


def told() -> list[tuple]:
    """(job, life, attempts, n, kind, source, stalled) of all endings."""
    rows = Ending.objects.order_by("job", "life", "attempts", "n")
    fields = ("job", "life", "attempts", "n", "kind", "source", "stalled")
    return [(bytes(job).decode(), *rest) for job, *rest in rows.values_list(*fields)]


def error() -> bytes | None:
    found = ErrorText.objects.filter(pk=Ending.objects.get().error_id).first()
    return bytes(found.text) if found else None
