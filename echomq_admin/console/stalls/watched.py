"""What the page says of the ledger itself: since when it watches, whether it does now, and how many
deaths it has no entry of."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console.links import stalls_url
from echomq_admin.console.stalls.clocks import Clocks
from echomq_admin.console.stalls.lines import LONGEST
from echomq_admin.fleet.names import brief
from echomq_admin.ledger.endings import unseen
from echomq_admin.ledger.endings.sieve import Filter
from echomq_admin.ledger.endings.unseen import Watching
from echomq_admin.ledger.observing.turns import BUDGET, EVERY_S


@dataclass(frozen=True)
class Watched:
    """`late` are the servers at whose queues no agent has looked for a minute, and when one did
    last, by the clock of that server. `is_before`: the times that are asked for end before any
    queue was watched. `lacking` are the queues that count most deaths without an ending: a name,
    the address of their endings, how many. The pass over the dead jobs looks at `budget` ids of a
    server every `every_s`."""

    now_ms: float
    watching: Watching
    late: list[tuple[str, int]]
    is_before: bool
    lacking: list[tuple[str, str, int]]
    budget: int = BUDGET
    every_s: str = f"{EVERY_S:g}"


def watched(wanted: Filter, clocks: Clocks) -> Watched:
    """Of the queues that a filter asks for."""
    now_ms, found = clocks.now_ms(wanted.server), unseen.watching(wanted)
    ends_ms = wanted.until_ms
    return Watched(
        now_ms=now_ms,
        watching=found,
        late=unseen.unwatched(found, clocks.of_all()),
        is_before=None not in (ends_ms, found.since_ms) and ends_ms <= found.since_ms,
        lacking=[
            (
                f"{brief(one.server, 60)}/{brief(one.queue, 60)}",
                stalls_url(one.server, one.queue) if len(one.queue) <= LONGEST else "",
                one.deaths,
            )
            for one in found.lacking
        ],
    )
