"""One queue of a test: rows and sets written as the wire has them, and looked at afterwards."""

from __future__ import annotations

from typing import Any

import redis

from echomq_admin.emq import EchoMQ
from tests.emq.keys import Keyspace, dump, server_now_ms, text, wire

QUEUE = "orders"
A, B, C = "JOB0KHTOWnGLuA", "JOB0KHTOWnGLuB", "JOB0KHTOWnGLuC"
G = "GRP0KHTOWnGLuA"
PAST_MS, FUTURE_MS = 1_600_000_000_000, 4_100_000_000_000

_STATES = {"pending": "pending", "active": "active", "schedule": "scheduled", "dead": "dead"}
_SCORES = {"active": FUTURE_MS, "schedule": FUTURE_MS}


class Orders:
    """The queue `orders` on a real server."""

    def __init__(self, client: redis.Redis, queue: str = QUEUE) -> None:
        self.client = client
        self.queue = queue
        self.emq = EchoMQ(client)

    def key(self, name: str) -> bytes:
        return wire(f"emq:{{{self.queue}}}:{name}")

    def row_key(self, job: str) -> bytes:
        return self.key(f"job:{job}")

    def put(self, place: str, *jobs: str, score: float | None = None, **fields: Any) -> None:
        """Jobs with rows in a set, or with `place` `lane` in the lane of their `group`."""
        self.only_id(place, *jobs, score=score, group=fields.get("group"))
        row = {"state": _STATES.get(place, "pending"), "attempts": 1, "payload": b"{}"} | fields
        for job in jobs:
            self.client.hset(self.row_key(job), mapping=row)

    def only_id(
        self, place: str, *jobs: str, score: float | None = None, group: str | None = None
    ) -> None:
        """Ids in a set without a row: orphans."""
        name = f"g:{group}:pending" if place == "lane" else place
        at = _SCORES.get(place, 0) if score is None else score
        self.client.zadd(self.key(name), {wire(job): at for job in jobs})

    def lapse(self, *jobs: str) -> None:
        """The leases of these jobs end in the past."""
        self.client.zadd(self.key("active"), {wire(job): PAST_MS for job in jobs})

    def serve(self, *groups: str) -> None:
        """These lanes stand on the ring."""
        self.client.rpush(self.key("ring"), *map(wire, groups))

    # -- looking ------------------------------------------------------------------------------

    def row(self, job: str) -> dict[bytes, bytes]:
        return self.client.hgetall(self.row_key(job))

    def ids(self, place: str, group: str | None = None) -> list[str]:
        name = f"g:{group}:pending" if place == "lane" else place
        return [text(raw) for raw in self.client.zrange(self.key(name), 0, -1)]

    def where(self, job: str) -> list[str]:
        """The sets and lanes that hold an id; a lane as `lane <group>`."""
        held = []
        for key in sorted(self.client.keys("emq:*")):
            if self.client.type(key) == b"zset" and self.client.zscore(key, wire(job)) is not None:
                name = text(key).removeprefix(f"emq:{{{self.queue}}}:")
                is_lane = name.startswith("g:")
                held.append("lane " + name[2 : -len(":pending")] if is_lane else name)
        return held

    def score(self, place: str, job: str) -> float | None:
        return self.client.zscore(self.key(place), wire(job))

    def in_flight(self, group: str) -> int | None:
        raw = self.client.hget(self.key("gactive"), wire(group))
        return None if raw is None else int(raw)

    def ring(self) -> list[str]:
        return [text(raw) for raw in self.client.lrange(self.key("ring"), 0, -1)]

    def wakes(self) -> int:
        return self.client.llen(self.key("wake"))

    def count(self, metric: str) -> int:
        return int(self.client.hget(self.key(f"metrics:{metric}"), "count") or 0)

    def now_ms(self) -> int:
        return server_now_ms(self.client)

    def dump(self) -> Keyspace:
        """The queue, without what the console keeps for itself."""
        return dump(self.client, "emq:*")

    def dump_all(self) -> Keyspace:
        """The queue with audit stream and kept replies."""
        return dump(self.client, "*")
