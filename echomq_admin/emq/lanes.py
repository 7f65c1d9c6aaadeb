"""Lanes: how deep they are, and whether the ring serves each, or why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .keyspace import Keyspace, to_wire
from .replies import Answer, Batch, integer

# How much of the ring one read looks at. What a longer one holds behind it stays unknown.
RING_LOOK = 1_000

COUNTERS = ("gactive", "glimit", "gweight")
TOO_LONG = "what it holds is too long for counters or names of lanes"

Rota = Literal["on ring", "empty", "paused", "at limit", "off ring", "needless", "twice", "?"]


@dataclass(frozen=True)
class LaneState:
    """One lane. Numbers are `None` when they cannot be read; `limit` and `weight` also when
    there is none.

    `rota` says where it stands: "on ring" is served; "empty", "paused" and "at limit" rightly wait
    outside; "off ring" should be served and is not; "needless" is on the ring and should not be;
    "twice" is on the ring more than once; "?" could not be read. `fault` says what could not,
    by the names of the keys.
    """

    group: str
    depth: int | None
    in_flight: int | None
    limit: int | None
    weight: int | None
    paused: bool | None
    rota: Rota
    fault: str | None = None


class Lanes:
    """Some lanes of one queue: five commands and one for each lane, in one round trip.

    `ring_look` is how much of the ring is read; the hashes and the ring are not when they are
    named in `too_long`, and of a hash that is not in `fields` nothing is told.
    """

    def __init__(
        self,
        keys: Keyspace,
        groups: Sequence[str],
        batch: Batch,
        ring_look: int = RING_LOOK,
        too_long: Collection[str] = (),
        fields: Collection[str] = COUNTERS,
    ) -> None:
        self._groups, self._ring_look = groups, ring_look
        names = [to_wire(group) for group in groups]
        self._depths = [batch.ask("zcard", keys.lane(group)) for group in groups]
        is_read = "ring" not in too_long
        self._ring = batch.ask("lrange", keys.ring, 0, ring_look - 1) if is_read else _too_long()
        self._fields: dict[str, Answer] = {}
        self._paused = Answer()
        if names:
            for name, key in counters(keys).items():
                if name not in fields:
                    continue
                is_read = name not in too_long
                self._fields[name] = batch.ask("hmget", key, names) if is_read else _too_long()
            self._paused = batch.ask("smismember", keys.paused, names)

    def states(self) -> tuple[LaneState, ...]:
        """One record a lane, in the order given, once the batch has run."""
        return tuple(self._state(place, group) for place, group in enumerate(self._groups))

    def _state(self, place: int, group: str) -> LaneState:
        depth = self._depths[place]
        in_flight = self._number("gactive", place)
        return LaneState(
            group=group,
            depth=None if depth.fault else int(depth.value),
            in_flight=0 if self._is_absent("gactive", place) else in_flight,
            limit=self._number("glimit", place),
            weight=self._number("gweight", place),
            paused=None if self._paused.fault else bool(self._paused.value[place]),
            rota=self._rota(place, group),
            fault="; ".join(self._faults(place)) or None,
        )

    def _is_absent(self, name: str, place: int) -> bool:
        answer = self._fields.get(name)
        return answer is None or (not answer.fault and answer.value[place] is None)

    def _number(self, name: str, place: int) -> int | None:
        answer = self._fields.get(name)
        raw = None if answer is None or answer.fault else answer.value[place]
        return None if raw is None else integer(raw)

    def _faults(self, place: int) -> Iterator[str]:
        answers = {
            "the lane": self._depths[place],
            "ring": self._ring,
            "paused": self._paused,
            **self._fields,
        }
        yield from (f"{name}: {answer.fault}" for name, answer in answers.items() if answer.fault)
        for name, taken_as in _UNREADABLE.items():
            if not self._is_absent(name, place) and not self._fields[name].fault:
                is_odd = self._number(name, place) is None
                yield from (f"{name} holds no integer here: {taken_as}",) if is_odd else ()

    @cached_property
    def _places(self) -> Counter[bytes]:
        return Counter(self._ring.value)

    def _rota(self, place: int, group: str) -> Rota:
        told = (self._depths[place], self._ring, self._paused)
        if any(answer.fault for answer in (*told, self._fields["gactive"], self._fields["glimit"])):
            return "?"
        times, idle = self._places[to_wire(group)], self._idle(place)
        if times > 1:
            return "twice"
        if times:
            return "needless" if idle else "on ring"
        if idle:
            return idle
        return "?" if len(self._ring.value) == self._ring_look else "off ring"

    def _idle(self, place: int) -> Rota | None:
        """Why the lane cannot be served, or `None`. Judged as the scripts do: a limit that is no
        integer is none, a number in flight that is none counts as 0."""
        if not self._depths[place].value:
            return "empty"
        if self._paused.value[place]:
            return "paused"
        limit, in_flight = self._number("glimit", place), self._number("gactive", place) or 0
        return "at limit" if limit is not None and in_flight >= limit else None


def counters(keys: Keyspace) -> dict[str, bytes]:
    """The hashes of a number a lane, by their names."""
    return dict(zip(COUNTERS, (keys.gactive, keys.glimit, keys.gweight), strict=True))


def _too_long() -> Answer:
    answer = Answer()
    answer.fault = TOO_LONG
    return answer


_UNREADABLE = {
    "gactive": "taken as none in flight",
    "glimit": "taken as no limit",
    "gweight": "taken as no weight",
}
