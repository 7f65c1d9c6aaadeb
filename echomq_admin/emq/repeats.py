"""Repeatables: what a queue makes again and again, by when it is made next."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import redis

from .cuts import Cut
from .keyspace import Keyspace, from_wire
from .pages import at_most
from .replies import Answer, Batch, integer, now_ms
from .rows import SHORT, Text

# Longer fields are not read in a list.
_LIMITS = {"every_ms": 32, "template": SHORT}
# The first instant that no calendar of this console holds.
_LATEST_MS = 253_402_300_800_000


@dataclass(frozen=True)
class Repeatable:
    """One repeatable. `next_ms` is when it runs next, `None` when its score is no time;
    `every_ms` its period, `None` when unknown; `fault` says what is wrong with it."""

    name: str
    next_ms: float | None
    score: float
    every_ms: int | None
    template: Text | None
    fault: str | None = None


@dataclass(frozen=True)
class RepeatPage:
    """Repeatables by (next run, name); `previous` and `next` are cursors or `None`.

    `total` is `None` and `fault` says why when the key cannot be read.
    """

    now_ms: int
    total: int | None
    repeats: tuple[Repeatable, ...]
    previous: str | None
    next: str | None
    fault: str | None = None


def repeat_page(client: redis.Redis, queue: str, limit: int = 25, cursor: str = "") -> RepeatPage:
    """The repeatables of a queue, the next one due first.

    `limit` is brought into 1 to 100; a cursor that is none opens the first page. At most three
    round trips; when the page itself takes the second, the rows come without their texts.
    """
    keys = Keyspace(queue)
    cut = Cut(keys.repeat, at_most(limit), cursor, descending=False, by_score=True)
    first, second, third = Batch(client), Batch(client), Batch(client)
    time = first.ask("time")
    cut.ask(first)
    first.run()
    if cut.is_settled:
        rows = [_Row(keys, *member, second) for member in cut.page.members]
        second.run()
        for row in rows:
            row.ask_texts(third)
    else:
        cut.ask_again(second)
        second.run()
        rows = [_Row(keys, *member, third) for member in cut.page.members]
    third.run()
    page, repeats = cut.page, tuple(row.repeatable() for row in rows)
    return RepeatPage(now_ms(time), cut.total, repeats, page.previous, page.next, cut.fault)


class _Row:
    """What is asked of one hash: the lengths of its fields, then those that are short."""

    def __init__(self, keys: Keyspace, member: bytes, score: float, batch: Batch) -> None:
        self._name, self._score = from_wire(member), score
        self._key = keys.repeatable(self._name)
        self._fields = batch.ask("hlen", self._key)
        self._has_template = batch.ask("hexists", self._key, "template")
        self._lengths = {name: batch.ask("hstrlen", self._key, name) for name in _LIMITS}
        self._bodies: dict[str, Answer] = {}

    def ask_texts(self, batch: Batch) -> None:
        """The fields that are short enough for a list."""
        self._bodies = {
            name: batch.ask("hget", self._key, name)
            for name, length in self._lengths.items()
            if not length.fault and length.value <= _LIMITS[name]
        }

    def repeatable(self) -> Repeatable:
        return Repeatable(
            name=self._name,
            next_ms=self._score if _is_time(self._score) else None,
            score=self._score,
            every_ms=self._every_ms,
            template=self._template(),
            fault="; ".join(self._faults()) or None,
        )

    def _faults(self) -> Iterator[str]:
        if not _is_time(self._score):
            yield "its next run is no time"
        if self._fields.fault:
            yield f"its hash cannot be read: {self._fields.fault}"
        elif not self._fields.value:
            yield "its hash is missing"
        else:
            yield from self._faults_of_fields()

    def _faults_of_fields(self) -> Iterator[str]:
        length = int(self._lengths["every_ms"].value)
        is_read = "every_ms" in self._bodies or length > _LIMITS["every_ms"]
        if is_read and self._every_ms is None:
            yield "every_ms is no whole number above 0" if length else "every_ms is missing"
        if not self._has_template.value:
            yield "the template is missing"

    @property
    def _every_ms(self) -> int | None:
        body = self._bodies.get("every_ms")
        period = integer(body.value) if body and body.value is not None else None
        return period if period and period > 0 else None

    def _template(self) -> Text | None:
        length, body = self._lengths["template"], self._bodies.get("template")
        if not self._has_template.value or length.fault:
            return None
        return Text(int(length.value), None if body is None or body.fault else body.value)


def _is_time(score: float) -> bool:
    return math.isfinite(score) and 0 <= score < _LATEST_MS
