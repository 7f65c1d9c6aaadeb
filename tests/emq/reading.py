"""What the tests of reads share: a client that counts its round trips, and quick seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import redis
from redis.client import Pipeline

Q = "emq:{orders}:"


class CountedPipeline(Pipeline):
    """Tells its client when it travels."""

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        self.counter.trips += 1
        if self.counter.before_trip:
            self.counter.before_trip(self.counter.trips)
        self.counter.commands += len(self.command_stack)
        return super().execute(raise_on_error)


class CountingClient(redis.Redis):
    """A client that knows how often it asked its server, and for how many commands.

    `before_trip` is called with the number of each trip, so that a test can act in between.
    """

    trips = commands = 0
    before_trip: Callable[[int], object] | None = None

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> CountedPipeline:
        assert not transaction
        pipeline = CountedPipeline(
            self.connection_pool, self.response_callbacks, transaction, shard_hint
        )
        pipeline.counter = self
        return pipeline

    def execute_command(self, *args: Any, **options: Any) -> Any:
        self.trips += 1
        self.commands += 1
        return super().execute_command(*args, **options)


def add_job(
    client: redis.Redis, held_in: str, job_id: bytes | str, score: float = 0, **row
) -> None:
    """An id in a set of the queue `orders`, and its row when fields are given."""
    raw = job_id if isinstance(job_id, bytes) else job_id.encode()
    client.zadd(Q + held_in, {raw: score})
    if row:
        client.hset(Q.encode() + b"job:" + raw, mapping=row)
