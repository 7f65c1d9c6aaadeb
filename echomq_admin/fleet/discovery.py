"""Which queues and lanes a server has: found by the agent, remembered in the database."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from threading import Event

from django.db import transaction
from django.utils import timezone

from echomq_admin.emq.keyspace import DISCOVERY_PATTERN, from_wire, parse, to_wire
from echomq_admin.emq.reads import exists
from echomq_admin.fleet.models import KnownLane, KnownQueue, Pass
from echomq_admin.fleet.servers import Server

SCAN_COUNT = 1000
# How many values one statement takes; databases have a limit.
_AT_ONCE = 500

Found = dict[bytes, set[bytes]]


def discover(server: Server, stop: Event | None = None) -> Pass | None:
    """One full pass over the keys. Remembers what it saw, forgets what is gone.

    Returns what it found; `None` when `stop` was set before the end, and then nothing is
    written. Raises redis-py's errors, again with nothing written.
    """
    started = time.monotonic()
    found: Found = defaultdict(set)
    keys = cursor = 0
    while stop is None or not stop.is_set():
        cursor, batch = server.client.scan(cursor, match=DISCOVERY_PATTERN, count=SCAN_COUNT)
        keys += len(batch)
        _note(batch, found)
        if cursor == 0:
            return _remember(server.name, found, keys, started)
    return None


def known(server_name: str) -> dict[str, tuple[str, ...]]:
    """The remembered queues, in byte order, each with its lanes."""
    queues = KnownQueue.objects.filter(server=server_name).order_by("name")
    lanes: dict[int, list[str]] = {pk: [] for pk in queues.values_list("pk", flat=True)}
    groups = KnownLane.objects.filter(queue__server=server_name).order_by("group")
    for pk, group in groups.values_list("queue_id", "group"):
        lanes.setdefault(pk, []).append(from_wire(bytes(group)))
    return {
        from_wire(bytes(name)): tuple(lanes.get(pk, ()))
        for pk, name in queues.values_list("pk", "name")
    }


def lanes_of(server_name: str, queue: str) -> tuple[str, ...]:
    """The remembered lanes of one queue, in byte order."""
    rows = KnownLane.objects.filter(queue__server=server_name, queue__name=to_wire(queue))
    groups = rows.order_by("group").values_list("group", flat=True)
    return tuple(from_wire(bytes(group)) for group in groups)


def knows(server: Server, queue: str) -> bool:
    """Whether the queue is remembered, or else has one of its fixed keys. Writes nothing.

    Raises redis-py's errors when the server has to be asked and cannot be.
    """
    remembered = KnownQueue.objects.filter(server=server.name, name=to_wire(queue))
    return remembered.exists() or exists(server.client, queue)


def last_pass(server_name: str) -> Pass | None:
    """The last complete pass, or `None` before the first."""
    return Pass.objects.filter(server=server_name).first()


def _note(keys: Iterable[bytes], found: Found) -> None:
    for key in keys:
        parsed = parse(key)
        if parsed is None:
            continue
        lanes = found[to_wire(parsed.queue)]
        if parsed.group is not None:
            lanes.add(to_wire(parsed.group))


def _remember(server_name: str, found: Found, keys: int, started: float) -> Pass:
    now = timezone.now()
    with transaction.atomic():
        _remember_lanes(_remember_queues(server_name, found, now), server_name, found)
        done, _ = Pass.objects.update_or_create(
            server=server_name,
            defaults={
                "finished_at": now,
                "took_ms": round((time.monotonic() - started) * 1000),
                "keys": keys,
                "queues": len(found),
                "lanes": sum(map(len, found.values())),
            },
        )
    return done


def _remember_queues(server_name: str, found: Found, now: datetime) -> dict[bytes, int]:
    """Make the remembered queues those of `found`; returns their primary keys."""
    rows = KnownQueue.objects.filter(server=server_name)
    before = _by_name(rows.values_list("name", "pk"))
    gone = [pk for name, pk in before.items() if name not in found]
    for some in _portions(gone):
        KnownLane.objects.filter(queue__in=some).delete()
        KnownQueue.objects.filter(pk__in=some).delete()
    rows.update(seen_at=now)
    fresh = (
        KnownQueue(server=server_name, name=name, seen_at=now)
        for name in found
        if name not in before
    )
    KnownQueue.objects.bulk_create(fresh, batch_size=_AT_ONCE, ignore_conflicts=True)
    return _by_name(rows.values_list("name", "pk"))


def _remember_lanes(queues: dict[bytes, int], server_name: str, found: Found) -> None:
    rows = KnownLane.objects.filter(queue__server=server_name)
    before = {
        (queue, bytes(group)): pk
        for pk, queue, group in rows.values_list("pk", "queue_id", "group")
    }
    now = {(queues[name], group) for name, groups in found.items() for group in groups}
    for some in _portions([pk for lane, pk in before.items() if lane not in now]):
        KnownLane.objects.filter(pk__in=some).delete()
    fresh = (KnownLane(queue_id=queue, group=group) for queue, group in now - before.keys())
    KnownLane.objects.bulk_create(fresh, batch_size=_AT_ONCE, ignore_conflicts=True)


def _by_name(rows: Iterable[tuple[bytes, int]]) -> dict[bytes, int]:
    return {bytes(name): pk for name, pk in rows}


def _portions(pks: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(pks), _AT_ONCE):
        yield pks[start : start + _AT_ONCE]
