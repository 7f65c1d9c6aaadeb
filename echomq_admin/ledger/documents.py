"""Entries of the trail as documents: every byte of the wire survives, as text or as base64."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import msgpack

from echomq_admin.emq.audit import Entry, Moved
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.ledger.models import TrailEntry
from echomq_admin.ledger.told import told

# So many lists and maps may lie within each other: many a reader of JSON takes not many more.
_DEEPEST = 32


def exact(raw: bytes) -> dict[str, str]:
    """Bytes for a JSON document: as text where they are UTF-8, else as base64."""
    try:
        return {"text": raw.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode("ascii")}


def document(entry: TrailEntry) -> dict[str, object]:
    """An entry whole, with each of its jobs. What is absent of a job is null."""
    read = told(entry)
    return {
        "at_ms": entry.at_ms,
        "kind": str(entry.kind),
        "server": entry.server,
        "queue": exact(bytes(entry.queue)) if entry.server else None,
        "op": entry.op,
        "op_id": entry.op_id,
        "actor": entry.actor,
        "reason": entry.reason,
        "sentence": entry.sentence,
        "n": entry.n,
        "detail": _detail(read),
        "jobs": [_job(moved) for moved in read.jobs],
        "fault": read.fault,
        "stream_id": entry.stream_id,
    }


def _job(moved: Moved) -> dict[str, object]:
    return {
        "id": exact(to_wire(moved.job_id)),
        "outcome": _text(moved.outcome),
        "attempts": moved.attempts,
        "stalled": moved.stalled,
        "deadline_ms": _finite(moved.deadline_ms),
        "group": None if moved.group is None else exact(to_wire(moved.group)),
        "error": None if moved.error is None else exact(moved.error),
        "error_cut": moved.error_cut,
    }


def _detail(read: Entry) -> dict[str, object]:
    return {_text(name): _plain(value) for name, value in read.detail.items()}


def _plain(value: object, depth: int = 0) -> object:
    """A value of an entry that anybody may have written, as JSON can hold it; what lies too deep
    for that as its msgpack."""
    if isinstance(value, list | Mapping) and depth == _DEEPEST:
        packed = msgpack.packb(value, use_bin_type=False)
        return {"msgpack": base64.b64encode(packed).decode("ascii")}
    if isinstance(value, list):
        return [_plain(one, depth + 1) for one in value]
    if isinstance(value, Mapping):
        return {_text(_name(name)): _plain(one, depth + 1) for name, one in value.items()}
    if isinstance(value, bytes | str):
        raw = value if isinstance(value, bytes) else to_wire(value)
        return value if isinstance(value, str) and _is_text(value) else exact(raw)
    if isinstance(value, float):
        return _finite(value)
    return value if isinstance(value, int) or value is None else str(value)


def _name(name: object) -> str:
    return from_wire(name) if isinstance(name, bytes) else str(name)


def _finite(number: float | None) -> float | str | None:
    """JSON has no word for what is endless."""
    is_number = number is None or number - number == 0
    return number if is_number else str(number)


def _is_text(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _text(text: str) -> str:
    """A word as text; bytes of it that are none are escaped."""
    return text if _is_text(text) else to_wire(text).decode("utf-8", "backslashreplace")
