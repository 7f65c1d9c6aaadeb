"""The producers: they keep every queue supplied, and hold back when it has enough."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import redis

from echomq_admin.demo import payloads, queues
from echomq_admin.demo.minting import Minter
from echomq_admin.demo.pace import Every
from echomq_admin.demo.repeats import Repeats
from echomq_admin.demo.story import Story
from echomq_admin.emq import EchoMQ
from echomq_admin.emq.keyspace import Keyspace

NODE = 1
_MAIL_DELAYS_MS = (8_000, 20_000, 45_000, 90_000)
_FAR_DELAY_MS = 3 * 24 * 3600 * 1000


@dataclass(frozen=True)
class _Flow:
    """One kind of job: made every so often while the set at `key` has fewer than `most`."""

    every: Every
    key: bytes
    most: int
    make: Callable[[], object]


class Producer:
    """All producers in one process; each step is one look and what it calls for."""

    def __init__(self, client: redis.Redis) -> None:
        self._client, self._emq = client, EchoMQ(client)
        self._minter = Minter(client, NODE)
        self._delays = itertools.cycle(_MAIL_DELAYS_MS)
        self._story = Story(client, self._minter)
        self._repeats = Repeats(client, self._minter)
        self._flows = list(self._all_flows())

    def beat(self) -> None:
        """Make what is due and wanted."""
        due = [flow for flow in self._flows if flow.every.due()]
        for flow, size in zip(due, self._sizes(due), strict=True):
            if size < flow.most:
                flow.make()
        self._story.beat()
        self._repeats.beat()

    def leave(self) -> None:
        """Nothing is half made."""

    def _sizes(self, flows: list[_Flow]) -> list[int]:
        pipe = self._client.pipeline(transaction=False)
        for flow in flows:
            pipe.zcard(flow.key)
        return pipe.execute()

    def _all_flows(self) -> list[_Flow]:
        schedule = Keyspace(queues.MAILER).schedule
        return [
            self._flat(1.0, queues.ORDERS, 24, payloads.order),
            self._flat(9.0, queues.PAYMENTS, 14, payloads.payment),
            self._flat(4.0, queues.WEBHOOKS, 8, payloads.webhook),
            self._flat(2.0, queues.MAILER, 8, payloads.mail),
            *(self._lane(4.0, group) for group in queues.LANES),
            _Flow(Every(6.0), schedule, 40, lambda: self._later(next(self._delays))),
            _Flow(Every(3600.0), schedule, 120, lambda: self._later(_FAR_DELAY_MS)),
            _Flow(Every(1.5), Keyspace(queues.COMMANDS).pending, 9, self._foreign),
        ]

    def _flat(self, every_s: float, queue: str, most: int, body: Callable[[str], bytes]) -> _Flow:
        def make() -> None:
            job_id = self._minter.mint()
            self._emq.enqueue(queue, job_id, body(job_id))

        return _Flow(Every(every_s), Keyspace(queue).pending, most, make)

    def _lane(self, every_s: float, group: str) -> _Flow:
        def make() -> None:
            job_id = self._minter.mint()
            self._emq.enqueue(queues.THUMBS, job_id, payloads.thumb(job_id), group=group)

        return _Flow(Every(every_s), Keyspace(queues.THUMBS).lane(group), 9, make)

    def _later(self, delay_ms: int) -> None:
        job_id = self._minter.mint()
        self._emq.schedule(queues.MAILER, job_id, payloads.mail(job_id), in_ms=delay_ms)

    def _foreign(self) -> None:
        """Write a job as a producer of another make does: by hand, in a namespace of its own."""
        keys, job_id = Keyspace(queues.COMMANDS), self._minter.mint("CMD")
        row = {"state": "pending", "attempts": 0, "payload": payloads.command(job_id)}
        pipe = self._client.pipeline(transaction=True)
        pipe.hset(keys.job(job_id), mapping=row)
        pipe.zadd(keys.pending, {job_id: 0})
        pipe.execute()
