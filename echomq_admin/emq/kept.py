"""A job whole, as it was before it was removed: what is needed to put it back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import msgpack
import redis

from .keyspace import Keyspace, from_wire, to_wire
from .replies import Answer, Batch, integer, now_ms
from .whereabouts import Held, Whereabouts

CHILDREN = ("processed", "failed", "unsuccessful")
_OF_ROWS = (b"attempts", b"state")
_SIDES = ("logs", "dependencies", *CHILDREN)
# One call of the script puts back so many jobs at most, and so many bytes unless one job has more.
_JOBS_A_CALL, _BYTES_A_CALL = 100, 4_000_000


@dataclass(frozen=True)
class Kept:
    """`fields` is the row, `places` the sets that held the id. `dedup` is the idempotency key that
    was named and held the job, with the server's instant at which it ends, `None` for never. `size`
    is what all of it took in the server's memory, bytes."""

    fields: Mapping[bytes, bytes]
    places: tuple[Held, ...] = ()
    logs: Sequence[bytes] = ()
    dependencies: bytes | None = None
    children: Mapping[str, Mapping[bytes, bytes]] = field(default_factory=dict)
    dedup: tuple[str, int | None] | None = None
    size: int = 0

    @property
    def attempts(self) -> int | None:
        """The token; `None` when it is no integer."""
        return integer(self.fields.get(b"attempts"))

    @property
    def place(self) -> str:
        """Where it is, as `remove` takes it: its sets and its lane, `-` for nowhere."""
        names = (f"lane:{at.group}" if at.place == "lane" else at.place for at in self.places)
        return ",".join(names) or "-"

    @property
    def waits(self) -> tuple[str, float]:
        """The set to go back to, and the score there. What a worker could have taken, or had taken,
        waits again; in no set, as a parent that waits for its children, it stays."""
        return goes_back(self.places)


def goes_back(places: Sequence[Held]) -> tuple[str, float]:
    """The set and the score with which a job is put back that was in these sets."""
    scores = {held.place: held.score for held in places}
    if scores.keys() & {"pending", "lane", "active"}:
        return "waiting", 0
    for place in ("schedule", "dead"):
        if place in scores:
            return place, scores[place]
    return "none", 0


def rows_there(client: redis.Redis, queue: str, job_ids: Sequence[str]) -> list[str]:
    """Those of the jobs that have a row. One round trip for up to 10,000."""
    keys, batch = Keyspace(queue), Batch(client)
    asked = [(job_id, batch.ask("exists", keys.job(job_id))) for job_id in job_ids]
    batch.run()
    return [job_id for job_id, answer in asked if answer.value]


@dataclass(frozen=True)
class Unkept:
    """A job that cannot be kept: it is too large (`size` bytes), or `why` it cannot be read."""

    size: int = 0
    why: str = ""


def read(
    client: redis.Redis,
    queue: str,
    job_ids: Sequence[str],
    most: int,
    most_in_all: int,
    dedup_id: str | None = None,
) -> dict[str, Kept | Unkept]:
    """Each job that has a row. Three round trips for all of them, one more when one of them has
    more than a row.

    Those larger than `most` bytes are not read, nor those with which all that were read in their
    order would be larger than `most_in_all`. `dedup_id` names the idempotency key of the one job
    given.
    """
    looks = [_Look(Keyspace(queue), job_id, dedup_id) for job_id in job_ids]
    _ask_sizes(client, looks)
    _choose(looks, most, most_in_all)
    wanted = [look for look in looks if look.is_wanted]
    _ask(client, wanted, _Look.ask_row)
    _ask(client, wanted, _Look.ask_lane)
    return {look.job_id: found for look in looks if (found := look.answer()) is not None}


class Sizes:
    """The kinds and sizes of jobs, asked in two batches along with what else those ask."""

    def __init__(self, queue: str, job_ids: Sequence[str]) -> None:
        self._looks = [_Look(Keyspace(queue), job_id, None) for job_id in job_ids]

    def ask(self, batch: Batch) -> None:
        for look in self._looks:
            look.ask_size(batch)

    def ask_again(self, batch: Batch) -> None:
        for look in self._looks:
            if look.has_sides:
                look.ask_sizes(batch)

    def unkept(self, most: int, most_in_all: int) -> dict[str, Unkept]:
        """Once both have run: what `read` would not read, as far as kinds and sizes tell."""
        _choose(self._looks, most, most_in_all)
        left = {look.job_id: look.answer() for look in self._looks if not look.is_wanted}
        return {job_id: one for job_id, one in left.items() if isinstance(one, Unkept)}


def _ask_sizes(client: redis.Redis, looks: Sequence[_Look]) -> None:
    _ask(client, looks, _Look.ask_size)
    _ask(client, [look for look in looks if look.has_sides], _Look.ask_sizes)


def _choose(looks: Sequence[_Look], most: int, left: int) -> None:
    """Which are to be read: those that are sound and for which there is room."""
    for look in looks:
        look.is_wanted = look.is_sound and look.size <= min(most, left)
        left -= look.size if look.is_wanted else 0


def _ask(
    client: redis.Redis, looks: Sequence[_Look], question: Callable[[_Look, Batch], None]
) -> None:
    batch = Batch(client)
    for look in looks:
        question(look, batch)
    batch.run()


