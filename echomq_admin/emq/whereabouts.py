"""Which sets of a queue hold one id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .keyspace import Keyspace, to_wire
from .replies import Answer, Batch

Place = Literal["pending", "active", "schedule", "dead", "lane"]
PLACES: tuple[Place, ...] = ("pending", "active", "schedule", "dead")
# A set, and of a lane its group.
Where = tuple[Place, str | None]


@dataclass(frozen=True)
class Held:
    """A set that holds an id, with its score there; `group` names a lane."""

    place: Place
    score: float
    group: str | None = None


class Whereabouts:
    """Two looks at the sets and lanes of a queue.

    A job can move between two commands of one pipeline and then seem to be nowhere or twice. So
    what looks odd only counts when both looks agree: `is_settled`.
    """

    def __init__(self, keys: Keyspace, job_id: str, lanes: Sequence[str] = ()) -> None:
        self._keys = keys
        self._member = to_wire(job_id)
        self._lanes = tuple(lanes)
        self._first: dict[Where, Answer] = {}
        self._second: dict[Where, Answer] = {}

    def ask(self, batch: Batch) -> None:
        """The four sets, and every lane that is known."""
        self._first = self._ask(batch, self._lanes)

    def ask_again(self, batch: Batch, own_lane: str | None) -> None:
        """The four sets, the lanes that held the id, and the lane that its row names."""
        found = [group for (place, group), answer in self._first.items() if place == "lane"
                 and group is not None and answer.value is not None]  # fmt: skip
        own = [] if own_lane is None else [own_lane]
        self._second = self._ask(batch, tuple(dict.fromkeys((*found, *own))))

    @property
    def held(self) -> tuple[Held, ...]:
        """The sets that hold the id as of the last look."""
        return tuple(
            Held(place, float(answer.value), group)
            for (place, group), answer in (self._second or self._first).items()
            if answer.value is not None
        )

    @property
    def is_settled(self) -> bool:
        """Whether both looks found the id in the same sets."""
        both = self._first.keys() & self._second.keys()
        return all(
            (self._first[at].value is None) == (self._second[at].value is None) for at in both
        )

    @property
    def faults(self) -> Mapping[str, str]:
        """Why a set could not be read, by its name; lanes all under "lanes"."""
        return {
            "lanes" if place == "lane" else place: answer.fault
            for (place, _), answer in (self._first | self._second).items()
            if answer.fault
        }

    def _ask(self, batch: Batch, lanes: Sequence[str]) -> dict[Where, Answer]:
        asked: dict[Where, Answer] = {
            (place, None): batch.ask("zscore", key, self._member)
            for place, key in sets_of(self._keys).items()
        }
        for group in lanes:
            asked["lane", group] = batch.ask("zscore", self._keys.lane(group), self._member)
        return asked


def sets_of(keys: Keyspace) -> dict[Place, bytes]:
    """The four sets outside of lanes that can hold a job, by their names."""
    return {
        "pending": keys.pending,
        "active": keys.active,
        "schedule": keys.schedule,
        "dead": keys.dead,
    }
