"""Pages of lanes: how each stands, its oldest job, and whether slots are held by nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import redis

from .ids import minted_ms
from .keyspace import Keyspace, from_wire
from .lane_names import MOST_NAMES, LaneNames
from .lane_windows import LaneLook, LaneWindow
from .lanes import Lanes, LaneState
from .pages import at_most
from .replies import Answer, Batch, integer, now_ms


@dataclass(frozen=True)
class Lane:
    """A lane of a page; `oldest_ms` is the mint instant of its first job, `None` when it has
    none or its id tells none."""

    state: LaneState
    oldest_ms: int | None


@dataclass(frozen=True)
class LanePage:
    """Some lanes of a queue in reading order.

    `total` counts all that is known, `matching` those that match, `None` when only those from
    `looked[0]` to `looked[1]` of the names were looked at. `is_sortable` says that all were, so
    that any order can be asked for. `previous` and `next` are cursors or `None`. `held` is how
    many slots the lanes hold, `leases` how many jobs of the queue are in flight; `None` is
    unknown. `unread` says what could not be read, a sentence each.
    """

    now_ms: int
    lanes: tuple[Lane, ...]
    total: int
    matching: int | None
    looked: tuple[int, int]
    is_sortable: bool
    previous: str | None
    next: str | None
    held: int | None
    leases: int | None
    unread: tuple[str, ...] = ()

    @property
    def lost_slots(self) -> int:
        """At least so many slots of lanes are held by no job in flight."""
        if self.held is None or self.leases is None:
            return 0
        return max(0, self.held - self.leases)


def lane_page(
    client: redis.Redis, queue: str, known: Iterable[str] = (), look: LaneLook | None = None
) -> LanePage:
    """The lanes of `known`, on the ring, paused, or with a limit, a weight or a job in flight.

    Three round trips at most; the commands grow with the lanes, never with the jobs.
    """
    look, keys = look or LaneLook(), Keyspace(queue)
    first, second, third = Batch(client), Batch(client), Batch(client)
    time, named = first.ask("time"), LaneNames(keys, first)
    leases = first.ask("zcard", keys.active)
    first.run()
    named.ask_names(second)
    second.run()
    names = named.names(known)
    window = LaneWindow(names, look, at_most(look.limit))
    lanes = Lanes(keys, window.asked, third, MOST_NAMES, named.too_long)
    heads = {name: third.ask("zrange", keys.lane(name), 0, 0) for name in window.asked}
    slots = third.ask("hvals", keys.gactive) if named.is_gactive_whole else None
    third.run()
    window.take(lanes.states())
    return LanePage(
        now_ms=now_ms(time),
        lanes=tuple(Lane(state, _oldest_ms(heads[state.group])) for state in window.rows),
        total=len(names),
        matching=window.matching,
        looked=window.looked,
        is_sortable=window.is_whole,
        previous=window.previous,
        next=window.next,
        held=_held(slots),
        leases=None if leases.fault else int(leases.value),
        unread=named.unread,
    )


def lane_state(client: redis.Redis, queue: str, group: str) -> LaneState:
    """How one lane stands. One round trip."""
    batch = Batch(client)
    lanes = Lanes(Keyspace(queue), [group], batch)
    batch.run()
    return lanes.states()[0]


def _oldest_ms(head: Answer) -> int | None:
    return minted_ms(from_wire(head.value[0])) if head.value else None


def _held(slots: Answer | None) -> int | None:
    """The sum of the counters as the scripts take them: what is no positive integer holds none."""
    if slots is None or slots.fault:
        return None
    counts = (integer(raw) for raw in slots.value)
    return sum(count for count in counts if count is not None and count > 0)
