"""The words for endings, on pages and on the command line: kinds, sources, how exact a time is."""

from __future__ import annotations

from echomq_admin.fleet.spans import span
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.told import Told

# By the words that addresses, files and the command line have for them; a page shows the labels.
KINDS = {kind.name.lower(): kind for kind in EndingKind}
SOURCES = {source.name.lower(): source for source in Source}


def short(ms: float) -> str:
    """A length of time to 0.1 s below ten seconds, in words above."""
    return f"{abs(ms) / 1_000:.1f} s" if abs(ms) < 10_000 else span(ms)


def within(told: Told) -> str:
    """How exact the time of an ending is; empty for to the millisecond."""
    if told.source == Source.FOUND:
        return "or any time before"
    return f"or up to {short(told.within_ms)} earlier" if told.within_ms else ""


def late(told: Told) -> str:
    """How far from its deadline the lease ended; empty when that is not known."""
    if told.late_ms is None or told.source == Source.FOUND:
        return ""
    least = told.late_ms - told.within_ms
    if told.late_ms < 0:
        return f"{short(told.late_ms)} before its deadline"
    if short(max(least, 0)) == short(told.late_ms):
        return f"{short(told.late_ms)} past its deadline"
    if least < 0:
        return f"at most {short(told.late_ms)} past its deadline"
    return f"{short(least)} to {short(told.late_ms)} past its deadline"
