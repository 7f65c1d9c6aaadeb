"""The remembered queues and lanes of a server: read cheaply, learned, forgotten, added by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet.marks import Kept
from echomq_admin.fleet.models import KnownLane, KnownQueue

# How many values one statement takes; databases have a limit.
_AT_ONCE = 500

Found = Mapping[bytes, Collection[bytes]]


@dataclass(frozen=True)
class Memory:
    """What is remembered of a server: primary keys by name, and the names for readers."""

    queues: Mapping[bytes, int]
    lanes: Mapping[tuple[int, bytes], int]
    added: frozenset[bytes]
    names: Mapping[str, tuple[str, ...]]


def remembered(server_name: str) -> Memory:
    """What is remembered now. One tiny query while nothing has changed."""
    return _kept.of(server_name)


def learn(server_name: str, found: Found) -> Memory:
    """Remember what of `found` is new; what is remembered then. Needs a transaction."""
    known = remembered(server_name)
    if strange := found.keys() - known.queues.keys():
        queues = (KnownQueue(server=server_name, name=name) for name in strange)
        KnownQueue.objects.bulk_create(queues, batch_size=_AT_ONCE, ignore_conflicts=True)
        known = _anew(server_name)
    seen = {(known.queues[name], group) for name, groups in found.items() for group in groups}
    if fresh := seen - known.lanes.keys():
        lanes = (KnownLane(queue_id=queue, group=group) for queue, group in fresh)
        KnownLane.objects.bulk_create(lanes, batch_size=_AT_ONCE, ignore_conflicts=True)
        known = _anew(server_name)
    return known


def forget(
    server_name: str, known: Memory, seen_queues: Collection[int], seen_lanes: Collection[int]
) -> None:
    """Forget what was not seen, but for queues added by name. Needs a transaction."""
    gone = [
        pk for name, pk in known.queues.items() if pk not in seen_queues and name not in known.added
    ]
    ended = [pk for pk in known.lanes.values() if pk not in seen_lanes]
    for some in _portions(ended):
        KnownLane.objects.filter(pk__in=some).delete()
    for some in _portions(gone):
        KnownQueue.objects.filter(pk__in=some).delete()
    if gone or ended:
        _kept.changed(server_name)


def add(server_name: str, queue: str) -> bool:
    """Keep a queue though it has no key; whether that is new. Needs a transaction."""
    row, _ = KnownQueue.objects.get_or_create(server=server_name, name=to_wire(queue))
    return _set_added(server_name, row.pk, True)


def drop(server_name: str, queue: str, has_keys: bool) -> bool:
    """Keep a queue no longer than it has keys; whether it was kept. Needs a transaction."""
    rows = KnownQueue.objects.filter(server=server_name, name=to_wire(queue))
    pk = rows.values_list("pk", flat=True).first()
    if pk is None or not _set_added(server_name, pk, False):
        return False
    if not has_keys:
        rows.delete()
    return True


def _set_added(server_name: str, pk: int, added: bool) -> bool:
    changed = KnownQueue.objects.filter(pk=pk, added=not added).update(added=added) == 1
    if changed:
        _kept.changed(server_name)
    return changed


def _anew(server_name: str) -> Memory:
    _kept.changed(server_name)
    return _kept.of(server_name)


def _read(server_name: str) -> Memory:
    rows = KnownQueue.objects.filter(server=server_name).order_by("name")
    known = [
        (pk, bytes(name), added) for pk, name, added in rows.values_list("pk", "name", "added")
    ]
    groups: dict[int, list[str]] = {pk: [] for pk, _, _ in known}
    lanes: dict[tuple[int, bytes], int] = {}
    for pk, queue, group in _lanes(server_name):
        lanes[queue, group] = pk
        groups.setdefault(queue, []).append(from_wire(group))
    return Memory(
        queues={name: pk for pk, name, _ in known},
        lanes=lanes,
        added=frozenset(name for _, name, added in known if added),
        names=MappingProxyType({from_wire(name): tuple(groups[pk]) for pk, name, _ in known}),
    )


def _lanes(server_name: str) -> Iterator[tuple[int, int, bytes]]:
    rows = KnownLane.objects.filter(queue__server=server_name).order_by("group")
    for pk, queue, group in rows.values_list("pk", "queue_id", "group"):
        yield pk, queue, bytes(group)


def _portions(pks: list[int]) -> Iterable[list[int]]:
    for start in range(0, len(pks), _AT_ONCE):
        yield pks[start : start + _AT_ONCE]


_kept = Kept("queues", _read)
