"""The scheduler of the fleet: it makes the jobs of the repeatables when they are due."""

from __future__ import annotations

import redis

from echomq_admin.demo.minting import Minter
from echomq_admin.demo.pace import Every
from echomq_admin.demo.queues import REPORTS
from echomq_admin.emq import EchoMQ
from echomq_admin.emq.keyspace import Keyspace, from_wire
from echomq_admin.emq.reads import server_now_ms


class Repeats:
    """One job for each run that is due, however many were missed meanwhile."""

    def __init__(self, client: redis.Redis, minter: Minter) -> None:
        self._client, self._emq, self._minter = client, EchoMQ(client), minter
        self._keys, self._look = Keyspace(REPORTS), Every(2.0)

    def beat(self) -> None:
        """Make what is due."""
        if not self._look.due():
            return
        now_ms = server_now_ms(self._client)
        for name in self._client.zrangebyscore(self._keys.repeat, "-inf", now_ms, start=0, num=10):
            self._run(name, now_ms)

    def _run(self, name: bytes, now_ms: int) -> None:
        """Enqueue a job and set the next run; a repeatable without its hash is left alone."""
        key = self._keys.repeatable(from_wire(name))
        every_ms, template = self._client.hmget(key, "every_ms", "template")
        if every_ms and template:
            self._emq.enqueue(REPORTS, self._minter.mint(), template)
            self._client.zadd(self._keys.repeat, {name: now_ms + int(every_ms)}, xx=True)
