"""What needs a person: the one judgement that the rail, the overview and others share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet.discovery import last_pass
from echomq_admin.fleet.sight import ServerSnapshot

# A lease that lapsed only now is mostly swept at once: it is told when it has waited so long.
_LAPSED_MS = 3_000


class Why(IntEnum):
    """The reasons, the worst first."""

    AWAY = 0
    LAPSED = 1
    OFF_RING = 2
    DEAD = 3
    PAUSED = 4
    READ_ONLY = 5
    UNDISCOVERED = 6


@dataclass(frozen=True, slots=True)
class Need:
    """A queue, or without `counts` a whole server, that needs a person. `size` is how many jobs
    or lanes are concerned; `stale` when it is only what was last seen; `hidden` when people hid
    the queue."""

    why: Why
    look: ServerSnapshot
    counts: QueueCounts | None = None
    size: int = 0
    hidden: bool = False

    @property
    def server(self) -> str:
        return self.look.server

    @property
    def stale(self) -> bool:
        return self.look.error is not None

    @property
    def order(self) -> tuple:
        """The worst first: by reason, then by how many, then by name."""
        name = self.counts.queue if self.counts else ""
        return self.why, -self.size, name, self.server


def needs(look: ServerSnapshot, hidden: Collection[str] = ()) -> Iterator[Need]:
    """Everything on one server, in no order. A queue may come more than once.

    Of the queues that are `hidden` only lapsed leases are told: those nobody may overlook.
    """
    why = _of_server(look)
    if why is not None:
        yield Need(why, look)
    for counts in look.queues:
        for reason, size in _of_queue(counts):
            is_hidden = counts.queue in hidden
            if reason is Why.LAPSED or not is_hidden:
                yield Need(reason, look, counts, size, is_hidden)


def worst(found: Iterable[Need]) -> list[Need]:
    """The worst of each queue and of each server, the worst of all first."""
    first: dict[tuple[str, str | None], Need] = {}
    for need in sorted(found, key=lambda need: need.order):
        first.setdefault((need.server, need.counts.queue if need.counts else None), need)
    return list(first.values())


def _of_server(look: ServerSnapshot) -> Why | None:
    if look.error:
        return Why.AWAY
    if look.facts and look.facts.read_only:
        return Why.READ_ONLY
    if not look.queues and not look.unread and last_pass(look.server) is None:
        return Why.UNDISCOVERED
    return None


def _of_queue(counts: QueueCounts) -> Iterator[tuple[Why, int]]:
    if counts.lapsed and not _has_just_lapsed(counts):
        yield Why.LAPSED, counts.lapsed
    if counts.off_ring:
        yield Why.OFF_RING, counts.off_ring
    if counts.dead:
        yield Why.DEAD, counts.dead
    if counts.paused:
        yield Why.PAUSED, counts.waiting or 0


def _has_just_lapsed(counts: QueueCounts) -> bool:
    return counts.lapsed_ms is not None and counts.now_ms - counts.lapsed_ms < _LAPSED_MS
