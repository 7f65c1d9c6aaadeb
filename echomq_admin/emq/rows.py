"""Job rows as records: read in bulk, whatever their bytes are.

A list of rows costs two round trips: the length of every field first, then the fields that
are short. Nothing long is ever fetched, and a broken row breaks only its own record.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import ids
from .keyspace import Keyspace, from_wire, to_wire
from .replies import Answer, Batch, integer

SHORT = 2048
LONGEST_NAME = 8192
# About ten commands carry the id of a row, so a list leaves rows of longer ids unread, bytes.
LONGEST_ID = 8_000
ROW_MISSING = "row missing"

_NAMES = ("state", "attempts", "stalled", "group", "parent")
_TEXTS = ("payload", "last_error", "progress")
_FIELDS = _NAMES + _TEXTS
# A row that has none of our fields was written by something else; these are named as missed.
_MISSED = ("state", "attempts", "payload")


@dataclass(frozen=True)
class Text:
    """A field of a row. `size` in bytes; `body` is `None` when a list does not read it.

    That is the case when it is longer than `SHORT`, and in reads that need no texts.
    """

    size: int
    body: bytes | None


@dataclass(frozen=True)
class Job:
    """One row. Absent `attempts` and `stalled` are 0, those that are no integers are `None`.

    `fault` is `None`, `"row missing"` or `"unreadable row: <reason>"`; the other fields hold
    what could be read all the same. `odd` says which name is too long to be read, and with
    `is_read` false nothing was, because the id is. `score` is that of the set the id was found in.
    """

    job_id: str
    fault: str | None = None
    state: bytes | None = None
    attempts: int | None = None
    stalled: int | None = None
    group: str | None = None
    error: Text | None = None
    payload: Text | None = None
    progress: Text | None = None
    parent: str | None = None
    minted_ms: int | None = None
    score: float | None = None
    odd: str | None = None
    is_read: bool = True

    @property
    def is_movable(self) -> bool:
        """Whether the scripts work on the row, odd as it may be: it is a hash, and its attempts
        an integer."""
        return self.fault is None or (self.fault != ROW_MISSING and self.attempts is not None)


@dataclass
class _Row:
    """What is asked of one row and what came back."""

    job_id: str
    score: float | None
    key: bytes
    count: Answer
    lengths: dict[str, Answer]
    wanted: tuple[str, ...] = ()
    values: Answer = field(default_factory=Answer)

    @property
    def is_asked(self) -> bool:
        return bool(self.lengths)

    def length(self, name: str) -> int:
        return int(self.lengths[name].value or 0)

    def ask(self, batch: Batch, wanted: tuple[str, ...]) -> None:
        self.wanted = wanted
        if wanted:
            self.values = batch.ask("hmget", self.key, wanted)

    @property
    def refusal(self) -> str | None:
        """Why the row, or how long its fields are, cannot be read."""
        asked = (self.count, *self.lengths.values(), self.values)
        return next((answer.fault for answer in asked if answer.fault), None)

    def ask_short(self, batch: Batch) -> None:
        if self.refusal:
            return
        names = tuple(name for name in _NAMES if self.length(name) <= LONGEST_NAME)
        self.ask(batch, names + tuple(name for name in _TEXTS if self.length(name) <= SHORT))


class Rows:
    """The rows of some ids, in their order: lengths, a run, short fields, a run, `jobs`.

    With `ask_lean` instead, one round trip brings names, counters and the lengths of texts.
    Rows of ids beyond `longest_id` bytes are not read.
    """

    def __init__(
        self,
        keys: Keyspace,
        members: Sequence[tuple[bytes, float | None]],
        longest_id: float = math.inf,
    ) -> None:
        self._keys = keys
        self._members = members
        self._longest_id = longest_id
        self._rows: list[_Row] = []

    def ask_lengths(self, batch: Batch) -> None:
        """Whether there is a row, and how long each field is."""
        for member, score in self._members:
            job_id = from_wire(member)
            if len(member) > self._longest_id:
                self._rows.append(_Row(job_id, score, b"", Answer(), {}))
                continue
            key = self._keys.job(job_id)
            count = batch.ask("hlen", key)
            lengths = {name: batch.ask("hstrlen", key, name) for name in _FIELDS}
            self._rows.append(_Row(job_id, score, key, count, lengths))

    def ask_short(self, batch: Batch) -> None:
        """The fields that turned out short."""
        for row in self._rows:
            if row.count.value:
                row.ask_short(batch)

    def ask_lean(self, batch: Batch) -> None:
        """All but the bodies of texts, in one round trip."""
        self.ask_lengths(batch)
        for row in self._rows:
            if row.is_asked:
                row.ask(batch, _NAMES)

    def jobs(self) -> tuple[Job, ...]:
        """One record per id, once every answer is in."""
        return tuple(map(_job, self._rows))


def _job(row: _Row) -> Job:
    if not row.is_asked:
        return _unread(row)
    found = dict(zip(row.wanted, row.values.value or (), strict=False))
    minted = ids.minted_ms(row.job_id)
    fault = _fault(row, found)
    if not found or fault == ROW_MISSING:
        return Job(row.job_id, fault, minted_ms=minted, score=row.score)
    return Job(
        row.job_id,
        fault,
        state=found.get("state"),
        attempts=_counter(found, "attempts"),
        stalled=_counter(found, "stalled"),
        group=_name(found.get("group")),
        error=_text(row, found, "last_error"),
        payload=_text(row, found, "payload"),
        progress=_text(row, found, "progress"),
        parent=_name(found.get("parent")),
        minted_ms=minted,
        score=row.score,
        odd=_long_name(row),
    )


def _unread(row: _Row) -> Job:
    size = len(to_wire(row.job_id))
    fault = f"id of {size:,} bytes: its row is not read in a list"
    return Job(row.job_id, fault, score=row.score, is_read=False)


def _fault(row: _Row, found: dict[str, bytes | None]) -> str | None:
    """What is wrong with a row, or `None`."""
    if row.refusal:
        return f"unreadable row: {row.refusal}"
    if not row.count.value or _has_gone(row, found):
        return ROW_MISSING
    if all(found.get(name) is None and not row.length(name) for name in _FIELDS):
        return f"unreadable row: it has none of {', '.join(_MISSED)}"
    if _counter(found, "attempts") is None:
        return "unreadable row: attempts is no integer"
    return None


def _has_gone(row: _Row, found: dict[str, bytes | None]) -> bool:
    """Whether the row was deleted between the reading of lengths and that of fields."""
    had_something = any(map(row.length, row.wanted))
    return had_something and all(value is None for value in found.values())


def _counter(found: dict[str, bytes | None], name: str) -> int | None:
    return integer(found[name]) if name in found else None


def _long_name(row: _Row) -> str | None:
    """Which name was left unread, and how long it is."""
    for name in ("state", "group", "parent"):
        if name not in row.wanted:
            return f"{name} is {row.length(name):,} bytes long"
    return None


def _name(raw: bytes | None) -> str | None:
    return None if raw is None else from_wire(raw)


def _text(row: _Row, found: dict[str, bytes | None], name: str) -> Text | None:
    if name not in found:
        return Text(row.length(name), None) if row.length(name) else None
    raw = found[name]
    if raw is None:
        return None
    # It may have grown since its length was read.
    return Text(len(raw), raw if len(raw) <= SHORT else None)
