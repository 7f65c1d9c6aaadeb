"""Audit entries as the page draws them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from echomq_admin.console import links, payloads
from echomq_admin.console.payloads import Sight
from echomq_admin.console.words import LOST
from echomq_admin.emq.audit import Entry
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.emq.rows import Text
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.spans import span
from echomq_admin.operations.actions import ACTIONS

MOST_JOBS = 50
_WORDS = {"not_dead": "no longer dead", "gone": "row missing", "unreadable": "unreadable row"}
# Arguments of the scripts as the pages call them.
_ARGUMENTS = {
    "group": "lane",
    "n": "jobs at once",
    "lease_ms": "lease",
    "budget": "at most",
    "limit": "at most",
    "reset_stalls": "stall counts start over:",
    "include_schedule": "scheduled too:",
}
# Verbs that take leases away move an unreadable job too, where others leave it alone.
_TAKING = {"sweep", "reap", "reap_group", "recover_now"}


@dataclass(frozen=True, slots=True)
class JobLine:
    """What an entry says of one job; an absent number is a dash, `href` may be empty."""

    name: str
    href: str
    outcome: str
    attempts: str
    stalled: str
    deadline_ms: float | None
    lane: str
    error: Sight
    error_id: str


@dataclass(frozen=True, slots=True)
class EntryLine:
    """One entry. `detail` leaves arguments out that are false; `jobs` are the first few, `more`
    counts the others."""

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


def line(entry: Entry, where: tuple[str, str] | None = None, most: int = MOST_JOBS) -> EntryLine:
    """An entry with every text made safe to read, and `most` of its jobs; they are links when
    `where` names the server and the queue."""
    counted = Counter(moved.outcome for moved in entry.jobs)
    return EntryLine(
        entry_id=entry.entry_id,
        op=called(entry.op),
        op_id=brief(entry.op_id) if entry.op_id else "",
        actor=brief(entry.actor) if entry.actor else "",
        at_ms=entry.at_ms,
        n=entry.n,
        summary="; ".join(f"{n:,} {word(outcome, entry.op)}" for outcome, n in counted.items()),
        detail=" · ".join(
            _argument(*pair) for pair in entry.detail.items() if pair[1] is not False
        ),
        jobs=tuple(_job(entry, at, where) for at in range(min(len(entry.jobs), most))),
        more=max(0, len(entry.jobs) - most),
        fault=brief(entry.fault) if entry.fault else "",
    )


def called(op: str) -> str:
    """What was done as the pages call it; a verb that is none of this console's as it is."""
    action = ACTIONS.get(op)
    return brief(op) if action is None else f"{action.label[:1].lower()}{action.label[1:]}"


def word(outcome: str, op: str) -> str:
    """An outcome of a verb as people say it."""
    if op in _TAKING and outcome in LOST:
        return LOST[outcome]
    return _WORDS.get(outcome, brief(outcome).replace("_", " "))


def _job(entry: Entry, at: int, where: tuple[str, str] | None) -> JobLine:
    moved = entry.jobs[at]
    error = None if moved.error is None else Text(len(moved.error), moved.error)
    return JobLine(
        name=brief(moved.job_id),
        href=links.job_href(*where, moved.job_id) if where else "",
        outcome=word(moved.outcome, entry.op),
        attempts=_number(moved.attempts),
        stalled=_number(moved.stalled),
        deadline_ms=moved.deadline_ms,
        lane="–" if moved.group is None else brief(moved.group),
        error=payloads.sight(error),
        error_id=f"x{entry.entry_id}n{at}",
    )


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _argument(name: object, value: object) -> str:
    said = _ARGUMENTS.get(str(name)) or brief(str(name)).replace("_", " ")
    if name == "lease_ms" and isinstance(value, int):
        return f"{said} {span(value)}"
    return f"{said} {_value(value)}"


def _value(value: object) -> str:
    """A scalar; what an entry of ours never holds is not unfolded."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return brief(from_wire(value))
    return brief(str(value)) if isinstance(value, int | float | str) else "…"
