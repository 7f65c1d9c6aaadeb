"""One look at the leases of a queue: when it was, and what it came to."""

from __future__ import annotations

from dataclasses import dataclass, field

from echomq_admin.emq.sights import Sight
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.judge import Window
from echomq_admin.ledger.observing.toll import Deaths

APART = "Looks were further apart than the shortest lease lasts."
TOO_MANY = "More leases were in flight, began or ended at once, than are looked at."
TOO_LONG = "Ids of jobs were too long to be looked at."


@dataclass(frozen=True)
class Look:
    """When a look was, by the server's clock: active sets between `before_ms` and `after_ms`, rows
    until `until_ms`. `is_back`: the clock was set back since the look before; `high_ms` is how far
    it had come."""

    before_ms: int
    after_ms: int
    until_ms: int
    is_back: bool = False
    high_ms: int = 0


@dataclass(frozen=True)
class Ended:
    """A lease that is over, and what was left of it at the end of the window."""

    raw: bytes
    lease: Lease
    left: Sight
    window: Window
    is_new_life: bool = False


@dataclass
class Seen:
    """What a look came to. `gap` is a span in which leases may have come and gone unseen, with a
    sentence that says why; `deaths` are those since the last look. `moving` are new leases that
    were left for the next one."""

    gap: tuple[int, int, str] | None = None
    deaths: Deaths = field(default_factory=Deaths)
    ended: list[Ended] = field(default_factory=list)
    moving: set[bytes] = field(default_factory=set)
