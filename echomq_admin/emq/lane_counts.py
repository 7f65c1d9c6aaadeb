"""The lanes of one queue in numbers: how many jobs, the oldest, how many the ring has lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import ids
from .keyspace import Keyspace, from_wire
from .lane_sizes import LaneSizes
from .lanes import RING_LOOK as LONGEST_RING
from .lanes import Lanes
from .replies import Answer, Batch

# How many lanes are counted that only the ring names: a lane that came into being since the last
# discovery stands there as soon as it can be served.
RING_LOOK = 100
# So many of the known lanes are counted.
MOST_LANES = 5_000
_TELLING = ("gactive", "glimit")


class LaneCounts:
    """Two commands a lane, and a few more for lanes that wait unserved, in three round trips.

    A lane is off the ring only when three looks in a row say so, two of them at once: the
    commands of one look are not taken at one instant, and a lane that is served moves all the
    time.
    """

    def __init__(self, keys: Keyspace, known: Sequence[str], batch: Batch) -> None:
        self._keys = keys
        self._known = len(known)
        self._lanes: dict[str, tuple[Answer, Answer]] = {}
        self._sizes = LaneSizes(keys, ("ring", *(_TELLING if known else ())), batch)
        self._on_ring: Answer | None = None
        self._ask(known[:MOST_LANES], batch)
        self._looks: list[Lanes] = []

    @property
    def ring(self) -> Answer:
        """How many lanes the ring holds, as the server answered."""
        return self._sizes.counts["ring"]

    def ask_again(self, batch: Batch) -> None:
        """Which lanes stand on the ring, unless its names are too long."""
        if self.ring.value and "ring" not in self._sizes.too_long:
            look = LONGEST_RING if self._waiting() else RING_LOOK
            self._on_ring = batch.ask("lrange", self._keys.ring, 0, look - 1)

    def ask_rest(self, batch: Batch) -> None:
        """The lanes that only the ring knows, and where those stand that it does not show."""
        ring = self._on_ring.value if self._on_ring else None
        on_ring = dict.fromkeys(map(from_wire, ring or ()))
        waiting = [group for group in self._waiting() if group not in on_ring]
        fresh = [group for group in on_ring if group not in self._lanes]
        self._ask(fresh[:RING_LOOK] if self._is_whole else (), batch)
        is_cut = len(ring or ()) >= LONGEST_RING
        for _ in range(1 if is_cut else 2):
            self._look(waiting, batch)

    def __len__(self) -> int:
        return max(len(self._lanes), self._known)

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
        jobs = sum(int(depth.value) for depth, _ in self._lanes.values())
        if self._is_whole:
            return jobs
        faults.append(
            f"at least {jobs:,} wait in lanes: {MOST_LANES:,} of {self._known:,} are counted"
        )
        return None

    def minted_ms(self) -> Iterator[int]:
        """When the first job of each lane was minted, where its id says so."""
        return first_minted(first for _, first in self._lanes.values())

    def off_ring(self, faults: list[str]) -> int | None:
        """How many lanes should be on the ring and are not."""
        looks = [look.states() for look in self._looks]
        lost = sum(
            all(lane.rota == "off ring" for lane in lanes) for lanes in zip(*looks, strict=True)
        )
        unknown = [lane for lane in looks[0] if lane.rota == "?"] if looks else []
        if lost or (self._is_whole and not unknown):
            return lost
        reason = next((lane.fault for lane in unknown if lane.fault), None)
        if reason is None and unknown:
            reason = f"the ring is longer than {LONGEST_RING:,}"
        if reason:
            faults.append(f"whether lanes are off the ring: {reason}")
        return None

    @property
    def _is_whole(self) -> bool:
        return self._known <= MOST_LANES

    def _waiting(self) -> list[str]:
        """The lanes that were not empty."""
        return [group for group, (depth, _) in self._lanes.items() if depth.value]

    def _ask(self, groups: Sequence[str], batch: Batch) -> None:
        for group in groups:
            key = self._keys.lane(group)
            self._lanes[group] = batch.ask("zcard", key), batch.ask("zrange", key, 0, 0)

    def _look(self, groups: Sequence[str], batch: Batch) -> None:
        if groups:
            too_long = self._sizes.too_long
            self._looks.append(Lanes(self._keys, groups, batch, too_long=too_long, fields=_TELLING))


def first_minted(firsts: Iterator[Answer] | Sequence[Answer]) -> Iterator[int]:
    """The mint instants (unix ms) of the first members of some sets, where there are any."""
    for first in firsts:
        for member in first.value or ():
            minted = ids.minted_ms(from_wire(member))
            if minted is not None:
                yield minted
