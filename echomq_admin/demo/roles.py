"""The processes of the demo by name. Importing this opens nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import redis

from echomq_admin.demo.habits import HABITS
from echomq_admin.demo.keeper import Keeper
from echomq_admin.demo.producer import Producer
from echomq_admin.demo.seed import Seeder
from echomq_admin.demo.worker import Worker
from echomq_admin.emq import EchoMQ


class Task(Protocol):
    """What a process does: a short step many times, and one when it is stopped."""

    def beat(self) -> None: ...

    def leave(self) -> None: ...


def _producer(client: redis.Redis) -> Task:
    Seeder(client).run()
    return Producer(client)


def _worker(name: str) -> Callable[[redis.Redis], Task]:
    return lambda client: Worker(EchoMQ(client), HABITS[name])


ROLES: dict[str, Callable[[redis.Redis], Task]] = {
    "producer": _producer,
    "keeper": Keeper,
    **{name: _worker(name) for name in HABITS},
}
