"""Audit entries as the page draws them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from echomq_admin.console import payloads
from echomq_admin.console.payloads import Sight
from echomq_admin.emq.audit import Entry, Moved
from echomq_admin.emq.rows import Text
from echomq_admin.fleet.names import shown

MOST_JOBS = 50
_PLURAL = {"not_dead": "no longer dead", "gone": "row missing", "orphaned": "dropped, row missing"}


@dataclass(frozen=True, slots=True)
class JobLine:
    """What an entry says of one job; an absent number is a dash."""

    name: str
    outcome: str
    attempts: str
    stalled: str
    deadline_ms: float | None
    lane: str
    error: Sight


@dataclass(frozen=True, slots=True)
class EntryLine:
    """One entry. `jobs` are the first `MOST_JOBS`; `more` counts the others."""

    entry_id: str
    op: str
    op_id: str
    actor: str
    at_ms: int
    n: int
    summary: str
    detail: str
    jobs: tuple[JobLine, ...]
    more: int
    fault: str


def line(entry: Entry) -> EntryLine:
    """An entry with every text made safe to read."""
    counted = Counter(moved.outcome for moved in entry.jobs)
    return EntryLine(
        entry_id=entry.entry_id,
        op=shown(entry.op),
        op_id=shown(entry.op_id),
        actor=shown(entry.actor) if entry.actor else "",
        at_ms=entry.at_ms,
        n=entry.n,
        summary=", ".join(f"{count:,} {word(outcome)}" for outcome, count in counted.items()),
        detail=" · ".join(_argument(*pair) for pair in entry.detail.items()),
        jobs=tuple(_job(moved) for moved in entry.jobs[:MOST_JOBS]),
        more=max(0, len(entry.jobs) - MOST_JOBS),
        fault=shown(entry.fault) if entry.fault else "",
    )


def word(outcome: str) -> str:
    """An outcome as people say it."""
    return _PLURAL.get(outcome, shown(outcome).replace("_", " "))


def _job(moved: Moved) -> JobLine:
    error = None if moved.error is None else Text(len(moved.error), moved.error)
    return JobLine(
        name=shown(moved.job_id),
        outcome=word(moved.outcome),
        attempts=_number(moved.attempts),
        stalled=_number(moved.stalled),
        deadline_ms=moved.deadline_ms,
        lane="–" if moved.group is None else shown(moved.group),
        error=payloads.sight(error),
    )


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _argument(name: object, value: object) -> str:
    return f"{shown(str(name)).replace('_', ' ')} {_value(value)}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return shown(value.decode("utf-8", "surrogateescape"))
    return shown(str(value))
