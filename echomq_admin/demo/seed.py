"""What stands in each queue at its first start; a queue that exists is left alone."""

from __future__ import annotations

import redis

from echomq_admin.demo import payloads, queues
from echomq_admin.demo.habits import error_of
from echomq_admin.demo.relics import Relics
from echomq_admin.emq import EchoMQ, ids
from echomq_admin.emq.keyspace import Keyspace
from echomq_admin.emq.reads import exists, server_now_ms

NODE = 2
DEAD = 60
FAR = 12
_HOUR_MS = 3_600_000
_MINUTE_MS = 60_000
_FAR_MS = 40 * 24 * _HOUR_MS
_LONG_LOG = 450


class Seeder:
    """Writes each missing queue's beginnings. Ids tell a past of two days."""

    def __init__(self, client: redis.Redis) -> None:
        self._client, self._emq = client, EchoMQ(client)
        self._now_ms = server_now_ms(client)
        self._minted = 0

    def run(self) -> None:
        seeds = {
            queues.PAYMENTS: self._payments,
            queues.THUMBS: self._thumbs,
            queues.MAILER: self._mailer,
            queues.WEBHOOKS: self._webhooks,
            queues.ORDERS: self._orders,
            **Relics(self._client, self._now_ms).seeds,
        }
        for queue, seed in seeds.items():
            if not exists(self._client, queue):
                seed()

    def _id(self, age_ms: int) -> str:
        """An id of the past; the sequence keeps those of one instant apart."""
        self._minted += 1
        return ids.mint("JOB", self._now_ms - age_ms, NODE, self._minted)

    def _payments(self) -> None:
        self._emq.pause(queues.PAYMENTS)
        for n in range(8, 0, -1):
            job_id = self._id(n * 7 * _MINUTE_MS)
            self._emq.enqueue(queues.PAYMENTS, job_id, payloads.payment(job_id))

    def _thumbs(self) -> None:
        self._emq.pause_lane(queues.THUMBS, queues.PAUSED_LANE)
        for group, (limit, weight) in queues.LANES.items():
            self._client.hset(Keyspace(queues.THUMBS).gweight, group, str(weight))
            self._emq.limit_lane(queues.THUMBS, group, limit)
            for n in range(6, 0, -1):
                job_id = self._id(n * _MINUTE_MS)
                self._emq.enqueue(queues.THUMBS, job_id, payloads.thumb(job_id), group=group)

    def _mailer(self) -> None:
        for n in range(1, FAR + 1):
            job_id = self._id(n * _MINUTE_MS)
            body = payloads.mail(job_id)
            self._emq.schedule(queues.MAILER, job_id, body, in_ms=n * n * 30 * _MINUTE_MS)
        far = self._id(_HOUR_MS)
        self._emq.schedule(queues.MAILER, far, payloads.archive(far), in_ms=_FAR_MS)

    def _webhooks(self) -> None:
        """A morgue of more than one page, each body with its error."""
        for n in range(DEAD, 0, -1):
            job_id = self._id(n * 48 * _HOUR_MS // DEAD)
            self._emq.enqueue(queues.WEBHOOKS, job_id, payloads.webhook(job_id))
            claim = self._emq.claim(queues.WEBHOOKS, _MINUTE_MS)
            if claim:
                token, error = claim.attempts, error_of(claim.job_id)
                self._emq.retry(queues.WEBHOOKS, claim.job_id, token, 0, 1, error)
                self._write_logs(queues.WEBHOOKS, claim.job_id, _LONG_LOG if n == 1 else n % 4)
        # An id whose row was lost, as by an eviction.
        self._client.zadd(Keyspace(queues.WEBHOOKS).dead, {self._id(_MINUTE_MS): 0})

    def _write_logs(self, queue: str, job_id: str, count: int) -> None:
        if count:
            lines = payloads.log_lines(job_id, count)
            self._client.rpush(Keyspace(queue).logs(job_id), *lines)

    def _orders(self) -> None:
        for n in range(15, 0, -1):
            job_id = self._id(n * 20_000)
            self._emq.enqueue(queues.ORDERS, job_id, payloads.order(job_id))
