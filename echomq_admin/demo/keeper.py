"""The housekeeping of a fleet: back-offs end, lapsed leases go back, the morgue stays small."""

from __future__ import annotations

import logging

import redis

from echomq_admin.demo import queues
from echomq_admin.demo.pace import Every
from echomq_admin.emq import EchoMQ
from echomq_admin.emq.keyspace import Keyspace, from_wire

log = logging.getLogger(__name__)


class Keeper:
    """Promotes on every queue; reaps and sweeps on all but the story's, where operators do."""

    def __init__(self, client: redis.Redis) -> None:
        self._client, self._emq = client, EchoMQ(client)
        self._promote, self._return, self._trim = Every(1.0), Every(4.0), Every(15.0)

    def beat(self) -> None:
        """Whatever is due now."""
        if self._promote.due():
            for queue in queues.ALL:
                self._emq.promote(queue)
        if self._return.due():
            self._take_back()
        if self._trim.due():
            for queue in queues.ALL:
                self._bury_less(queue)

    def leave(self) -> None:
        """Nothing is held."""

    def _take_back(self) -> None:
        for queue in queues.REAPED:
            self._emq.reap(queue)
        for queue in queues.SWEPT:
            swept = self._emq.sweep(queue, max_stalled=queues.SWEEP_MAX_STALLED)
            if swept.dead:
                log.info("%s: %s stalled to death", queue, ", ".join(swept.dead))

    def _bury_less(self, queue: str) -> None:
        """Remove the oldest dead jobs above what the queue may have of them."""
        dead = Keyspace(queue).dead
        most = queues.MOST_DEAD_OF.get(queue, queues.MOST_DEAD)
        extra = int(self._client.zcard(dead)) - most
        if extra > 0:
            oldest = self._client.zrange(dead, 0, min(extra, 1000) - 1)
            self._emq.remove(queue, [from_wire(member) for member in oldest])
