"""What became of a job, in one line of plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from echomq_admin.emq.present import Present
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.endings.acts import Act
from echomq_admin.ledger.endings.lives import Item, Lease, Life, Missing, late_ms
from echomq_admin.ledger.endings.models import EndingKind

# So many steps are told one by one; of more, what happened is counted, and the last ones are told.
MOST, LAST = 14, 4
_KINDS = {
    EndingKind.RECOVERED: "stalled",
    EndingKind.DEAD: "died",
    EndingKind.FAILED: "died",
    EndingKind.REAPED: "reaped",
    EndingKind.UNCERTAIN: "ended for an unknown reason",
    EndingKind.OPERATOR: "ended by an operator",
}
_DONE = {
    "requeued": "requeued",
    "buried": "buried",
    "removed": "removed",
    "restored": "restored",
    "returned": "returned to dead",
    "promoted": "promoted",
    "updated": "given another payload",
    "extended": "given more time",
    "enqueued": "enqueued",
    "scheduled": "scheduled",
    "recovered": "taken back",
    "dead": "sent to dead",
}
_PLACES = {
    "active": "in flight",
    "dead": "dead",
    "schedule": "scheduled",
    "pending": "pending",
    "lane": "waiting in its lane",
}


def lineage(lives: Sequence[Life], present: Present | None, is_in_trash: bool = False) -> str:
    """`stalled twice, died, requeued by olena, died again; now dead`. Empty when nothing is known.

    Calls that were refused moved nothing, and are left out; so is what was not seen.
    """
    steps = [step for life in lives for step in _of_life(life)]
    words = _folded(steps)
    now = _now(present, steps, is_in_trash) if words or (present and present.is_here) else ""
    if len(words) <= MOST:
        return "; ".join(filter(None, (", ".join(words), now)))
    last = f"at last {', '.join(words[-LAST:])}"
    return "; ".join(filter(None, (", ".join(_counted(steps)), last, now)))


def _of_life(life: Life) -> Iterator[tuple[str, str]]:
    """What happened, and the words that follow it."""
    for item in life.items:
        step = _step(item)
        if step:
            yield step
    if life.has_later:
        yield "came anew", ""


def _step(item: Item) -> tuple[str, str] | None:
    if isinstance(item, Lease):
        return _of_lease(item)
    if isinstance(item, Act):
        done = _DONE.get(item.outcome)
        return (done, _by(item)) if done and not item.is_refused else None
    if isinstance(item, Missing) and not item.is_last:
        return "", _unknown(item)
    return None


def _of_lease(lease: Lease) -> tuple[str, str]:
    kind, by = EndingKind(lease.told.kind), lease.by
    if by is None:
        return _KINDS[kind], ""
    if kind == EndingKind.OPERATOR or by.op == "recover_now":
        return _DONE.get(by.outcome, _KINDS[kind]), _by(by)
    return (_KINDS[kind], _by(by)) if kind == EndingKind.REAPED else (_KINDS[kind], _swept(by))


def _swept(act: Act) -> str:
    """The call that ended a lease which had lapsed or failed already."""
    return f"(swept {_by(act)})" if act.op == "sweep" else ""


def _by(act: Act) -> str:
    return f"by {brief(act.who, 60)}"


def _unknown(item: Missing) -> str:
    count = item.last - item.first + 1
    return f"{count:,} lease{'' if count == 1 else 's'} without an ending on record"


def _counted(steps: Sequence[tuple[str, str]]) -> list[str]:
    """How often each thing happened, whoever did it."""
    counts = Counter(what for what, _ in steps if what)
    return [_times(what, count, is_again=False) for what, count in counts.items()]


def _folded(steps: Sequence[tuple[str, str]]) -> list[str]:
    """The steps with what repeats told once, and `again` where it came before."""
    words: list[str] = []
    known: set[str] = set()
    for (what, by), run in groupby(steps):
        said = _times(what, sum(1 for _ in run), what in known)
        words.append(" ".join(filter(None, (said, by))))
        known.add(what)
    return words


def _times(what: str, count: int, is_again: bool) -> str:
    if not what:
        return ""
    if count == 1:
        return f"{what} again" if is_again else what
    said = f"{what} twice" if count == 2 else f"{what} {count:,} times"
    return f"{said} more" if is_again else said


def _now(present: Present | None, steps: Sequence[tuple[str, str]], is_in_trash: bool) -> str:
    if present is None:
        return ""
    if not present.is_here:
        return _gone(bool(steps) and steps[-1][0] == "removed", is_in_trash)
    held = [word for name, word in _PLACES.items() if name in present.held]
    now = f"now {' and '.join(held)}" if held else _nowhere(present)
    over_ms = late_ms(present)
    return now if over_ms is None or over_ms < 0 else f"{now}, lapsed {span(over_ms)} ago"


def _nowhere(present: Present) -> str:
    """Of a job that has a row, and no set that could be read holds."""
    if present.awaits:
        return "now waiting for its children"
    if present.fault:
        return f"where it is now is not known ({present.fault})"
    return "now in no set"


def _gone(is_removed: bool, is_in_trash: bool) -> str:
    if is_in_trash:
        return "now in the trash"
    return "now gone" if is_removed else "now gone: completed, or removed without the console"
