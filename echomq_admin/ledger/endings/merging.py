"""What becomes of a row when another source tells of the same lease."""

from __future__ import annotations

from dataclasses import replace

from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.seating import Lease

_TOLD = ("kind", "ended_ms", "within_ms", "source", "entry")
_LASTING = ("deadline_ms", "renewals", "lane_id")
_OF_THE_KIND = ("stalled", "error_id")


def merge(row: Lease, told: Lease) -> bool:
    """Make the row as exact as both are; whether that changed it."""
    before = replace(row)
    _merge(row, told)
    return row != before


def _merge(row: Lease, told: Lease) -> None:
    if _died_unseen(row, told):
        _die(row, row, told)
    elif _died_unseen(told, row):
        _die(row, told, replace(row))
    elif told.source < row.source or _is_surer(row, told):
        _tell(row, told)
    else:
        _fill(row, told)


def _died_unseen(seen: Lease, found: Lease) -> bool:
    """Whether the job was dead between the two looks of which the observer judged: it was requeued
    before the second, so that the lease seemed to have ended in another way."""
    if (seen.source, found.source) != (Source.OBSERVER, Source.FOUND):
        return False
    if not seen.after_ms < found.ended_ms <= seen.ended_ms:
        return False
    # A count that grew is a sweep, and a sweep that kills says so.
    return seen.kind == EndingKind.UNCERTAIN or (seen.kind, found.kind) in (
        (EndingKind.RECOVERED, EndingKind.DEAD),
        (EndingKind.REAPED, EndingKind.DEAD),
        (EndingKind.REAPED, EndingKind.FAILED),
    )


def _die(row: Lease, seen: Lease, found: Lease) -> None:
    """The row of a lease that the observer saw, and that ended as it was found."""
    after_ms = seen.ended_ms - seen.within_ms
    row.within_ms, row.ended_ms = found.ended_ms - after_ms, found.ended_ms
    row.kind, row.source, row.entry = found.kind, seen.source, None
    row.error_id = found.error_id
    row.stalled = seen.stalled if found.stalled is None else found.stalled
    for name in _LASTING:
        known = getattr(seen, name)
        setattr(row, name, getattr(found, name) if known is None else known)


def _is_surer(row: Lease, told: Lease) -> bool:
    if told.source != row.source:
        return False
    if EndingKind.UNCERTAIN in (row.kind, told.kind) and row.kind != told.kind:
        return row.kind == EndingKind.UNCERTAIN
    # The sooner it was found dead, the nearer that is to its end.
    return row.source == Source.FOUND and told.ended_ms < row.ended_ms


def _tell(row: Lease, told: Lease) -> None:
    """A more exact source: what it does not know stays, but for what belongs to another kind."""
    is_other = row.kind != told.kind
    for name in _TOLD:
        setattr(row, name, getattr(told, name))
    for name in (*_LASTING, *_OF_THE_KIND):
        known = getattr(told, name)
        if known is not None or (is_other and name in _OF_THE_KIND):
            setattr(row, name, known)


def _fill(row: Lease, told: Lease) -> None:
    """A source that is no more exact: it only adds what is not known."""
    names = _LASTING if row.kind != told.kind else (*_LASTING, *_OF_THE_KIND)
    for name in names:
        if getattr(row, name) is None:
            setattr(row, name, getattr(told, name))
