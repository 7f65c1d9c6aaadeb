"""What a server gathers over the years, written key by key as other programs left it there."""

from __future__ import annotations

from collections.abc import Callable

import redis
from redis.client import Pipeline

from echomq_admin.demo import payloads, queues
from echomq_admin.emq import ids
from echomq_admin.emq.keyspace import Keyspace

NODE = 3
_DAY_MS = 24 * 3_600_000
_MINUTE_MS = 60_000
_ODD_LANE = "kunde ü/1"


class Relics:
    """Flows, repeatables, an old queue and an odd one. Each is written in one transaction."""

    def __init__(self, client: redis.Redis, now_ms: int) -> None:
        self._client, self._now_ms = client, now_ms
        self._minted = 0

    @property
    def seeds(self) -> dict[str, Callable[[], None]]:
        """Queue to what writes its beginnings."""
        return {
            queues.REPORTS: self._reports,
            queues.IMPORTS: self._imports,
            queues.CAMPAIGN: self._campaign,
        }

    def _id(self, age_ms: int) -> str:
        self._minted += 1
        return ids.mint("JOB", self._now_ms - age_ms, NODE, self._minted)

    def _reports(self) -> None:
        """A parent that waits for two of its four children, and two repeatables."""
        pipe = self._client.pipeline(transaction=True)
        self._flow(pipe, Keyspace(queues.REPORTS))
        self._repeats(pipe, Keyspace(queues.REPORTS))
        pipe.execute()

    def _flow(self, pipe: Pipeline, keys: Keyspace) -> None:
        parent, done, skipped, *out = (self._id(n * 40 * _MINUTE_MS) for n in range(5, 0, -1))
        row = {"state": "awaiting_children", "attempts": 0, "payload": payloads.report(parent)}
        pipe.hset(keys.job(parent), mapping=row | {"progress": "50"})
        pipe.set(keys.dependencies(parent), len(out))
        pipe.hset(keys.ended_children(parent, "processed"), done, '{"pages": 12}')
        pipe.hset(keys.ended_children(parent, "unsuccessful"), skipped, "no data for this region")
        pipe.rpush(keys.logs(parent), *payloads.log_lines(parent, 6))
        pipe.set(keys.dedup("monthly-report"), parent)
        for days, child in enumerate(out, 2):
            row = {"state": "scheduled", "attempts": 0, "payload": payloads.report(child)}
            pipe.hset(keys.job(child), mapping=row | {"parent": parent, "parent_policy": "fp"})
            pipe.zadd(keys.schedule, {child: self._now_ms + days * _DAY_MS})

    def _repeats(self, pipe: Pipeline, keys: Keyspace) -> None:
        for name, every_ms, template, in_ms in (
            ("heartbeat", 30_000, payloads.heartbeat(), 10_000),
            ("nightly", _DAY_MS, payloads.report("nightly"), _DAY_MS // 3),
        ):
            pipe.hset(keys.repeatable(name), mapping={"every_ms": every_ms, "template": template})
            pipe.zadd(keys.repeat, {name: self._now_ms + in_ms})

    def _imports(self) -> None:
        """A queue whose name is refused today, with an odd lane and ids that have no row."""
        keys = Keyspace(queues.IMPORTS)
        pipe = self._client.pipeline(transaction=True)
        for n in range(4, 0, -1):
            self._by_hand(pipe, keys, keys.pending, self._id(n * _DAY_MS))
        for n in range(3, 0, -1):
            job_id = self._id(n * 7 * _DAY_MS)
            self._by_hand(pipe, keys, keys.lane(_ODD_LANE), job_id, group=_ODD_LANE)
        self._by_hand(pipe, keys, keys.dead, "import/77?", state="dead", last_error="row 77: bad")
        pipe.zadd(keys.dead, {self._id(30 * _DAY_MS): 0})
        pipe.rpush(keys.ring, _ODD_LANE)
        pipe.execute()

    def _by_hand(
        self, pipe: Pipeline, keys: Keyspace, place: bytes, job_id: str, **fields: str
    ) -> None:
        row = {"state": "pending", "attempts": 0, "payload": f"file=import-{job_id[-3:]}.csv;sep=;"}
        pipe.hset(keys.job(job_id), mapping=row | fields)
        pipe.zadd(place, {job_id: 0})

    def _campaign(self) -> None:
        """A queue that was worked off: only its counts are left."""
        keys = Keyspace(queues.CAMPAIGN)
        pipe = self._client.pipeline(transaction=True)
        pipe.hset(keys.completed, "count", 48_213)
        pipe.hset(keys.failed, "count", 112)
        pipe.hset(keys.meta, "concurrency", 4)
        pipe.execute()
