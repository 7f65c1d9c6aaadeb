"""What a sweep would find in many queues at once, for pages that only say how many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .keyspace import Keyspace, from_wire
from .preview import fate_of, is_last_stall
from .replies import Answer, Batch, integer
from .rows import ROW_MISSING, Job

# As many lapsed leases of a queue are looked at: one call of a sweep takes no more by default.
LOOKED_AT = 100


@dataclass(frozen=True)
class Lapse:
    """The first lapsed leases of a queue, at most `LOOKED_AT`, as a sweep would take them.

    `stalls` counts those that can go back by the stall count of their row; `orphaned` have no
    row; `unreadable` go to dead whatever they counted. `more` lie behind these.
    """

    stalls: tuple[tuple[int, int], ...] = ()
    orphaned: int = 0
    unreadable: int = 0
    more: bool = False

    def dead(self, max_stalled: int) -> int:
        """How many a sweep sends to dead because their stalls are used up."""
        return sum(jobs for stalled, jobs in self.stalls if is_last_stall(stalled, max_stalled))

    def recovered(self, max_stalled: int) -> int:
        """How many a sweep sends back."""
        return sum(jobs for _, jobs in self.stalls) - self.dead(max_stalled)


class LapsedRows:
    """What is asked of the rows of some lapsed leases: two commands each, in one round trip.

    `lost_lanes` are the groups whose lane is no sorted set: their jobs cannot go back.
    """

    def __init__(
        self, keys: Keyspace, members: Sequence[bytes], lost_lanes: Collection[str], batch: Batch
    ) -> None:
        self._lost_lanes = lost_lanes
        names = ("attempts", "stalled", "group") if lost_lanes else ("attempts", "stalled")
        rows = [keys.job(from_wire(member)) for member in members]
        self._rows = [(batch.ask("hlen", key), batch.ask("hmget", key, names)) for key in rows]

    def lapse(self, lapsed: int) -> Lapse:
        """The verdicts, of `lapsed` leases in all."""
        fates: Counter[str] = Counter()
        stalls: Counter[int] = Counter()
        for length, values in self._rows:
            job = _job(length, values)
            fate = fate_of(job, job.group in self._lost_lanes)
            if fate == "recovered":
                stalls[job.stalled or 0] += 1
            else:
                fates[fate] += 1
        return Lapse(
            tuple(sorted(stalls.items())),
            fates["orphaned"],
            fates["unreadable"],
            lapsed > len(self._rows),
        )


def _job(length: Answer, values: Answer) -> Job:
    if length.fault or values.fault:
        return Job("", fault=length.fault or values.fault)
    if not length.value:
        return Job("", fault=ROW_MISSING)
    attempts, stalled, *group = values.value
    name = from_wire(group[0]) if group and group[0] is not None else None
    return Job("", attempts=integer(attempts), stalled=integer(stalled), group=name)
