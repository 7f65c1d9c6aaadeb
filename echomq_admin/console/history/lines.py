"""The history of a job as its table shows it: every text made safe to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from echomq_admin.console import endings, entries
from echomq_admin.console.endings import Look, error_of, lane_word
from echomq_admin.console.payloads import Sight
from echomq_admin.console.trail.undoing import Undoing
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.endings.acts import Act
from echomq_admin.ledger.endings.lives import Flight, Item, Lease, Life, Missing, Unseen
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.wording import late, within


@dataclass(frozen=True, slots=True)
class LeaseLine:
    """A lease that ended. `source` is a word and what it means; `who` and `why` are of the call
    that ended it, empty where none is on record."""

    kind: ClassVar[str] = "lease"
    number: str
    is_revived: bool
    look: Look
    means: str
    source: tuple[str, str]
    ended_ms: int
    within: str
    deadline_ms: int | None
    late: str
    stalled: int | None
    renewals: int | None
    lane: str
    error: Sight | None
    error_id: str
    who: str
    why: str


@dataclass(frozen=True, slots=True)
class FlightLine:
    """The lease that is held now; `lapsed` is for how long it is over, empty when it is not, and
    `renewals` are all of them where it `is_whole`, at least so many else."""

    kind: ClassVar[str] = "flight"
    number: str
    deadline_ms: int | None
    lapsed: str
    renewals: int | None
    renewed_ms: int | None
    first_ms: int | None
    is_whole: bool


@dataclass(frozen=True, slots=True)
class ActLine:
    """What a person did. `undo` is the address that takes it back, empty when there is none."""

    kind: ClassVar[str] = "act"
    at_ms: int
    what: str
    who: str
    detail: str
    outcome: str
    of_many: str
    reason: str
    sentence: str
    error: str
    fault: str
    is_refused: bool
    is_copied: bool
    undo: str
    undone: str


@dataclass(frozen=True, slots=True)
class NoteLine:
    """What is not known: leases without an ending (`kind` "missing"), a span that nobody watched
    ("unseen"), or entries that the trail lacks ("gap")."""

    kind: str
    what: str
    why: str
    from_ms: int | None = None
    to_ms: int | None = None


Line = LeaseLine | FlightLine | ActLine | NoteLine


@dataclass(frozen=True, slots=True)
class LifeLines:
    """The lines of a life, in order; `title` is empty for the only one, `end` says how it ended
    when that is known."""

    title: str
    lines: tuple[Line, ...]
    end: str


def lines(lives: tuple[Life, ...], undoing: Undoing | None) -> list[LifeLines]:
    """All lives of which there is something to tell."""
    return [_life(life, len(lives) > 1, undoing) for life in lives if life.items]


def newest(drawn: list[LifeLines], most: int) -> tuple[list[LifeLines], int]:
    """The last `most` lines at most, and how many are left out before them."""
    kept: list[LifeLines] = []
    total = sum(len(one.lines) for one in drawn)
    for one in drawn[::-1]:
        if most <= 0:
            break
        kept.append(LifeLines(one.title, one.lines[-most:], one.end))
        most -= len(one.lines)
    return kept[::-1], total - sum(len(one.lines) for one in kept)


def _life(life: Life, is_titled: bool, undoing: Undoing | None) -> LifeLines:
    title = f"Life {life.number + 1:,}" if is_titled else ""
    end = ""
    if life.has_later:
        end = "Its row went: it completed, was removed or was drained. The id came anew afterwards."
    return LifeLines(title, tuple(_line(item, undoing) for item in life.items), end)


def _line(item: Item, undoing: Undoing | None) -> Line:
    if isinstance(item, Lease):
        return _lease(item)
    if isinstance(item, Flight):
        return _flight(item)
    if isinstance(item, Missing):
        return _missing(item)
    if isinstance(item, Unseen):
        return _unseen(item)
    return _act(item, undoing)


def _lease(item: Lease) -> LeaseLine:
    told, by = item.told, item.by
    kind = EndingKind(told.kind)
    return LeaseLine(
        number=number(told.attempts),
        is_revived=told.n > 0,
        look=endings.LOOKS[kind],
        means=endings.MEANS[kind],
        source=endings.SOURCES[Source(told.source)],
        ended_ms=told.ended_ms,
        within=within(told),
        deadline_ms=told.deadline_ms,
        late=late(told),
        stalled=told.stalled,
        renewals=told.renewals,
        lane=lane_word(told.lane, told.lane_cut, 200),
        error=error_of(told),
        error_id=f"h{told.pk}e",
        who=brief(by.who) if by else "",
        why=brief(by.reason, 1_000) if by and by.reason else "",
    )


def _flight(item: Flight) -> FlightLine:
    is_lapsed = item.late_ms is not None and item.late_ms >= 0
    lapsed = span(item.late_ms) if is_lapsed else ""
    seen = item.renewals, item.renewed_ms, item.first_ms, item.is_whole
    return FlightLine(number(item.attempts), item.deadline_ms, lapsed, *seen)


def _missing(item: Missing) -> NoteLine:
    is_one = item.first == item.last
    what = f"Lease {item.first:,}" if is_one else f"Leases {item.first:,} to {item.last:,}"
    each = "" if is_one else "each "
    return NoteLine("missing", f"{what}: no ending on record", f"{each}{item.why}")


def _unseen(item: Unseen) -> NoteLine:
    if item.is_of_trail:
        return NoteLine("gap", "Entries of the trail are missing here", item.why, item.from_ms)
    return NoteLine("unseen", "Not watched", item.why, item.from_ms, item.to_ms)


def _act(act: Act, undoing: Undoing | None) -> ActLine:
    drawn = entries.line(act.told)
    job = drawn.jobs[0] if drawn.jobs else None
    known = undoing if act.entry else None
    return ActLine(
        at_ms=act.at_ms,
        what=drawn.op,
        who=brief(act.who),
        detail=drawn.detail,
        outcome=job.outcome if job and not act.is_plain else "",
        of_many=f"one of {act.told.n:,} jobs" if act.told.n > 1 else "",
        reason=brief(act.reason, 1_000) if act.reason else "",
        sentence=brief(act.entry.sentence, 1_000) if act.entry and act.entry.sentence else "",
        error=job.error.line if job else "",
        fault=drawn.fault,
        is_refused=act.is_refused,
        is_copied=act.entry is not None,
        undo=known.url(act.entry) if known and act.entry else "",
        undone=known.undone(act.entry) if known and act.entry else "",
    )


def number(attempts: int | None) -> str:
    """The number of a lease; it may be none."""
    return "?" if attempts is None else f"{attempts:,}"
