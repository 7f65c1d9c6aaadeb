"""What is held against each other before and after: the queue, and what lies in the trash."""

from __future__ import annotations

import redis

from echomq_admin.operations import trash
from tests.emq.keys import Keyspace
from tests.emq.keys import dump as whole


def jobs_of(client: redis.Redis) -> Keyspace:
    """The queue, without the wake tokens."""
    return {key: value for key, value in whole(client).items() if not key.endswith(b"wake")}


def in_trash() -> list[str]:
    return [row.job_id for row in trash.page().rows]
