"""Entries of the trail as the page draws them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.urls import reverse

from echomq_admin.console import entries
from echomq_admin.console.entries import EntryLine
from echomq_admin.console.links import queue_url
from echomq_admin.console.trail.looks import TrailLook
from echomq_admin.console.trail.undoing import Undoing
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import brief
from echomq_admin.ledger.models import Gap, Kind, TrailEntry
from echomq_admin.ledger.told import told
from echomq_admin.ledger.trail import Page, gap_ms

MOST_JOBS = 20
MOST_JOBS_OF_A_CALL = 200
# A clock that is a little ahead of this host's does not put what was done into the future.
_DRIFT_MS = 3_600_000
_CHIPS = {
    Kind.KEPT: ("setting", "plain"),
    Kind.REFUSED: ("refused", "soon"),
    Kind.SIGN_IN: ("sign-in", "plain"),
}
_ACCOUNT = ("account", "plain")


@dataclass(frozen=True, slots=True)
class TrailLine:
    """An entry with where it was, why, and what can still be done about it.

    `chip` is a word and its colour, `None` for what a queue's stream said. `target` names server
    and queue, `href` leads there, both may be empty; `by_actor` and `by_call` lead to what else
    this person or this call did. `undo` is the address that takes the call back, empty when there
    is no taking back; `undone` says how much of it was. `has_doer`: a person did it through the
    console, named or not. `of_job`: its only job is the one that was asked for.
    """

    entry: EntryLine
    chip: tuple[str, str] | None
    now_ms: float
    target: str
    href: str
    reason: str
    sentence: str
    by_actor: str
    by_call: str
    undo: str
    undone: str
    has_doer: bool
    of_job: bool


@dataclass(frozen=True, slots=True)
class GapLine:
    """Entries that are missing, at their place among the others."""

    at_ms: int
    now_ms: float
    target: str
    sentence: str


def lines(
    found: Page, gaps: list[Gap], look: TrailLook, undoing: Undoing | None, now_ms: float
) -> list[TrailLine | GapLine]:
    """What a page shows, newest first, with each gap below the entries that came after it."""
    drawn: list[TrailLine | GapLine] = []
    left = list(gaps)
    for entry in found.entries:
        while left and gap_ms(left[0]) > entry.at_ms:
            drawn.append(_gap(left.pop(0), now_ms))
        drawn.append(_line(entry, look, undoing, now_ms))
    return drawn + [_gap(gap, now_ms) for gap in left]


def _line(entry: TrailEntry, look: TrailLook, undoing: Undoing | None, now_ms: float) -> TrailLine:
    queue, read = from_wire(bytes(entry.queue)), told(entry)
    job_id = look.wanted.job_id
    if job_id is not None:
        read = replace(read, jobs=tuple(moved for moved in read.jobs if moved.job_id == job_id))
    if entry.reason:
        # It stands on a line of its own.
        kept = {name: value for name, value in read.detail.items() if name != "reason"}
        read = replace(read, detail=kept)
    where = (entry.server, queue) if _is_known(entry.server) else None
    most = MOST_JOBS_OF_A_CALL if look.wanted.op_id else MOST_JOBS
    call = entry.op_id.partition(".")[0]
    return TrailLine(
        entry=entries.line(read, where, most),
        chip=_chip(entry),
        now_ms=_now(entry.at_ms, now_ms),
        target=_target(entry.server, queue),
        href=_href(entry.server, queue) if where else "",
        reason=brief(entry.reason, 1_000) if entry.reason else "",
        sentence=brief(entry.sentence, 1_000) if entry.sentence else "",
        by_actor=_alone(look, who=entry.actor) if entry.actor != look.wanted.actor else "",
        by_call=_alone(look, op_id=call) if call not in ("", look.wanted.op_id) else "",
        undo=undoing.url(entry) if undoing else "",
        undone=undoing.undone(entry) if undoing else "",
        has_doer=bool(entry.server) or entry.kind not in (Kind.SIGN_IN, Kind.KEPT),
        of_job=job_id is not None and bool(read.jobs),
    )


def _chip(entry: TrailEntry) -> tuple[str, str] | None:
    is_account = entry.kind == Kind.KEPT and not entry.server
    return _ACCOUNT if is_account else _CHIPS.get(Kind(entry.kind))


def _gap(gap: Gap, now_ms: float) -> GapLine:
    at_ms = gap_ms(gap)
    target = _target(gap.server, from_wire(bytes(gap.queue)))
    return GapLine(at_ms, _now(at_ms, now_ms), target, gap.sentence)


def _alone(look: TrailLook, **one: str) -> str:
    """The address of the same look with one filter more."""
    return f"{reverse('trail')}?{look.query(cursor='', **one)}"


def _is_known(server: str) -> bool:
    return any(server == one.name for one in servers.servers())


def _now(at_ms: int, now_ms: float) -> float:
    return at_ms if 0 < at_ms - now_ms < _DRIFT_MS else now_ms


def _target(server: str, queue: str) -> str:
    if not server:
        return ""
    return f"{brief(server)}/{brief(queue, 80)}" if queue else brief(server)


def _href(server: str, queue: str) -> str:
    return queue_url(server, queue) if queue else reverse("server", args=[server])
