"""Where an id lies on a server: in which queues, and in which of their sets.

Two round trips, whatever lies in the queues. An id is looked for by its row and in the sets of
its queue; ids that begin with a text by cutting the sets whose order is that of the ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import redis

from .keyspace import Keyspace, from_wire, to_wire
from .replies import Answer, Batch
from .whereabouts import Place, Where, sets_of

# How much one search looks at: queues and bytes that it sends for each id, lanes that it cuts, and
# then lanes that may hold a row's id with members of sets in the order of scores, read whole.
MOST_QUEUES = 2_000
MOST_BYTES = 4_000_000
MOST_LANES = 5_000
MOST_AGAIN = 5_000
SMALL = 500
# How many ids that begin alike one set tells.
FEW = 5

# Known queues, each with its known lanes.
Known = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Wanted:
    """An id to look for: in one queue, or in all; with `starts` those that begin with it too."""

    job_id: str
    queue: str | None = None
    starts: bool = False


@dataclass(frozen=True)
class Hit:
    """An id in a queue, and what holds it: nothing when there is only its row."""

    queue: str
    job_id: str
    places: tuple[Where, ...]


@dataclass(frozen=True)
class Found:
    """What a search found, and how far it looked.

    `exact` have the id that was wanted, `starting` begin with it (when `has_beginnings` says that
    they were looked for), and with `more` others do so too. Of the queues and lanes,
    `queues_left` and `lanes_left` were not looked at; `large` sets in the order of scores were
    not searched for beginnings. `faults` say what could not be read. `has_queue` tells whether
    the queue that was asked about exists.
    """

    exact: tuple[Hit, ...]
    starting: tuple[Hit, ...]
    more: bool
    has_beginnings: bool
    queues: int
    queues_left: int
    lanes_left: int
    large: int
    faults: tuple[str, ...]
    has_queue: bool


def find(client: redis.Redis, lanes: Known, wanted: Sequence[Wanted], queue: str) -> Found:
    """Look for these ids in the queues that `lanes` maps to their lanes, and for a queue."""
    first, second = Batch(client), Batch(client)
    keys = Keyspace(queue)
    signs = [first.ask("exists", key) for key in (*keys.fixed, keys.audit)]
    looks = [look for one in wanted for look in _looks(one, lanes)]
    room = MOST_LANES
    for look in looks:
        room -= look.ask(first, room)
    first.run()
    room = MOST_AGAIN
    for look in looks:
        room -= look.ask_again(second, room)
    second.run()
    starting = _merged(hit for look in looks for hit in look.starting())
    everywhere = [one for one in wanted if one.queue is None]
    queues = max((_reach(one.job_id, lanes) for one in everywhere), default=0)
    return Found(
        exact=_merged(hit for look in looks for hit in look.exact()),
        starting=starting,
        more=any(look.more for look in looks),
        has_beginnings=any(one.starts for one in wanted),
        queues=queues,
        queues_left=len(lanes) - queues if everywhere else 0,
        lanes_left=sum(look.lanes_left for look in looks),
        large=sum(look.large for look in looks),
        faults=tuple(dict.fromkeys(fault for look in looks for fault in look.faults())),
        has_queue=any(sign.value for sign in signs),
    )


def _reach(job_id: str, lanes: Known) -> int:
    """In how many queues an id of this length is looked for."""
    each = 5 * max(1, len(to_wire(job_id)))
    return min(len(lanes), MOST_QUEUES, max(1, MOST_BYTES // each))


def _looks(wanted: Wanted, lanes: Known) -> Iterator[_Look]:
    if wanted.queue is not None:
        yield _Look(wanted, wanted.queue, lanes.get(wanted.queue, ()))
        return
    for queue, _ in zip(lanes, range(_reach(wanted.job_id, lanes)), strict=False):
        yield _Look(wanted, queue, lanes[queue])


def _merged(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """One hit for each id of a queue, with every place that holds it."""
    places: dict[tuple[str, str], dict[Where, None]] = {}
    for hit in hits:
        places.setdefault((hit.queue, hit.job_id), {}).update(dict.fromkeys(hit.places))
    return tuple(Hit(queue, job_id, tuple(held)) for (queue, job_id), held in places.items())


class _Look:
    """The search for one id in one queue."""

    def __init__(self, wanted: Wanted, queue: str, lanes: Sequence[str]) -> None:
        self._queue, self._lanes = queue, lanes
        self._job_id, self._starts = wanted.job_id, wanted.starts
        self._member = to_wire(wanted.job_id)
        self._keys = keys = Keyspace(queue)
        self._sets = sets_of(keys)
        self._type = Answer()
        self._scores: dict[Where, Answer] = {}
        self._ranges: dict[Where, Answer] = {}
        self._sizes: dict[Place, Answer] = {}
        self.lanes_left = self.large = 0

    def ask(self, batch: Batch, room: int) -> int:
        """The first trip; returns how many of the `room` lanes it cuts."""
        self._type = batch.ask("type", self._keys.job(self._job_id))
        for name, key in self._sets.items():
            self._scores[name, None] = batch.ask("zscore", key, self._member)
        if not self._starts:
            return 0
        for name in ("active", "schedule"):
            self._sizes[name] = batch.ask("zcard", self._sets[name])
        for name in ("pending", "dead"):
            self._cut(batch, (name, None), self._sets[name])
        lanes = self._some(room)
        for group in lanes:
            self._cut(batch, ("lane", group), self._keys.lane(group))
        return len(lanes)

    def ask_again(self, batch: Batch, room: int) -> int:
        """The second trip; returns how much of `room` it takes."""
        taken = 0
        if self._has_row:
            lanes = self._some(room)
            taken = len(lanes)
            for group in lanes:
                self._scores["lane", group] = batch.ask(
                    "zscore", self._keys.lane(group), self._member
                )
        for name, size in self._sizes.items():
            count = int(size.value or 0)
            if count > min(SMALL, room - taken):
                self.large += 1
            elif count:
                self._ranges[name, None] = batch.ask("zrange", self._sets[name], 0, count - 1)
                taken += count
        return taken

    def exact(self) -> Iterator[Hit]:
        held = tuple(place for place, score in self._scores.items() if score.value is not None)
        if held or self._has_row:
            yield Hit(self._queue, self._job_id, held)

    def starting(self) -> Iterator[Hit]:
        for place, members in self._beginnings():
            for member in members[:FEW]:
                yield Hit(self._queue, from_wire(member), (place,))

    @property
    def more(self) -> bool:
        """Whether a set holds more ids that begin so than it tells."""
        return any(len(members) > FEW for _, members in self._beginnings())

    def faults(self) -> Iterator[str]:
        for (name, _), answer in (*self._scores.items(), *self._ranges.items()):
            if answer.fault:
                yield f"{name}: {answer.fault}"

    @property
    def _has_row(self) -> bool:
        # Logs and locks have keys that could be those of rows, but they are no hashes.
        return bool(self._type.value == b"hash")

    def _some(self, room: int) -> Sequence[str]:
        some = self._lanes[:room]
        self.lanes_left = max(self.lanes_left, len(self._lanes) - len(some))
        return some

    def _cut(self, batch: Batch, place: Where, key: bytes) -> None:
        # One more than is told, and the id itself.
        low, high = b"[" + self._member, _after(self._member)
        self._ranges[place] = batch.ask("zrangebylex", key, low, high, 0, FEW + 2)

    def _beginnings(self) -> Iterator[tuple[Where, list[bytes]]]:
        """Ids that begin with the one wanted and are not it, by the place that holds them."""
        for place, answer in self._ranges.items():
            members = answer.value or []
            yield place, [x for x in members if x.startswith(self._member) and x != self._member]


def _after(prefix: bytes) -> bytes:
    """The BYLEX bound behind every member that begins with `prefix`."""
    short = prefix.rstrip(b"\xff")
    return b"(" + short[:-1] + bytes([short[-1] + 1]) if short else b"+"
