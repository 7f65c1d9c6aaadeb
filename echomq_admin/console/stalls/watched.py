"""What the page says of the ledger itself: since when it watches, whether it does now, and how many
deaths it has no entry of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from echomq_admin.console.stalls.clocks import Clocks
from echomq_admin.fleet import servers
from echomq_admin.ledger.endings import unseen
from echomq_admin.ledger.endings.sieve import Filter
from echomq_admin.ledger.endings.unseen import Watching
from echomq_admin.ledger.observing.turns import BUDGET, EVERY_S

# What the agent writes down every few seconds is late after so long.
_LATE_MS = 60_000


@dataclass(frozen=True)
class Watched:
    """`late` are the servers at whose queues no agent has looked for a minute, and when one did
    last, by the clock of that server. `is_before`: the times
    that are asked for end before any queue was watched. The pass over the dead jobs looks at
    `budget` ids of a server every `every_s`."""

    now_ms: float
    watching: Watching
    late: list[tuple[str, int]]
    is_before: bool
    budget: int = BUDGET
    every_s: str = f"{EVERY_S:g}"


def watched(wanted: Filter, clocks: Clocks) -> Watched:
    """Of the queues that a filter asks for."""
    now_ms, found = clocks.now_ms(wanted.server), unseen.watching(wanted)
    ends_ms = wanted.until_ms
    return Watched(
        now_ms=now_ms,
        watching=found,
        late=[
            (server.name, found.seen_ms[server.name])
            for server in servers.servers()
            if clocks.now_ms(server.name) - found.seen_ms.get(server.name, math.inf) > _LATE_MS
        ],
        is_before=None not in (ends_ms, found.since_ms) and ends_ms <= found.since_ms,
    )
