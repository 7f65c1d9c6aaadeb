"""What operators set for a queue, over the defaults by pattern of the settings.

All of it is the console's own: nothing here is on a server. Every change is on record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.db import transaction
from django.utils import timezone

from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet import memory, own_database
from echomq_admin.fleet.marks import Kept
from echomq_admin.fleet.models import QueueChange, QueuePreference
from echomq_admin.fleet.patterns import Pattern, pattern_of

OWN, BUILT_IN = "own", "default"
MAX_STALLED = 2
_BUILT_IN = {"max_stalled": MAX_STALLED, "lease_ms": None}


@dataclass(frozen=True)
class QueueSettings:
    """How the console treats a queue. `max_stalled` is what its sweeps start with; `lease_ms` the
    usual lease length, `None` when nobody said; `note` is for people.

    `…_from` says where a value comes from: `OWN`, `BUILT_IN`, or a pattern of EMQ_QUEUES as
    "pattern orders.*". While EMQ_QUEUES cannot be read there are no patterns.
    """

    max_stalled: int = MAX_STALLED
    lease_ms: int | None = None
    note: str = ""
    hidden: bool = False
    max_stalled_from: str = BUILT_IN
    lease_ms_from: str = BUILT_IN


@dataclass(frozen=True)
class Own:
    """What people set for one queue; `None` is nothing, a default holds."""

    max_stalled: int | None = None
    lease_ms: int | None = None
    note: str = ""
    hidden: bool = False


def queue_settings(server_name: str, queue: str) -> QueueSettings:
    """The settings in force for one queue."""
    return _in_force(queue, own(server_name, queue))


def all_settings(server_name: str) -> dict[str, QueueSettings]:
    """The settings in force for every queue of the server that has its own."""
    kept = _kept.of(server_name)
    return {queue: _in_force(queue, own) for queue, own in kept.items() if own != Own()}


def defaults(queue: str) -> QueueSettings:
    """What holds for a queue that has no settings of its own."""
    return _in_force(queue, Own())


def own(server_name: str, queue: str) -> Own:
    """What people set for the queue, without the defaults."""
    return _kept.of(server_name).get(queue, Own())


def history(server_name: str, queue: str, most: int) -> list[QueueChange]:
    """The newest changes of a queue, newest first."""
    rows = QueueChange.objects.filter(server=server_name, name=to_wire(queue))
    return list(rows.order_by("-at", "-pk")[:most])


class ChangedMeanwhile(Exception):
    """Fields that are to be changed are no longer what `seen` says: `name` is one of them, and
    `now` what it is."""

    def __init__(self, name: str, now: object) -> None:
        super().__init__(f"{name} is {now!r} now")
        self.name = name
        self.now = now


def change(
    server_name: str,
    queue: str,
    by: str,
    seen: Mapping[str, object] = MappingProxyType({}),
    **values: object,
) -> tuple[str, ...]:
    """Set these fields of the queue's `Own` values; the names of those that changed.

    `seen` is what whoever changes them saw before. Whoever calls has checked that `by` may, and
    what the values are. Raises `ChangedMeanwhile`, and then changes nothing.
    """
    with transaction.atomic():
        own_database.take_turn("settings", server_name)
        before = _row(server_name, queue)
        changed = {name: value for name, value in values.items() if getattr(before, name) != value}
        for name in changed.keys() & seen.keys():
            if seen[name] != getattr(before, name):
                raise ChangedMeanwhile(name, getattr(before, name))
        if changed:
            stamp = {"changed_by": by, "changed_at": timezone.now()}
            QueuePreference.objects.update_or_create(
                server=server_name, name=to_wire(queue), defaults=changed | stamp
            )
            for name, value in changed.items():
                _record(server_name, queue, by, name, (getattr(before, name), value))
            _kept.changed(server_name)
    return tuple(changed)


def add(server_name: str, queue: str, by: str) -> bool:
    """Keep a queue in the lists though it may have no key; whether that is new."""
    with transaction.atomic():
        is_new = memory.add(server_name, queue)
        if is_new:
            _record(server_name, queue, by, "added", (False, True))
    return is_new


def drop(server_name: str, queue: str, by: str, has_keys: bool) -> bool:
    """Take back `add`; whether it was added. Without keys it is forgotten at once."""
    with transaction.atomic():
        was_added = memory.drop(server_name, queue, has_keys)
        if was_added:
            _record(server_name, queue, by, "added", (True, False))
    return was_added


def _in_force(queue: str, own: Own) -> QueueSettings:
    pattern = pattern_of(queue)
    max_stalled, max_stalled_from = _value("max_stalled", own, pattern)
    lease_ms, lease_ms_from = _value("lease_ms", own, pattern)
    return QueueSettings(
        max_stalled or MAX_STALLED, lease_ms, own.note, own.hidden, max_stalled_from, lease_ms_from
    )


def _value(name: str, own: Own, pattern: Pattern) -> tuple[int | None, str]:
    """The value in force, and where it comes from."""
    mine = getattr(own, name)
    if mine is not None:
        return mine, OWN
    if name in pattern.values:
        return pattern.values[name], f"pattern {pattern.glob}"
    return _BUILT_IN[name], BUILT_IN


def _row(server_name: str, queue: str) -> Own:
    """What stands in the database now, read within the transaction that changes it."""
    rows = QueuePreference.objects.filter(server=server_name, name=to_wire(queue))
    values = rows.values_list(*_FIELDS).first()
    return Own(*values) if values else Own()


def _record(server: str, queue: str, by: str, what: str, values: tuple[object, object]) -> None:
    before, after = map(_text, values)
    QueueChange.objects.create(
        server=server, name=to_wire(queue), at=timezone.now(), by=by, what=what,
        before=before, after=after,
    )  # fmt: skip


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _read(server_name: str) -> dict[str, Own]:
    rows = QueuePreference.objects.filter(server=server_name)
    return {
        from_wire(bytes(name)): Own(*values) for name, *values in rows.values_list("name", *_FIELDS)
    }


_FIELDS = ("max_stalled", "lease_ms", "note", "hidden")
_kept = Kept("settings", _read)
