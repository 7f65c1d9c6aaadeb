"""What the trail lacks: the streams that cannot be copied, and what would mend that."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.emq.audit_news import IS_FULL
from echomq_admin.emq.keyspace import Keyspace, from_wire
from echomq_admin.fleet.names import brief, shown
from echomq_admin.ledger import stuck, trail
from echomq_admin.ledger.models import Copied
from echomq_admin.ledger.trail import Filter

MOST = 20
_RIGHT = "Let the console’s user read it."
_KEY = "Keep what it holds if it is needed, then delete that key or give it another name."
_LOG = "The agent’s log has more."


@dataclass(frozen=True, slots=True)
class Stuck:
    """A stream that is not copied: of which queue, its key, why, and what to do."""

    target: str
    key: str
    why: str
    remedy: str


def lacking(wanted: Filter) -> dict[str, object]:
    """For the top of a page: at most `MOST` streams, how many more, and whether there are gaps
    that no page shows."""
    rows = list(stuck.streams(wanted))
    return {
        "stuck": [_stuck(row) for row in rows[:MOST]],
        "stuck_more": max(0, len(rows) - MOST),
        "more_gaps": trail.MOST_GAPS if trail.has_more_gaps(wanted) else 0,
    }


def _stuck(row: Copied) -> Stuck:
    queue = from_wire(bytes(row.queue))
    return Stuck(
        f"{brief(row.server)}/{brief(queue, 80)}",
        shown(from_wire(Keyspace(queue).audit)),
        row.fault,
        _remedy(row.fault),
    )


def _remedy(fault: str) -> str:
    if fault == IS_FULL or "another type" in fault:
        return _KEY
    return _RIGHT if "permission" in fault else _LOG
