"""Which queues the next look at a server reads: those looked at, then the others in turn."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from echomq_admin.emq.lane_counts import MOST_LANES

# About so many commands make up a look: a tenth of a second of work.
BUDGET = 10_000
# Queues that somebody looks at may take so much more of one look.
_FOR_VIEWERS = 2
# Whatever they look at, the others get such a part of each look.
_FOR_OTHERS = 4
# What a look reads at once: so much is told before the next is read.
_AT_ONCE = BUDGET // 4
WANTED_S = 10.0  # so long a queue counts as looked at
_PER_QUEUE, _PER_LANE = 15, 2
_LONG_AGO = float("-inf")

Known = Mapping[str, Sequence[str]]


class Rounds:
    """The known queues with their lanes, when each was read, and which of them are wanted.

    All times are of the monotonic clock; a queue was read when the look at it began.
    """

    def __init__(self) -> None:
        self.known: Known = {}
        self._read_at: dict[str, float] = {}
        self._wanted: dict[str, tuple[float, float]] = {}

    def know(self, known: Known) -> bool:
        """These queues are there, and no others; whether there are some that were not before."""
        if known is self.known:
            return False
        is_more = not known.keys() <= self.known.keys()
        self.known = known
        self._read_at = {queue: at for queue, at in self._read_at.items() if queue in known}
        return is_more

    def want(self, queues: Iterable[str], now: float) -> None:
        """Somebody looks at these queues."""
        for queue in queues:
            since, last = self._wanted.get(queue, (now, now))
            self._wanted[queue] = (now if now - last > WANTED_S else since, now)

    def wanted_since(self, queues: Iterable[str]) -> float:
        """When the newest of these was first wanted."""
        return max((self._wanted[queue][0] for queue in queues if queue in self._wanted),
                   default=_LONG_AGO)  # fmt: skip

    def take(self, now: float, only_wanted: bool = False) -> dict[str, Sequence[str]]:
        """The queues of the next look with their lanes, those first that were not read longest,
        and of them the small ones."""
        wanted = self._still_wanted(now)
        taken = list(_within(_FOR_VIEWERS * BUDGET, self._by_age(wanted), self._cost))
        if not only_wanted:
            left = max(BUDGET - sum(map(self._cost, taken)), BUDGET // _FOR_OTHERS)
            others = self._by_age(queue for queue in self.known if queue not in wanted)
            if left > 0 or not taken:
                taken += _within(left, others, self._cost)
        return {queue: self.known[queue] for queue in taken}

    def read(self, queues: Iterable[str], began: float) -> None:
        """A look that began then has read these queues."""
        self._read_at |= dict.fromkeys((queue for queue in queues if queue in self.known), began)

    def are_read(self, since: float, queues: Collection[str] | None = None) -> bool:
        """Whether all of the known queues, or of these, were read since then."""
        asked = self.known if queues is None else filter(self.known.__contains__, queues)
        return all(self._read_at.get(queue, _LONG_AGO) >= since for queue in asked)

    def looks_for_wanted(self, now: float) -> int:
        """How many looks it takes to read all that is wanted once."""
        cost = sum(map(self._cost, self._still_wanted(now)))
        return max(1, math.ceil(cost / (_FOR_VIEWERS * BUDGET)))

    def _still_wanted(self, now: float) -> set[str]:
        self._wanted = {
            queue: times for queue, times in self._wanted.items() if now - times[1] <= WANTED_S
        }
        return {queue for queue in self._wanted if queue in self.known}

    def _by_age(self, queues: Iterable[str]) -> list[str]:
        return sorted(queues, key=lambda q: (self._read_at.get(q, _LONG_AGO), self._cost(q)))

    def _cost(self, queue: str) -> int:
        return _commands(self.known[queue])


def portions(queues: Known) -> Iterator[dict[str, Sequence[str]]]:
    """The queues of a look in parts that are read one after the other, the small ones first; one
    part at least."""
    part: dict[str, Sequence[str]] = {}
    spent = 0
    for queue, lanes in sorted(queues.items(), key=lambda item: _commands(item[1])):
        if part and spent + _commands(lanes) > _AT_ONCE:
            yield part
            part, spent = {}, 0
        part[queue] = lanes
        spent += _commands(lanes)
    yield part


def _commands(lanes: Sequence[str]) -> int:
    return _PER_QUEUE + _PER_LANE * min(len(lanes), MOST_LANES)


def _within(budget: int, queues: Iterable[str], cost) -> Iterator[str]:
    """The first of these queues that the budget pays for, and one at least."""
    spent = 0
    for queue in queues:
        if spent and spent + cost(queue) > budget:
            return
        spent += cost(queue)
        yield queue
