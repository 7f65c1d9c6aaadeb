"""The audit stream of a queue, newest entries first.

An entry is written by a script, but anyone may write to the stream: whatever of an entry
cannot be read becomes its fault, and the rest of it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgpack
import redis

from .keyspace import Keyspace, from_wire
from .replies import Batch

PER_CALL = 10
_UNREADABLE = (ValueError, TypeError, OverflowError, RecursionError, msgpack.UnpackException)


@dataclass(frozen=True)
class Moved:
    """What one entry says of one job; `None` is "absent", or no number where one belongs.

    `error` is what the job had in `last_error`, cut when `error_cut`.
    """

    job_id: str
    outcome: str
    attempts: int | None = None
    stalled: int | None = None
    deadline_ms: float | None = None
    group: str | None = None
    error: bytes | None = None
    error_cut: bool = False


@dataclass(frozen=True)
class Entry:
    """One call that changed something. `at_ms` is the server's clock, 0 when unreadable.

    `n` is how many jobs it moved, `detail` the arguments of its verb. `fault` is a sentence
    when a part of it could not be read.
    """

    entry_id: str
    op: str
    op_id: str
    actor: str
    at_ms: int
    n: int
    jobs: tuple[Moved, ...]
    detail: Mapping[str, object] = field(default_factory=dict)
    fault: str | None = None


@dataclass(frozen=True)
class Tail:
    """The newest entries. `cut` when `max_bytes` ended the reading before `count` did.

    `total` is how many the stream holds; `None`, with a `fault`, when the key cannot be read.
    """

    entries: tuple[Entry, ...]
    cut: bool
    total: int | None
    fault: str | None = None


def tail(
    client: redis.Redis,
    queue: str,
    count: int = 100,
    max_bytes: int = 2_000_000,
    beside: Callable[[Batch], None] | None = None,
) -> Tail:
    """The newest `count` entries, read 10 a call until `max_bytes` of fields are in. `beside` adds
    what else is to be asked along with the first call."""
    key = Keyspace(queue).audit
    entries: list[Entry] = []
    size, last, total = 0, "+", 0
    while len(entries) < count:
        batch = Batch(client)
        if beside and not entries:
            beside(batch)
        length = batch.ask("xlen", key)
        found = batch.ask("xrevrange", key, last, "-", count=min(PER_CALL, count - len(entries)))
        batch.run()
        if found.fault or length.fault:
            return Tail(tuple(entries), False, None, found.fault or length.fault)
        total = int(length.value)
        for entry_id, fields in found.value:
            size += sum(len(name) + len(value) for name, value in fields.items())
            entries.append(_entry(entry_id, fields))
        if len(found.value) < PER_CALL or size >= max_bytes:
            break
        last = f"({entries[-1].entry_id}"
    is_cut = size >= max_bytes and len(entries) < min(count, total)
    return Tail(tuple(entries), is_cut, total)


def place(entry_id: str) -> tuple[int, int]:
    """Where an id stands in the order of a stream. Raises `ValueError` for what is no id."""
    ms, _, sequence = entry_id.partition("-")
    return int(ms), int(sequence or 0)


def told(entry_id: str, fields: Mapping[bytes, bytes]) -> Entry:
    """An entry whose fields were kept elsewhere."""
    return _entry(entry_id.encode(), fields)


def _entry(entry_id: bytes, fields: Mapping[bytes, bytes]) -> Entry:
    faults: list[str] = []
    jobs = _jobs(fields, faults)
    return Entry(
        entry_id=entry_id.decode("ascii"),
        op=from_wire(fields.get(b"op", b"")),
        op_id=from_wire(fields.get(b"op_id", b"")),
        actor=from_wire(fields.get(b"actor", b"")),
        at_ms=_number(fields, b"t", faults),
        n=_number(fields, b"n", faults),
        jobs=jobs,
        detail=_detail(fields, faults),
        fault="; ".join(faults) or None,
    )


def _number(fields: Mapping[bytes, bytes], name: bytes, faults: list[str]) -> int:
    raw = fields.get(name, b"")
    if raw.isdigit() and len(raw) <= 15:
        return int(raw)
    faults.append(f"{name.decode()} is no number")
    return 0


def _jobs(fields: Mapping[bytes, bytes], faults: list[str]) -> tuple[Moved, ...]:
    rows = _unpacked(fields, b"jobs", faults, otherwise=[])
    # An empty table of Lua may be packed as a map.
    if not isinstance(rows, list) and rows != {}:
        faults.append("jobs is no list")
        return ()
    moved = [_moved(row) for row in rows]
    sound = tuple(job for job in moved if job)
    if len(sound) < len(moved):
        faults.append(f"{len(moved) - len(sound)} of {len(moved)} jobs cannot be read")
    return sound


def _moved(row: Any) -> Moved | None:
    if not isinstance(row, list) or len(row) < 2 or not all(isinstance(x, bytes) for x in row[:2]):
        return None
    attempts, stalled, deadline, group, error, is_cut = (*row[2:8], *[False] * 6)[:6]
    return Moved(
        job_id=from_wire(row[0]),
        outcome=from_wire(row[1]),
        attempts=_whole(attempts),
        stalled=_whole(stalled),
        deadline_ms=float(deadline) if _is_number(deadline) else None,
        group=from_wire(group) if isinstance(group, bytes) else None,
        error=error if isinstance(error, bytes) else None,
        error_cut=is_cut is True,
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: Any) -> int | None:
    return int(value) if _is_number(value) and value == value // 1 else None


def _detail(fields: Mapping[bytes, bytes], faults: list[str]) -> dict[str, object]:
    if b"detail" not in fields:
        return {}
    found = _unpacked(fields, b"detail", faults, otherwise={})
    if not isinstance(found, dict):
        if found != []:
            faults.append("detail is no map")
        return {}
    return {str(_plain(name)): _plain(value) for name, value in found.items()}


def _plain(value: Any) -> object:
    return from_wire(value) if isinstance(value, bytes) else value


def _unpacked(
    fields: Mapping[bytes, bytes], name: bytes, faults: list[str], *, otherwise: Any
) -> Any:
    """The value that was packed, or `otherwise` with a fault."""
    try:
        return msgpack.unpackb(fields[name], raw=True, strict_map_key=False)
    except KeyError:
        faults.append(f"{name.decode()} is missing")
    except _UNREADABLE:
        faults.append(f"{name.decode()} cannot be read")
    return otherwise
