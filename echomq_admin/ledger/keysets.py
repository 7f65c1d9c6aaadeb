"""Rows in the order of time, cut by time and id: one condition drives by its index, and what
it does not answer is looked through within a window. Nothing here knows what the rows are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Protocol

from django.db.models import BigIntegerField, F, Func, Q, QuerySet
from django.db.models.lookups import Exact

# The time and the id of a row, by which rows are ordered.
Key = tuple[int, int]
# Which of some keys a page has room for, at least one, and whether any were left out.
Fits = Callable[[Sequence[Key]], tuple[list[Key], bool]]
_FAR_MS = 2**62
_CURSOR = re.compile(r"([on])(-?[0-9]{1,18})\.([0-9]{1,18})\Z")


@dataclass(frozen=True)
class Driver:
    """A condition that an index answers in the order of time: a queryset, which conditions it
    `covers`, the names of time and id in it, and what stands there before the fields of a row."""

    rows: QuerySet
    covers: frozenset[str] = frozenset()
    time: str = "at_ms"
    key: str = "id"
    prefix: str = ""


@dataclass(frozen=True)
class Sieve:
    """A driver in its bounds of time, and the `rest` that each of its rows must pass."""

    driver: Driver
    rest: Q | None

    @property
    def has_rest(self) -> bool:
        return self.rest is not None

    def total(self, most: int) -> int | None:
        """How many rows pass, at most one above `most`; `None` when it takes looking at each."""
        return None if self.has_rest else self.driver.rows[: most + 1].count()

    def edge(self, start: Key | None, *, newer: bool, far: int) -> Key | None:
        """The key of the row that is `far` rows away from `start`, `None` when there is none."""
        found = self._from(start, newer)[far - 1 : far]
        return next(iter(self._keys(found)), None)

    def keys(self, start: Key | None, edge: Key | None, *, newer: bool, most: int) -> list[Key]:
        """At most `most` keys behind `start`, up to `edge`, in the order walked."""
        rows = self.rows(start, edge, newer=newer)[:most]
        return list(dict.fromkeys(self._keys(rows)))

    def rows(self, start: Key | None, edge: Key | None, *, newer: bool) -> QuerySet:
        """What passes behind `start`, up to `edge`, in the order walked."""
        rows = self._from(start, newer)
        if edge:
            at_edge = Q(**{self.driver.time: edge[0], self.driver.key: edge[1]})
            rows = rows.filter(
                self._reach(edge, not newer), self._beside(edge, not newer) | at_edge
            )
        return rows if self.rest is None else rows.filter(self.rest)

    def _from(self, start: Key | None, newer: bool) -> QuerySet:
        sign = "" if newer else "-"
        rows = self.driver.rows.order_by(f"{sign}{self.driver.time}", f"{sign}{self.driver.key}")
        if start is None:
            return rows
        return rows.filter(self._reach(start, newer), self._beside(start, newer))

    def _reach(self, key: Key, newer: bool) -> Q:
        """The bound on the time alone, which is what an index can use."""
        return Q(**{f"{self.driver.time}__{'gte' if newer else 'lte'}": key[0]})

    def _beside(self, key: Key, newer: bool) -> Q:
        way, time = "gt" if newer else "lt", self.driver.time
        at_once = Q(**{time: key[0], f"{self.driver.key}__{way}": key[1]})
        return Q(**{f"{time}__{way}": key[0]}) | at_once

    def _keys(self, rows: QuerySet) -> list[Key]:
        return list(rows.values_list(self.driver.time, self.driver.key))


def narrowest(drivers: list[Driver], window: int) -> Driver:
    """The driver of the fewest rows, counted up to `window`; the first of equal ones."""
    # What is told by its first rows needs no count.
    return drivers[0] if len(drivers) == 1 else min(drivers, key=lambda one: _size(one, window))


def _size(driver: Driver, window: int) -> int:
    return driver.rows[: window + 1].count()


@dataclass(frozen=True)
class Cut:
    """Keys of a page, newest first, with the cursors of the pages beside it, `None` at an end.

    `reached_ms` is set when a window was looked through without filling the page: how far it
    has looked, and the cursor goes on there. The page covers the times from `since_ms` (excluded)
    to `until_ms` (included), `None` for no end.
    """

    keys: list[Key]
    previous: str | None
    next: str | None
    since_ms: int | None = None
    until_ms: int | None = None
    reached_ms: int | None = None


@dataclass(frozen=True)
class _Walked:
    """Keys in the order walked; `is_more` behind them, `edge` where the window ended."""

    keys: list[Key]
    is_more: bool
    edge: Key | None


def _all_fit(keys: Sequence[Key]) -> tuple[list[Key], bool]:
    return list(keys), False


def cut(sifted: Sieve, rows: int, cursor: str, window: int, fits: Fits = _all_fit) -> Cut:
    """At most `rows` keys from `cursor` on; fewer where `fits` leaves some out.

    A cursor that is none of ours means the newest, as does one of a page with nothing newer.
    """
    way, start = read_cursor(cursor)
    if way == "n":
        newer = _newer(sifted, rows, start, window, fits)
        if newer:
            return newer
        start = None
    return _older(sifted, rows, start, window, fits)


def _older(sifted: Sieve, rows: int, start: Key | None, window: int, fits: Fits) -> Cut:
    walked = _walk(sifted, rows, start, window, newer=False)
    kept, is_cut = fits(walked.keys)
    last = kept[-1] if kept and (is_cut or walked.is_more) else walked.edge
    first = kept[0] if kept else start
    return Cut(
        keys=kept,
        previous=cursor_of("n", first) if start else None,
        next=cursor_of("o", last),
        since_ms=last[0] if last else None,
        until_ms=start[0] if start else None,
        reached_ms=walked.edge[0] if walked.edge and last is walked.edge else None,
    )


def _newer(sifted: Sieve, rows: int, start: Key | None, window: int, fits: Fits) -> Cut | None:
    """The page before a key, or `None` when that is the newest."""
    walked = _walk(sifted, rows, start, window, newer=True)
    kept, is_cut = fits(walked.keys)
    if not (is_cut or walked.is_more or walked.edge):
        return None
    first = kept[-1] if kept and (is_cut or walked.is_more) else walked.edge
    last = kept[0] if kept else start
    return Cut(
        keys=kept[::-1],
        previous=cursor_of("n", first),
        next=cursor_of("o", last),
        since_ms=last[0] if last else None,
        until_ms=first[0] if first else None,
        reached_ms=walked.edge[0] if walked.edge and first is walked.edge else None,
    )


def _walk(sifted: Sieve, rows: int, start: Key | None, window: int, *, newer: bool) -> _Walked:
    edge = sifted.edge(start, newer=newer, far=window) if sifted.has_rest else None
    keys = sifted.keys(start, edge, newer=newer, most=rows + 1)
    is_more = len(keys) > rows
    return _Walked(keys[:rows], is_more, None if is_more else edge)


def cursor_of(way: str, key: Key | None) -> str | None:
    """The text of an address for what is older than a key ("o") or newer ("n")."""
    return f"{way}{key[0]}.{key[1]}" if key else None


def read_cursor(text: str) -> tuple[str, Key | None]:
    """The way and the key of such a text, empty and `None` for one that is none of ours."""
    found = _CURSOR.match(text)
    return (found[1], (int(found[2]), int(found[3]))) if found else ("", None)


def bounded(ms: int | None) -> int | None:
    """A time that a database can compare with; far beyond all times that there are, the last."""
    return None if ms is None else min(max(ms, -_FAR_MS), _FAR_MS)


def during(time: str, since_ms: int | None, until_ms: int | None) -> Q:
    """The rows from one time (included) to another (not included), each `None` for no bound."""
    since = Q() if since_ms is None else Q(**{f"{time}__gte": since_ms})
    return since if until_ms is None else since & Q(**{f"{time}__lt": until_ms})


class Covers(Protocol):
    """The times of a page, as those of a `Cut`."""

    @property
    def since_ms(self) -> int | None: ...

    @property
    def until_ms(self) -> int | None: ...


def is_within(ms: int, wanted: tuple[int | None, int | None], found: Covers) -> bool:
    """Whether a time lies on a page, and between the two that were asked for."""
    far = 2**63
    on_page = _or(found.since_ms, -far) < ms <= _or(found.until_ms, far)
    return on_page and _or(wanted[0], -far) <= ms < _or(wanted[1], far)


def _or(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


def row_by_row(**values: str | bytes) -> Q:
    """Columns that have these values, with no index taken for them: one for another condition is
    the better one, which the database cannot know."""
    return reduce(and_, (same(name, value) for name, value in values.items()))


def same(name: str, value: str | bytes) -> Q:
    """One such column, text or bytes."""
    return Q(Exact(_Unindexed(F(name)), value))


def number(name: str) -> Func:
    """A column of numbers, to be compared in the same way."""
    return _UnindexedNumber(F(name), output_field=BigIntegerField())


class _UnindexedNumber(Func):
    """A column that the database compares row by row: a plus in front keeps its index out."""

    template = "(+%(expressions)s)"


class _Unindexed(_UnindexedNumber):
    """The same of text or bytes, with nothing behind it where a plus is for numbers."""

    def as_postgresql(self, compiler, connection, **more):
        return self.as_sql(compiler, connection, template="(%(expressions)s || '')", **more)
