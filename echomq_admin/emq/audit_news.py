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
# The last id that there is.
LAST = f"{2**64 - 1}-{2**64 - 1}"
IS_FULL = "it holds an entry under the last id there is, so nothing can be added to it"
_NO_KEY = "no such key"
# What a server says of a stream holds its first and its last entry whole, unless a script asks.
_LIGHT = 4_000_000
_ABOUT = """
local said = redis.pcall('XINFO', 'STREAM', KEYS[1])
if said.err then return said end
local about = {}
for at = 1, #said, 2 do
  local name, value = said[at], said[at + 1]
  if type(value) == 'table' then value = {value[1]} end
  about[#about + 1], about[#about + 2] = name, value
end
return about
"""


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
    """The oldest entries behind `last_id`. Two round trips; raises redis-py's errors."""
    key = Keyspace(queue).audit
    is_light = _light(client, [key])[key]
    batch = Batch(client)
    about = _about(batch, key, is_light=is_light)
    found = _behind(batch, key, last_id, count)
    batch.run()
    if found.fault:
        return Piece(None, (), True, found.fault)
    stream = _stream(about)
    if last_id == LAST:
        is_full = bool(found.value) or (stream is not None and stream.last_id == LAST)
        return Piece(stream, (), True, IS_FULL if is_full else None)
    entries = tuple(_raw(entry_id, fields) for entry_id, fields in found.value)
    return Piece(stream, entries, len(entries) < count)


def news(
    client: redis.Redis, last_ids: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The queues whose stream holds an entry behind the id given for each, and why others cannot
    be read. One that was full up to its id counts as one with news: it may be another by now.
    One round trip; raises redis-py's errors."""
    batch = Batch(client)
    full = {queue for queue, last_id in last_ids.items() if last_id == LAST}
    asked = {
        queue: _behind(batch, Keyspace(queue).audit, last_id, 1)
        for queue, last_id in last_ids.items()
        if queue not in full
    }
    batch.run()
    faults = {queue: answer.fault for queue, answer in asked.items() if answer.fault}
    found = [queue for queue, answer in asked.items() if answer.value]
    return (*found, *sorted(full)), faults


def streams(client: redis.Redis, queues: Iterable[str]) -> dict[str, Stream]:
    """The streams of the queues, but of those that cannot be read. Two round trips."""
    keys = {queue: Keyspace(queue).audit for queue in queues}
    light = _light(client, keys.values())
    batch = Batch(client)
    asked = {queue: _about(batch, key, is_light=light[key]) for queue, key in keys.items()}
    batch.run()
    found = {queue: _stream(answer) for queue, answer in asked.items()}
    return {queue: stream for queue, stream in found.items() if stream}


def _behind(batch: Batch, key: bytes, last_id: str, count: int) -> Answer:
    """The entries behind an id. Behind the last one nothing can be, which no range can say: of it
    the entry itself is asked for."""
    start = last_id if last_id == LAST else f"({last_id}"
    return batch.ask("xrange", key, start, "+", count=count)


def _light(client: redis.Redis, keys: Iterable[bytes]) -> dict[bytes, bool]:
    """Which streams have neither a first nor a last entry that is large, as far as is told."""
    batch = Batch(client)
    sizes = {key: batch.ask("memory_usage", key, samples=1) for key in keys}
    batch.run()
    return {key: (size.value or 0) <= _LIGHT for key, size in sizes.items()}


def _about(batch: Batch, key: bytes, *, is_light: bool) -> Answer:
    return batch.ask("xinfo_stream", key) if is_light else batch.ask("eval", _ABOUT, 1, key)


def _raw(entry_id: bytes, fields: Mapping[bytes, bytes]) -> Raw:
    entry = told(entry_id.decode("ascii"), fields)
    return Raw(entry, fields.get(b"jobs", b""), fields.get(b"detail", b""))


def _stream(answer: Answer) -> Stream | None:
    if answer.fault:
        is_absent = _NO_KEY in answer.fault
        return Stream(0, 0, NONE, NONE) if is_absent else None
    about: Mapping[str, Any] = answer.value
    if isinstance(about, list):
        named = zip(about[::2], about[1::2], strict=True)
        about = {name.decode(): value for name, value in named}
    first = about["first-entry"]
    return Stream(
        length=int(about["length"]),
        added=about.get("entries-added"),
        first_id=first[0].decode("ascii") if first else NONE,
        last_id=about["last-generated-id"].decode("ascii"),
        deleted_id=about.get("max-deleted-entry-id", NONE.encode()).decode("ascii"),
    )
