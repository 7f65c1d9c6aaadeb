"""The history of a job as its table shows it: every text made safe to read."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console import entries, payloads
from echomq_admin.console.history import kinds
from echomq_admin.console.history.kinds import Look
from echomq_admin.console.payloads import Sight
from echomq_admin.console.trail.undoing import Undoing
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.rows import Text
from echomq_admin.fleet.names import brief
from echomq_admin.ledger.endings.acts import Act
from echomq_admin.ledger.endings.lives import Flight, Item, Lease, Life, Missing, Unseen
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.told import Told


@dataclass(frozen=True, slots=True)
class LeaseLine:
    """A lease that ended. `source` is a word and what it means; `who` and `why` are of the call
    that ended it, empty where none is on record."""

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
    """The lease that is held now."""

    number: str
    deadline_ms: int | None
    is_lapsed: bool
    renewals: int | None
    renewed_ms: int | None
    first_ms: int | None


@dataclass(frozen=True, slots=True)
class ActLine:
    """What a person did. `undo` is the address that takes it back, empty when there is none."""

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
    lines: tuple[tuple[str, Line], ...]
    end: str


def lines(lives: tuple[Life, ...], now_ms: int | None, undoing: Undoing | None) -> list[LifeLines]:
    """All lives. The lines are pairs of a word for the kind and what it shows."""
    return [_life(life, len(lives) > 1, now_ms, undoing) for life in lives]


def newest(told: list[LifeLines], most: int) -> tuple[list[LifeLines], int]:
    """The last `most` lines at most, and how many are left out before them."""
    kept: list[LifeLines] = []
    total = sum(len(one.lines) for one in told)
    for one in told[::-1]:
        if most <= 0:
            break
        kept.append(LifeLines(one.title, one.lines[-most:], one.end))
        most -= len(one.lines)
    return kept[::-1], total - sum(len(one.lines) for one in kept)


def _life(life: Life, is_titled: bool, now_ms: int | None, undoing: Undoing | None) -> LifeLines:
    title = f"Life {life.number + 1:,}" if is_titled else ""
    end = ""
    if life.has_later:
        end = "Its row went: it completed, was removed or was drained. The id came anew afterwards."
    drawn = [(_WORDS[type(item)], _line(item, now_ms, undoing)) for item in life.items]
    return LifeLines(title, tuple(drawn), end)


_WORDS: dict[type, str] = {
    Lease: "lease",
    Flight: "flight",
    Missing: "note",
    Act: "act",
    Unseen: "note",
}


def _line(item: Item, now_ms: int | None, undoing: Undoing | None) -> Line:
    if isinstance(item, Lease):
        return _lease(item)
    if isinstance(item, Flight):
        return _flight(item, now_ms or 0)
    if isinstance(item, Missing):
        return _missing(item)
    if isinstance(item, Unseen):
        return _unseen(item)
    return _act(item, undoing)


def _lease(item: Lease) -> LeaseLine:
    told, by = item.told, item.by
    kind = EndingKind(told.kind)
    return LeaseLine(
        number=_number(told.attempts),
        is_revived=told.n > 0,
        look=kinds.LOOKS[kind],
        means=kinds.MEANS[kind],
        source=kinds.SOURCES[Source(told.source)],
        ended_ms=told.ended_ms,
        within=kinds.within(told),
        deadline_ms=told.deadline_ms,
        late=kinds.late(told),
        stalled=told.stalled,
        renewals=told.renewals,
        lane=_lane(told),
        error=error_of(told),
        error_id=f"h{told.pk}e",
        who=_who(by) if by else "",
        why=brief(by.reason, 1_000) if by and by.reason else "",
    )


def _lane(told: Told) -> str:
    if told.lane is None:
        return ""
    return f"{brief(told.lane)}…" if told.lane_cut else brief(told.lane)


def error_of(told: Told) -> Sight | None:
    """The error, of a long one what is kept; its last character may be cut in two."""
    if told.error is None:
        return None
    is_cut = told.error_size is not None and told.error_size > len(told.error)
    kept = to_wire(payloads.lossless(told.error, cut=True)) if is_cut else told.error
    seen = payloads.sight(Text(len(kept), kept))
    if not is_cut or told.error_size is None:
        return seen
    more = f"the beginning of {payloads.size(told.error_size)}"
    return Sight(seen.line, seen.full, "; ".join(filter(None, (seen.kind, more))))


def _flight(item: Flight, now_ms: int) -> FlightLine:
    deadline = item.deadline_ms
    is_lapsed = deadline is not None and deadline <= now_ms
    seen = item.renewals, item.renewed_ms, item.first_ms
    return FlightLine(_number(item.attempts), deadline, is_lapsed, *seen)


def _missing(item: Missing) -> NoteLine:
    is_one = item.first == item.last
    what = f"Lease {item.first:,}" if is_one else f"Leases {item.first:,} to {item.last:,}"
    each = "" if is_one else "each "
    return NoteLine(
        "missing",
        f"{what}: no ending on record",
        f"{each}failed and rescheduled, or not watched, or no longer kept",
    )


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
        who=_who(act),
        detail=drawn.detail,
        outcome=job.outcome if job else "",
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


def _who(act: Act) -> str:
    return brief(act.actor) if act.actor else "nobody named"


def _number(attempts: int | None) -> str:
    return "?" if attempts is None else f"{attempts:,}"
