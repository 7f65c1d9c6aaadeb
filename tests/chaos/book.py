"""What the ledger says, read from its database without a line of the console."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

KINDS = {1: "recovered", 2: "dead", 3: "reaped", 4: "failed", 5: "operator", 6: "uncertain"}
SOURCES = {1: "script", 2: "observer", 3: "found"}
# An instant is cut to whole milliseconds on both sides.
SLACK_MS = 2
_ENTRIES = """
    SELECT place.queue, ending.job, ending.attempts, ending.life, ending.n, ending.kind,
        ending.source, ending.ended_ms, ending.within_ms, ending.stalled, ending.deadline_ms,
        lane.name, error.text
    FROM ledger_ending AS ending JOIN ledger_place AS place ON place.id = ending.place_id
    LEFT JOIN ledger_lane AS lane ON lane.id = ending.lane_id
    LEFT JOIN ledger_errortext AS error ON error.id = ending.error_id
    ORDER BY ending.ended_ms, ending.id
"""
_SPANS = """
    SELECT place.queue, blind.from_ms, blind.to_ms, blind.why FROM ledger_blind AS blind
    LEFT JOIN ledger_place AS place ON place.id = blind.place_id ORDER BY blind.from_ms
"""


@dataclass(frozen=True)
class Entry:
    """An ending as it is kept: after `ended_ms - within_ms`, at `ended_ms` at the latest."""

    queue: str
    job: str
    attempts: int
    life: int
    n: int
    kind: str
    source: str
    ended_ms: int
    within_ms: int = 0
    stalled: int | None = None
    deadline: int | None = None
    lane: str | None = None
    error: str | None = None

    @property
    def lease(self) -> tuple[str, str, int]:
        return self.queue, self.job, self.attempts


@dataclass(frozen=True)
class Span:
    """Where the observer did not see, of all queues or of one."""

    queue: str | None
    from_ms: int
    to_ms: int
    why: str = ""

    def holds(self, queue: str, t: int) -> bool:
        is_here = self.queue is None or self.queue == queue
        return is_here and self.from_ms - SLACK_MS <= t <= self.to_ms + SLACK_MS


def entries(database: Path) -> list[Entry]:
    return [_entry(row) for row in rows(database, _ENTRIES)]


def spans(database: Path) -> list[Span]:
    return [Span(_text(queue), *rest) for queue, *rest in rows(database, _SPANS)]


def rows(database: Path, query: str) -> list[tuple]:
    address = f"file:{database}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True, timeout=30)) as connection:
        return connection.execute(query).fetchall()


def _entry(row: tuple) -> Entry:
    queue, job, attempts, life, n, kind, source, *rest, lane, error = row
    where = (_text(queue), _text(job), attempts, life, n, KINDS[kind], SOURCES[source])
    return Entry(*where, *rest, _text(lane), _text(error))


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode()
