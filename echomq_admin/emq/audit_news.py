"""What came to the audit stream of a queue after an entry: oldest first, a few at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import redis

from .audit import PER_CALL, Entry, told
from .keyspace import Keyspace
from .replies import Answer, Batch

NONE = "0-0"
_NO_KEY = "no such key"


@dataclass(frozen=True)
class Stream:
    """What a server says of a stream; of one that is not there that it is empty.

    `added` is how many entries it ever held, `None` where the server does not count them.
    `first_id` is its oldest entry, `last_id` the last that was ever added, though it be deleted,
    `deleted_id` the last that was deleted by its id; each `NONE` when there is none, the last one
    also where the server does not tell.
    """

    length: int
    added: int | None
    first_id: str
    last_id: str
    deleted_id: str = NONE


@dataclass(frozen=True)
class Raw:
    """An entry, with the `jobs` and the `detail` as the script packed them, empty for none."""

    entry: Entry
    jobs: bytes
    detail: bytes


@dataclass(frozen=True)
class Piece:
    """At most so many entries behind an id, and the stream as it was just before they were read.

    `is_end` when no entry was behind them. `stream` is `None` when the server does not say;
    `fault` when the entries cannot be read.
    """

    stream: Stream | None
    entries: tuple[Raw, ...]
    is_end: bool
    fault: str | None = None


def after(client: redis.Redis, queue: str, last_id: str, count: int = PER_CALL) -> Piece:
    """The oldest entries behind `last_id`. One round trip; raises redis-py's errors."""
    key = Keyspace(queue).audit
    batch = Batch(client)
    about = batch.ask("xinfo_stream", key)
    found = batch.ask("xrange", key, f"({last_id}", "+", count=count)
    batch.run()
    if found.fault:
        return Piece(None, (), True, found.fault)
    entries = tuple(_raw(entry_id, fields) for entry_id, fields in found.value)
    return Piece(_stream(about), entries, len(entries) < count)


def news(
    client: redis.Redis, last_ids: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The queues whose stream holds an entry behind the id given for each, and why others cannot
    be read. One round trip; raises redis-py's errors."""
    batch = Batch(client)
    asked = {
        queue: batch.ask("xrange", Keyspace(queue).audit, f"({last_id}", "+", count=1)
        for queue, last_id in last_ids.items()
    }
    batch.run()
    faults = {queue: answer.fault for queue, answer in asked.items() if answer.fault}
    return tuple(queue for queue, answer in asked.items() if answer.value), faults


def streams(client: redis.Redis, queues: Iterable[str]) -> dict[str, Stream]:
    """The streams of the queues, but of those that cannot be read. One round trip."""
    batch = Batch(client)
    asked = {queue: batch.ask("xinfo_stream", Keyspace(queue).audit) for queue in queues}
    batch.run()
    found = {queue: _stream(answer) for queue, answer in asked.items()}
    return {queue: stream for queue, stream in found.items() if stream}


def _raw(entry_id: bytes, fields: Mapping[bytes, bytes]) -> Raw:
    entry = told(entry_id.decode("ascii"), fields)
    return Raw(entry, fields.get(b"jobs", b""), fields.get(b"detail", b""))


def _stream(answer: Answer) -> Stream | None:
    if answer.fault:
        is_absent = _NO_KEY in answer.fault
        return Stream(0, 0, NONE, NONE) if is_absent else None
    about: Mapping[str, Any] = answer.value
    first = about["first-entry"]
    return Stream(
        length=int(about["length"]),
        added=about.get("entries-added"),
        first_id=first[0].decode("ascii") if first else NONE,
        last_id=about["last-generated-id"].decode("ascii"),
        deleted_id=about.get("max-deleted-entry-id", NONE.encode()).decode("ascii"),
    )
