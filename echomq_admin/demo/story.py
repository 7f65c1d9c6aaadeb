"""The express orders: each silences its worker twice, so that an operator has work to do."""

from __future__ import annotations

import redis

from echomq_admin.demo.minting import Minter
from echomq_admin.demo.pace import Every
from echomq_admin.demo.payloads import express_order
from echomq_admin.demo.queues import ORDERS, STORY_LANE
from echomq_admin.emq import EchoMQ, ids
from echomq_admin.emq.keyspace import Keyspace, from_wire
from echomq_admin.emq.reads import server_now_ms

FIRST = 2
MOST = 5
UNTOUCHED_MS = 5 * 60_000
FORGOTTEN_MS = 60 * 60_000


class Story:
    """Keeps a fresh lease to watch. Never takes one back: that is the operator's part.

    A new order comes every minute. When `MOST` wait for an operator already, the customer
    of the oldest one that nobody has touched for a while cancels, which removes it.
    """

    def __init__(self, client: redis.Redis, minter: Minter) -> None:
        self._client, self._emq, self._minter = client, EchoMQ(client), minter
        self._keys = Keyspace(ORDERS)
        self._soon, self._later = Every(11.0), Every(60.0)

    def beat(self) -> None:
        """Order, or cancel and order, when it is time to."""
        if not self._soon.due():
            return
        open_orders = self._open()
        if open_orders < FIRST or (self._later.due() and self._room(open_orders)):
            self._order()

    def _room(self, open_orders: int) -> bool:
        return open_orders < MOST or self._cancel()

    def _open(self) -> int:
        """Express orders that wait or are held, living or silent."""
        pipe = self._client.pipeline(transaction=False)
        pipe.zcard(self._keys.lane(STORY_LANE))
        pipe.hget(self._keys.gactive, STORY_LANE)
        waiting, held = pipe.execute()
        return int(waiting) + int(held or 0)

    def _order(self) -> None:
        job_id = self._minter.mint()
        self._emq.enqueue(ORDERS, job_id, express_order(job_id), group=STORY_LANE)

    def _cancel(self) -> bool:
        """Remove the oldest order that may be cancelled; False when none may."""
        now_ms = server_now_ms(self._client)
        for job_id, attempts in self._lapsed(now_ms):
            age_ms = now_ms - (ids.minted_ms(job_id) or now_ms)
            if age_ms > (UNTOUCHED_MS if attempts == 1 else FORGOTTEN_MS):
                self._emq.remove(ORDERS, [job_id], tokens={job_id: attempts}, force=True)
                return True
        return False

    def _lapsed(self, now_ms: int) -> list[tuple[str, int]]:
        """Express orders past their deadline with their attempts, oldest first."""
        raw = self._client.zrangebyscore(self._keys.active, "-inf", now_ms, start=0, num=50)
        job_ids = sorted(from_wire(member) for member in raw)
        pipe = self._client.pipeline(transaction=False)
        for job_id in job_ids:
            pipe.hmget(self._keys.job(job_id), "group", "attempts")
        rows = zip(job_ids, pipe.execute(), strict=True)
        return [(job_id, int(n)) for job_id, (group, n) in rows if group == STORY_LANE.encode()]