class _Look:
    """What is asked of one job. `is_wanted` when it is to be read."""

    is_wanted = False

    def __init__(self, keys: Keyspace, job_id: str, dedup_id: str | None) -> None:
        self._keys, self.job_id, self._dedup_id = keys, job_id, dedup_id
        self._where = Whereabouts(keys, job_id)
        key = keys.job(job_id)
        self._sides = {name: key + b":" + name.encode() for name in _SIDES}

    def ask_size(self, batch: Batch) -> None:
        key = self._keys.job(self.job_id)
        self._kind = batch.ask("type", key)
        self._sizes = [batch.ask("memory_usage", key, samples=0)]
        self._has_sides = batch.ask("exists", *self._sides.values())

    @property
    def has_sides(self) -> bool:
        """Whether there are keys behind its row, as for few jobs."""
        return bool(self._has_sides.value)

    def ask_sizes(self, batch: Batch) -> None:
        self._sizes += [batch.ask("memory_usage", name, samples=0) for name in self._sides.values()]

    def ask_row(self, batch: Batch) -> None:
        self._row = batch.ask("hgetall", self._keys.job(self.job_id))
        ask = {"logs": ("lrange", 0, -1), "dependencies": ("get",)}
        self._found: dict[str, Answer] = {}
        for name, key in self._sides.items() if self.has_sides else ():
            method, *args = ask.get(name, ("hgetall",))
            self._found[name] = batch.ask(str(method), key, *args)
        if self._dedup_id is not None:
            self._time = batch.ask("time")
            dedup = self._keys.dedup(self._dedup_id)
            self._holder = batch.ask("getrange", dedup, 0, len(to_wire(self.job_id)))
            self._left = batch.ask("pttl", dedup)

    def ask_lane(self, batch: Batch) -> None:
        group = (self._row.value or {}).get(b"group")
        self._where.ask_again(batch, None if group is None else from_wire(group))
        self._rows = {
            name: batch.ask("hmget", self._sides[name], _OF_ROWS)
            for name, answer in self._found.items()
            if answer.is_mistyped
        }

    @property
    def is_sound(self) -> bool:
        return self._kind.value == b"hash" and not self._fault

    @property
    def size(self) -> int:
        return sum(int(size.value or 0) for size in self._sizes)

    @property
    def _fault(self) -> str | None:
        return next((one.fault for one in self._asked if one.fault), None)

    @property
    def _asked(self) -> Iterable[Answer]:
        return (self._kind, self._has_sides, *self._sizes)

    def answer(self) -> Kept | Unkept | None:
        """`None` when there is no row."""
        if self._kind.value == b"none":
            return None
        if not self.is_sound:
            return Unkept(why=self._fault or "its row is no hash")
        if not self.is_wanted:
            return Unkept(self.size)
        faults = (self._row.fault, *self._where.faults.values(), *self._lost())
        if fault := next(filter(None, faults), None):
            return Unkept(why=fault)
        return self._kept() if self._row.value else None

    def _lost(self) -> Iterator[str | None]:
        """Why something of the job could not be read. A key behind its row that is the row of
        another job is nothing of it, nor is an idempotency key that can hold no id."""
        for name, answer in self._found.items():
            if name not in self._rows or not any(self._rows[name].value or ()):
                yield answer.fault
        if self._dedup_id is not None and not self._holder.is_mistyped:
            yield from (self._holder.fault, self._left.fault, self._time.fault)

    def _kept(self) -> Kept:
        found = {name: answer.value for name, answer in self._found.items() if answer.value}
        return Kept(
            fields=self._row.value,
            places=self._where.held,
            logs=found.get("logs", ()),
            dependencies=found.get("dependencies"),
            children={name: found[name] for name in CHILDREN if _is_side(found.get(name))},
            dedup=self._dedup(),
            size=self.size,
        )

    def _dedup(self) -> tuple[str, int | None] | None:
        if self._dedup_id is None or self._holder.value != to_wire(self.job_id):
            return None
        left = self._left.value
        return self._dedup_id, None if left is None or left < 0 else now_ms(self._time) + int(left)


def _is_side(found: Mapping[bytes, bytes] | None) -> bool:
    """A key behind a row may be the row of another job, as the scripts tell it."""
    return found is not None and not set(_OF_ROWS) & found.keys()


def blobs(jobs: Mapping[str, Kept]) -> Iterator[list[bytes]]:
    """The jobs as the script takes them, as many as one call should have."""
    chunk: list[bytes] = []
    size = 0
    for job_id, kept in jobs.items():
        blob = _blob(job_id, kept)
        if chunk and (len(chunk) == _JOBS_A_CALL or size + len(blob) > _BYTES_A_CALL):
            yield chunk
            chunk, size = [], 0
        chunk.append(blob)
        size += len(blob)
    if chunk:
        yield chunk


def _blob(job_id: str, kept: Kept) -> bytes:
    place, score = kept.waits
    children = [_flat(kept.children[name]) if name in kept.children else False for name in CHILDREN]
    dedup, ends = kept.dedup or (None, None)
    parts = [
        to_wire(job_id), place, score, _flat(kept.fields), *children,
        list(kept.logs), False if kept.dependencies is None else kept.dependencies,
        False if dedup is None else to_wire(dedup), False if ends is None else ends,
    ]  # fmt: skip
    # The servers' own msgpack knows no bytes apart from text.
    return bytes(msgpack.packb(parts, use_bin_type=False))


def _flat(fields: Mapping[bytes, bytes]) -> list[bytes]:
    return list(chain.from_iterable(fields.items()))
