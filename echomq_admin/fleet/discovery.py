"""Which queues and lanes a server has: found by the agent, remembered in the database.

A pass goes over the keys in short slices. After each, how far it came is in the database: an
agent that was ended goes on there, and several who walk at once share one pass. Of two who took
the same slice the first one's counts, the other's is dropped.

An empty lane has no key of its own. The ring, and what a queue keeps of paused lanes, limits,
weights and jobs in flight, name it: each is read as soon as the walk meets its key.
"""

from __future__ import annotations

import re
import time
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from redis.exceptions import NoPermissionError, ResponseError

from echomq_admin.emq.keyspace import DISCOVERY_PATTERN, from_wire, parse, to_wire
from echomq_admin.emq.lane_names import NAMING, lanes_named
from echomq_admin.emq.reads import exists
from echomq_admin.emq.replies import reason
from echomq_admin.fleet import memory, servers
from echomq_admin.fleet.models import Failure, KnownQueue, Pass, Walk
from echomq_admin.fleet.servers import Server

SCAN_COUNT = 1000
# A slice ends after so long or with so many keys; as long again the server is left in peace.
SLICE_S = 0.1
SLICE_KEYS = 20_000
_NAMING = {word.encode(): word for word in NAMING}
_UNKNOWN_SCAN = re.compile(r"(?:ERR )?unknown command\W+scan\b", re.IGNORECASE)


def discover(server: Server, stop: Event | None = None) -> Pass | None:
    """One full pass from now on. Remembers what it sees, and forgets at its end what is gone.

    Returns what it found; `None` when `stop` was set before the end. Raises redis-py's errors.
    What was found until then stays remembered, and nothing is forgotten.
    """
    _begin(server)
    return _walk(server, stop or Event())


def carry_on(server: Server, stop: Event | None = None) -> Pass | None:
    """The same, but a pass that is under way is gone on with, whoever began it."""
    if not Walk.objects.filter(server=server.name).exclude(cursor="").exists():
        _begin(server)
    return _walk(server, stop or Event())


def known(server_name: str) -> Mapping[str, tuple[str, ...]]:
    """The remembered queues, in byte order, each with its lanes.

    Shared and cheap: one tiny query while nothing has changed.
    """
    return memory.remembered(server_name).names


def added_queues(server_name: str) -> set[str]:
    """The remembered queues that somebody added by name."""
    return {from_wire(name) for name in memory.remembered(server_name).added}


def lanes_of(server_name: str, queue: str) -> tuple[str, ...]:
    """The remembered lanes of one queue, in byte order."""
    return known(server_name).get(queue, ())


def knows(server: Server, queue: str) -> bool:
    """Whether the queue is remembered, or else has one of its fixed keys. Writes nothing.

    Raises redis-py's errors when the server has to be asked and cannot be.
    """
    remembered = KnownQueue.objects.filter(server=server.name, name=to_wire(queue))
    return remembered.exists() or exists(server.client, queue)


def last_pass(server_name: str) -> Pass | None:
    """The last complete pass, or `None` before the first."""
    return Pass.objects.filter(server=server_name).first()


def under_way(server_name: str) -> int | None:
    """How many keys the pass under way has looked at, `None` while there is none."""
    walks = Walk.objects.filter(server=server_name).exclude(cursor="")
    return walks.values_list("keys", flat=True).first()


def last_failure(server_name: str) -> Failure | None:
    """Why passes come to nothing since the last complete one, `None` when they do not."""
    return Failure.objects.filter(server=server_name).first()


def note_failure(server_name: str, sentence: str) -> None:
    """Remember until the next complete pass that one came to nothing just now."""
    failure = {"at": timezone.now(), "sentence": sentence}
    Failure.objects.update_or_create(server=server_name, defaults=failure)


def trouble(server: Server, error: Exception) -> str:
    """Why a pass failed: a sentence that names the server, and what to do where that is known."""
    lead = f"The queues of {server.name} cannot be discovered at {server.target}: "
    if isinstance(error, NoPermissionError):
        return (
            f"{lead}{servers.masked(server, reason(error).rstrip('.'))}. "
            "Give the console's user there the right by ACL SETUSER (+scan)."
        )
    if isinstance(error, ResponseError) and _UNKNOWN_SCAN.match(str(error)):
        return (
            f"{lead}it knows no command SCAN, which was renamed or switched off there. "
            "Let it have SCAN again, or add the queues by name."
        )
    return servers.trouble(server, error)


@dataclass
class _Slice:
    """What was read between two cursors; it ends the pass when `cursor` is 0."""

    cursor: int
    keys: int = 0
    found: dict[bytes, set[bytes]] = field(default_factory=lambda: defaultdict(set))


