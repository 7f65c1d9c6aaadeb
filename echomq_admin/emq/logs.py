"""The log of a job, page by page from its end, whatever its lines are."""

from __future__ import annotations

from dataclasses import dataclass

import redis

from .keyspace import Keyspace
from .replies import Answer, Batch

# A page ends when it has read so much, with at least one line on it.
MOST_BYTES = 1_000_000
# A list of this size is read at once. The length of an element cannot be asked, so of a larger
# one a few lines are read at a time: one call brings at most `STEP` long ones.
SMALL = 2_000_000
STEP = 10


@dataclass(frozen=True)
class LogPage:
    """Lines `start` up to `start + len(lines)` of `total`, counted from 0, oldest first.

    `cut` says that the lines were so long that there are fewer than asked for. `total` is `None`,
    with a `fault`, when the key cannot be read.
    """

    total: int | None
    start: int
    lines: tuple[bytes, ...]
    cut: bool = False
    fault: str | None = None

    @property
    def end(self) -> int:
        return self.start + len(self.lines)


def log_page(
    client: redis.Redis, queue: str, job_id: str, before: int | None = None, limit: int = 200
) -> LogPage:
    """The last `limit` lines in front of line `before`, or of the log.

    A `before` that lies outside of the log means its nearer end.
    """
    key = Keyspace(queue).logs(job_id)
    first = Batch(client)
    length = first.ask("llen", key)
    memory = first.ask("memory_usage", key, samples=0)
    first.run()
    if length.fault:
        return LogPage(None, 0, (), fault=length.fault)
    total = int(length.value)
    end = total if before is None else min(max(before, 1), total)
    step = limit if _is_small(memory) else 1
    lines: list[bytes] = []
    size = 0
    while len(lines) < min(limit, end) and size < MOST_BYTES:
        stop = end - len(lines)
        some = _range(client, key, max(0, stop - step, end - limit), stop - 1)
        if not some:
            break
        lines[:0] = some
        size += sum(map(len, some))
        step = max(step, min(2 * step, STEP))
    return LogPage(total, end - len(lines), tuple(lines), len(lines) < min(limit, end))


def _is_small(memory: Answer) -> bool:
    """A user who may not ask how large a key is gets it step by step."""
    return memory.value is not None and memory.value <= SMALL


def _range(client: redis.Redis, key: bytes, start: int, stop: int) -> list[bytes]:
    batch = Batch(client)
    answer = batch.ask("lrange", key, start, stop)
    batch.run()
    return list(answer.value or ())
