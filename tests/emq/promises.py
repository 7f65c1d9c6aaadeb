"""What holds of a queue after every step, told from the keyspace alone."""

from __future__ import annotations

from typing import Any

import msgpack

from tests.emq.keys import Keyspace, Zset

BASE = b"emq:{orders}:"
FLAT = ("pending", "active", "schedule", "dead")


def lanes(keys: Keyspace) -> dict[bytes, Zset]:
    """The waiting jobs of each group."""
    start, end = BASE + b"g:", b":pending"
    return {
        key[len(start) : -len(end)]: value
        for key, value in keys.items()
        if key.startswith(start) and key.endswith(end)
    }


def places(keys: Keyspace) -> dict[bytes, list[tuple[bytes, float]]]:
    """Where each id is: (name of the set or lane, score)."""
    held: dict[bytes, list[tuple[bytes, float]]] = {}
    sets = {name.encode(): keys.get(BASE + name.encode(), {}) for name in FLAT}
    for name, zset in (sets | {b"g:" + group: lane for group, lane in lanes(keys).items()}).items():
        for job, score in zset.items():
            held.setdefault(job, []).append((name, score))
    return {job: sorted(where) for job, where in held.items()}


def row(keys: Keyspace, job: bytes) -> Any:
    return keys.get(BASE + b"job:" + job)


def number(raw: bytes | None) -> int | None:
    """A counter, or `None` when it is no integer."""
    return int(raw) if raw is not None and raw.isdigit() else None


class Watch:
    """Looks at one keyspace after the other and remembers what the next one must respect.

    What was broken by hand is excused: an id whose row was deleted or that was put into a
    second set, a lane whose counters were overwritten or whose job in flight lost its row.
    """

    def __init__(self) -> None:
        self.keys: Keyspace = {}
        self.entries = 0
        self.broken: set[bytes] = set()
        self.lanes_by_hand: set[bytes] = set()

    def by_hand(self, keys: Keyspace) -> None:
        """The keyspace as it is after a change that no script made."""
        self.keys = {k: v if isinstance(v, bytes) else type(v)(v) for k, v in keys.items()}

    def after_step(self, keys: Keyspace, entry: dict[bytes, bytes] | None, entries: int) -> None:
        """Every promise, about the step that led from the last keyspace to this one."""
        self._one_place_and_a_row(keys)
        self._slots_are_leases(keys)
        self._ring_is_the_serviceable_lanes(keys)
        self._attempts_never_fall(keys)
        self._entry_is_what_moved(keys, entry)
        self.keys, self.entries = keys, entries

    def _one_place_and_a_row(self, keys: Keyspace) -> None:
        held = places(keys)
        for job, where in held.items():
            assert job in self.broken or len(where) == 1, (job, where)
            assert job in self.broken or row(keys, job) is not None, (job, where)
        self.broken &= {job for job in held if row(keys, job) is None or len(held[job]) > 1}

    def _slots_are_leases(self, keys: Keyspace) -> None:
        leases: dict[bytes, int] = {}
        for job in keys.get(BASE + b"active", ()):
            fields = row(keys, job)
            group = fields.get(b"group") if isinstance(fields, dict) else None
            if group is not None:
                leases[group] = leases.get(group, 0) + 1
        slots = {group: number(n) for group, n in keys.get(BASE + b"gactive", {}).items()}
        for group in (leases.keys() | slots.keys()) - self.lanes_by_hand:
            assert leases.get(group) == slots.get(group), group

    def _ring_is_the_serviceable_lanes(self, keys: Keyspace) -> None:
        ring = keys.get(BASE + b"ring", [])
        assert len(ring) == len(set(ring)), ring
        serviceable = {group for group in lanes(keys) if self._is_serviceable(keys, group)}
        assert set(ring) - self.lanes_by_hand == serviceable - self.lanes_by_hand

    def _is_serviceable(self, keys: Keyspace, group: bytes) -> bool:
        limit = number(keys.get(BASE + b"glimit", {}).get(group))
        slots = number(keys.get(BASE + b"gactive", {}).get(group)) or 0
        is_paused = group in keys.get(BASE + b"paused", set())
        return not is_paused and (limit is None or slots < limit)

    def _attempts_never_fall(self, keys: Keyspace) -> None:
        for key, before in self.keys.items():
            after = keys.get(key)
            if isinstance(before, dict) and isinstance(after, dict) and b"attempts" in before:
                if number(before[b"attempts"]) is None:
                    assert after[b"attempts"] == before[b"attempts"]
                else:
                    assert int(after[b"attempts"]) >= int(before[b"attempts"]), key

    def _entry_is_what_moved(self, keys: Keyspace, entry: dict[bytes, bytes] | None) -> None:
        if entry is None:
            return
        told = [job[0] for job in msgpack.unpackb(entry[b"jobs"], raw=True)]
        assert len(set(told)) == len(told) or entry[b"op"] == b"obliterate"
        before, after = places(self.keys), places(keys)
        everyone = before.keys() | after.keys() | set(told)
        moved = {
            job
            for job in everyone
            if before.get(job) != after.get(job) or row(self.keys, job) != row(keys, job)
        }
        assert set(told) == moved
        assert self.keys != keys
