"""The log of a job, page by page from its end, whatever its lines are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import redis

from .keyspace import Keyspace
from .replies import Answer, Batch
from .sides import Side

# A page ends when it has read so much, with at least one line on it.
MOST_BYTES = 1_000_000
# A list of this size is read at once. The length of a line cannot be asked, only the size of all:
# of a larger list it says how many lines of the usual length make a page. Some may be much longer
# all the same, so it is seen after every step whether to go on, and steps grow by `GROWTH`.
SMALL = 3_000_000
GROWTH = 4
# After so many steps a page of long lines ends.
MOST_STEPS = 12
# The longest step where the size is not told; there a page takes as many as it needs.
STEP = 10


@dataclass(frozen=True)
class LogPage:
    """Lines `start` up to `start + len(lines)` of `total`, counted from 0, oldest first.

    `cut` says that the lines were so long that there are fewer than asked for. `total` is `None`
    when unknown; with a `fault` lines could not be read.
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
    side = Side(key, first)
    first.run()
    if side.is_row:
        return LogPage(0, 0, ())
    if length.fault:
        return LogPage(None, 0, (), fault=length.fault)
    total = int(length.value)
    end = total if before is None else min(max(before, 1), total)
    steps = _steps(memory.value, total, limit)
    lines: list[bytes] = []
    size = 0
    while len(lines) < min(limit, end) and size < MOST_BYTES:
        step, stop = next(steps, 0), end - len(lines)
        some = _range(client, key, max(0, stop - step, end - limit), stop - 1) if step else Answer()
        if not some.value:
            if some.fault and not lines:
                return LogPage(total, end, (), fault=some.fault)
            break
        lines[:0] = some.value
        size += sum(map(len, some.value))
    return LogPage(total, end - len(lines), tuple(lines), len(lines) < min(limit, end))


def _steps(memory: int | None, total: int, limit: int) -> Iterator[int]:
    """How many lines to read at a time."""
    if memory is not None and memory <= SMALL:
        yield limit
        return
    usual = STEP if memory is None else max(1, MOST_BYTES * total // memory)
    step = 1
    for _ in range(limit if memory is None else MOST_STEPS):
        yield step
        step = min(GROWTH * step, usual)


def _range(client: redis.Redis, key: bytes, start: int, stop: int) -> Answer:
    batch = Batch(client)
    answer = batch.ask("lrange", key, start, stop)
    batch.run()
    return answer
