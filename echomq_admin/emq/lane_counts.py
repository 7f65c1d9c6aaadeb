"""The lanes of one queue in numbers: how many jobs, the oldest, how many the ring has lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import ids
from .keyspace import Keyspace, from_wire
from .lanes import RING_LOOK as LONGEST_RING
from .lanes import Lanes
from .replies import Answer, Batch

# How many lanes are read off the ring: a lane that came into being since the last discovery
# stands there as soon as it can be served.
RING_LOOK = 100


class LaneCounts:
    """Two commands a lane in the first round trip, and a few more for lanes that wait unserved.

    A lane is off the ring only when two looks in a row say so: the commands of one look are not
    taken at one instant, and a lane that is served moves all the time.
    """

    def __init__(self, keys: Keyspace, known: Sequence[str], batch: Batch) -> None:
        self._keys = keys
        self._lanes: dict[str, tuple[Answer, Answer]] = {}
        self.ring = batch.ask("lrange", keys.ring, 0, RING_LOOK - 1)
        self._ask(known, batch)
        self._looks: list[Lanes] = []

    def ask_again(self, batch: Batch) -> None:
        """The lanes that only the ring knows, and where those stand that it does not show."""
        on_ring = dict.fromkeys(map(from_wire, self.ring.value or ()))
        waiting = [
            group
            for group, (depth, _) in self._lanes.items()
            if depth.value and group not in on_ring
        ]
        self._ask([group for group in on_ring if group not in self._lanes], batch)
        self._look(waiting, batch)

    def ask_doubtful(self, batch: Batch) -> None:
        """Once more where those stand that seem to be off the ring."""
        if self._looks:
            doubtful = [lane.group for lane in self._looks[0].states() if lane.rota == "off ring"]
            self._look(doubtful, batch)

    def __len__(self) -> int:
        return len(self._lanes)

    @property
    def lost(self) -> frozenset[str]:
        """The groups whose lane is no sorted set."""
        return frozenset(group for group, (depth, _) in self._lanes.items() if depth.is_mistyped)

    def jobs(self, faults: list[str]) -> int | None:
        """How many wait in all lanes."""
        broken = [depth.fault for depth, _ in self._lanes.values() if depth.fault]
        if broken:
            faults.append(f"{len(broken):,} of {len(self._lanes):,} lanes: {broken[0]}")
            return None
        return sum(int(depth.value) for depth, _ in self._lanes.values())

    def minted_ms(self) -> Iterator[int]:
        """When the first job of each lane was minted, where its id says so."""
        return first_minted(first for _, first in self._lanes.values())

    def off_ring(self, faults: list[str]) -> int | None:
        """How many lanes should be on the ring and are not."""
        states = [lane for look in self._looks[:1] for lane in look.states()]
        lost = sum(lane.rota == "off ring" for look in self._looks[1:] for lane in look.states())
        unknown = [lane for lane in states if lane.rota == "?"]
        if lost or not unknown:
            return lost
        reason = next((lane.fault for lane in unknown if lane.fault), None)
        reason = reason or f"the ring is longer than {LONGEST_RING:,}"
        faults.append(f"whether lanes are off the ring: {reason}")
        return None

    def _ask(self, groups: Sequence[str], batch: Batch) -> None:
        for group in groups:
            key = self._keys.lane(group)
            self._lanes[group] = batch.ask("zcard", key), batch.ask("zrange", key, 0, 0)

    def _look(self, groups: Sequence[str], batch: Batch) -> None:
        if groups:
            self._looks.append(Lanes(self._keys, groups, batch))


def first_minted(firsts: Iterator[Answer] | Sequence[Answer]) -> Iterator[int]:
    """The mint instants (unix ms) of the first members of some sets, where there are any."""
    for first in firsts:
        for member in first.value or ():
            minted = ids.minted_ms(from_wire(member))
            if minted is not None:
                yield minted
