"""Where an id lies on a server: in which queues, and in which of their sets.

Two round trips, whatever lies in the queues. An id is looked for by its row and in every set and
lane of its queue. Ids that begin with a text are counted first, in the sets whose order is that of
the ids, and then a few are fetched; sets in the order of scores are fetched whole when they are
small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import redis

from .keyspace import Keyspace, from_wire, to_wire
from .replies import Answer, Batch
from .whereabouts import Place, Where, sets_of

# How much one search looks at: queues for each id, lanes, and bytes: those that it sends for each
# id to queues, those that it sends to lanes, those of the sets that it reads whole.
MOST_QUEUES = 2_000
MOST_LANES = 5_000
MOST_BYTES = 4_000_000
SMALL = 500
# How many ids that begin alike one set tells, and all sets that are cut.
FEW = 5
MOST_TOLD = 60

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
    `queues_left` and `lanes_left` were not looked at; `large` sets in the order of scores, of
    too many ids or too long ones, were not searched for beginnings. `faults` say what could not
    be read. `has_queue` tells whether the queue that was asked about exists.
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
    room = _Room(min(MOST_LANES, _times(wanted)), MOST_TOLD, MOST_BYTES)
    for look in looks:
        look.ask(first, room)
    first.run()
    for look in looks:
        look.ask_again(second, room)
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


@dataclass
class _Room:
    """What is left of the bounds of a search."""

    lanes: int
    told: int
    read_bytes: int


def is_here(client: redis.Redis, queue: str, job_id: str) -> bool:
    """Whether a queue has a row of the id, or holds it outside of lanes; one round trip."""
    keys, batch = Keyspace(queue), Batch(client)
    row = batch.ask("exists", keys.job(job_id))
    scores = [batch.ask("zscore", key, to_wire(job_id)) for key in sets_of(keys).values()]
    batch.run()
    return bool(row.value) or any(score.value is not None for score in scores)


def _times(wanted: Sequence[Wanted]) -> int:
    """How many lanes may be asked about ids of this length, each by three arguments."""
    longest = max((len(to_wire(one.job_id)) for one in wanted), default=0)
    return MOST_BYTES // (3 * max(1, longest))


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
        self._counts: dict[Where, Answer] = {}
        self._ranges: dict[Where, Answer] = {}
        self._sizes: dict[Place, tuple[Answer, Answer]] = {}
        self._is_short = False
        self.lanes_left = self.large = 0

    def ask(self, batch: Batch, room: _Room) -> None:
        """The first trip: what holds the id, and how many begin with it. It brings no ids."""
        self._type = batch.ask("type", self._keys.job(self._job_id))
        lanes = self._lanes[: room.lanes]
        room.lanes -= len(lanes)
        self.lanes_left = len(self._lanes) - len(lanes)
        sets: dict[Where, bytes] = {(name, None): key for name, key in self._sets.items()}
        sets |= {("lane", group): self._keys.lane(group) for group in lanes}
        for place, key in sets.items():
            self._scores[place] = batch.ask("zscore", key, self._member)
            if self._starts:
                self._measure(batch, place, key)

    def ask_again(self, batch: Batch, room: _Room) -> None:
        """The second trip: ids that may begin with the one wanted."""
        for place, answer in self._counts.items():
            few = min(int(answer.value or 0), FEW, room.told)
            self._is_short |= few < int(answer.value or 0)
            if few:
                room.told -= few
                self._ranges[place] = batch.ask(
                    "zrangebylex", self._key(place), *self._bounds, 0, few
                )
        for name, (count, size) in self._sizes.items():
            members = int(count.value or 0)
            if members and (members > SMALL or int(size.value or 0) > room.read_bytes):
                self.large += 1
            elif members and size.value:
                room.read_bytes -= int(size.value)
                self._ranges[name, None] = batch.ask("zrange", self._sets[name], 0, members - 1)

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
        return self._is_short or any(len(members) > FEW for _, members in self._beginnings())

    def faults(self) -> Iterator[str]:
        sizes = (((name, None), size) for name, (_, size) in self._sizes.items())
        for (name, _), answer in (
            *self._scores.items(), *self._counts.items(), *sizes, *self._ranges.items()
        ):  # fmt: skip
            if answer.fault:
                yield f"{name}: {answer.fault}"

    @property
    def _has_row(self) -> bool:
        # Logs and locks have keys that could be those of rows, but they are no hashes.
        return bool(self._type.value == b"hash")

    @property
    def _bounds(self) -> tuple[bytes, bytes]:
        """What lies between these begins with the id and is not it."""
        return b"(" + self._member, _after(self._member)

    def _key(self, place: Where) -> bytes:
        name, group = place
        return self._sets[name] if group is None else self._keys.lane(group)

    def _measure(self, batch: Batch, place: Where, key: bytes) -> None:
        """Ask how many ids of a set begin so; of one in the order of scores, how large it is."""
        name, _ = place
        if name in ("active", "schedule"):
            # As many samples as a set may have members that is read: then the answer is exact.
            size = batch.ask("memory_usage", key, samples=SMALL)
            self._sizes[name] = batch.ask("zcard", key), size
        else:
            self._counts[place] = batch.ask("zlexcount", key, *self._bounds)

    def _beginnings(self) -> Iterator[tuple[Where, list[bytes]]]:
        """Ids that begin with the one wanted and are not it, by the place that holds them."""
        for place, answer in self._ranges.items():
            members = answer.value or []
            yield place, [x for x in members if x.startswith(self._member) and x != self._member]


def _after(prefix: bytes) -> bytes:
    """The BYLEX bound behind every member that begins with `prefix`."""
    short = prefix.rstrip(b"\xff")
    return b"(" + short[:-1] + bytes([short[-1] + 1]) if short else b"+"