def _walk(server: Server, stop: Event) -> Pass | None:
    while not stop.is_set():
        walk = Walk.objects.filter(server=server.name).first()
        if walk is None or not walk.cursor:
            return last_pass(server.name)
        started = time.monotonic()
        read = _read(server, walk, stop)
        if read is None:
            return None
        if _run_id(server) != walk.run_id:
            # The cursor was one of a run of the server that is over, and so are its keys.
            _begin(server)
            continue
        spent_s = time.monotonic() - started
        _keep(walk, read, round(spent_s * 1000))
        if read.cursor:
            stop.wait(min(spent_s, SLICE_S))
    return None


def _begin(server: Server) -> None:
    """Let a new pass begin; a slice that is being read for the one before will be dropped."""
    start = {
        "cursor": "0",
        "run_id": _run_id(server),
        "keys": 0,
        "spent_ms": 0,
        "seen_queues": b"",
        "seen_lanes": b"",
    }
    with transaction.atomic():
        walk, _ = Walk.objects.get_or_create(server=server.name, defaults=start)
        Walk.objects.filter(pk=walk.pk).update(number=F("number") + 1, **start)


def _run_id(server: Server) -> str:
    """Which run of the server answers, and which database of it; "" when it does not say."""
    try:
        run_id = server.client.info("server").get("run_id")
    except ResponseError:
        return ""
    db = server.client.connection_pool.connection_kwargs.get("db") or 0
    return f"{run_id}/{db}" if run_id else ""


def _read(server: Server, walk: Walk, stop: Event) -> _Slice | None:
    """One slice, or `None` when `stop` was set.

    Where the server does not say which run it is in, no cursor may be kept: all in one.
    """
    read = _Slice(int(walk.cursor))
    deadline = time.monotonic() + SLICE_S
    while not stop.is_set():
        read.cursor, keys = server.client.scan(read.cursor, DISCOVERY_PATTERN, SCAN_COUNT)
        read.keys += len(keys)
        _note(server, keys, read.found)
        is_long = time.monotonic() > deadline or read.keys >= SLICE_KEYS
        if read.cursor == 0 or (is_long and walk.run_id):
            return read
    return None


def _note(server: Server, keys: Iterable[bytes], found: dict[bytes, set[bytes]]) -> None:
    """The queues and lanes that keys belong to, and the lanes that they name."""
    naming: dict[str, set[str]] = defaultdict(set)
    for key in keys:
        parsed = parse(key)
        if parsed is None:
            continue
        lanes = found[to_wire(parsed.queue)]
        if parsed.group is not None:
            lanes.add(to_wire(parsed.group))
        elif word := _NAMING.get(parsed.name):
            naming[parsed.queue].add(word)
    for queue, named in lanes_named(server.client, naming).items():
        found[to_wire(queue)] |= named


def _keep(walk: Walk, read: _Slice, spent_ms: int) -> None:
    """Remember what a slice found and how far it came, unless another walker was there first."""
    with transaction.atomic():
        here = Walk.objects.filter(pk=walk.pk, number=walk.number, cursor=walk.cursor)
        walk.keys += read.keys
        walk.spent_ms += spent_ms
        walk.cursor = str(read.cursor) if read.cursor else ""
        if not here.update(cursor=walk.cursor, keys=walk.keys, spent_ms=walk.spent_ms):
            return
        known = memory.learn(walk.server, read.found)
        queues, lanes = _seen(walk, read, known)
        if read.cursor:
            packed = {"seen_queues": _packed(queues), "seen_lanes": _packed(lanes)}
            Walk.objects.filter(pk=walk.pk).update(**packed)
        else:
            memory.forget(walk.server, known, queues, lanes)
            _finish(walk, len(queues), len(lanes))


def _seen(walk: Walk, read: _Slice, known: memory.Memory) -> tuple[set[int], set[int]]:
    """The primary keys of all queues and lanes that the pass has seen so far."""
    queues = {known.queues[name] for name in read.found}
    lanes = {
        known.lanes[known.queues[name], group]
        for name, groups in read.found.items()
        for group in groups
    }
    return queues | _unpacked(walk.seen_queues), lanes | _unpacked(walk.seen_lanes)


def _finish(walk: Walk, queues: int, lanes: int) -> None:
    Failure.objects.filter(server=walk.server).delete()
    counts = {"took_ms": walk.spent_ms, "keys": walk.keys, "queues": queues, "lanes": lanes}
    Pass.objects.update_or_create(
        server=walk.server, defaults={"finished_at": timezone.now(), **counts}
    )


def _packed(pks: set[int]) -> bytes:
    return array("Q", sorted(pks)).tobytes()


def _unpacked(raw: bytes) -> set[int]:
    pks = array("Q")
    pks.frombytes(bytes(raw))
    return set(pks)
