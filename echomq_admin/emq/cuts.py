"""Cutting a sorted set into pages that start behind a member, never at an offset.

Where all scores are equal, the order is that of the ids, and the server cuts by id. Where they
are not, the order is (score, id), and the edge's place is looked for in two bounded windows:
around the rank it had, and from its score on. When it moved further than that since the last
page, one more round trip asks around the rank it has now.

A page can also open at an instant: that is an edge which no member is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from . import ids
from .cursors import LONGEST_EDGE, At, Cursor, Order, decode
from .keyspace import from_wire
from .replies import Answer, Batch
from .windows import Member, Page, Window, pairs

# How far an edge may move between two pages and still be found in the first round trip.
DRIFT = 200
# Longer ids may drift less, so that the windows stay as small, bytes.
_USUAL_ID = 128


class Cut:
    """One page of one sorted set.

    Call `ask`, run the batch, and unless it `is_settled` then, `ask_again` and run another.
    With `by_score` the set is one whose scores differ by nature. A cursor goes before `at`.
    """

    def __init__(
        self,
        key: bytes,
        limit: int,
        cursor: str,
        *,
        descending: bool,
        by_score: bool,
        at: At | None = None,
    ) -> None:
        self._key = key
        self._limit = limit
        self._descending = descending
        self._by_score = by_score
        self._cursor = decode(cursor)
        self._at = at if self._cursor is None else None
        self._windows: list[Callable[[], Window]] = []
        self._asked: list[Answer] = []

    def ask(self, batch: Batch) -> None:
        """The size, both ends where they tell the order, and the members around the cursor."""
        self._card = self._put(batch, "zcard", self._key)
        if not self._by_score:
            self._first = self._put(batch, "zrange", self._key, 0, 0, withscores=True)
            self._last = self._put(batch, "zrange", self._key, -1, -1, withscores=True)
        if self._cursor is None:
            self._ask_unplaced(batch)
            return
        if self._cursor.is_hashed:
            self._ask_ranks(batch, self._cursor.rank, self._limit + 2)
            return
        self._rank = self._put(batch, "zrank", self._key, self._cursor.member)
        if self._by_score or self._cursor.order == "score":
            self._ask_scores(batch, self._cursor, self._cursor.rank)
        else:
            self._windows = [self._by_id(batch, self._cursor.member)]

    @property
    def is_settled(self) -> bool:
        """Whether `page` is known; if not, `ask_again` and another round trip make it so."""
        edge = self._edge
        if edge is None or not self.total:
            return True
        if self._at is not None:
            return self._at == self.opened_at
        if edge.is_hashed:
            return bool(self._best().members)
        if edge.order == "id" and not self._by_score:
            return self._is_uniform
        return self._best().room(self._place(edge)) > self._limit

    def ask_again(self, batch: Batch) -> None:
        """The members around where the edge is now."""
        edge = self._edge
        assert edge is not None
        self._at = self.opened_at
        if edge.is_hashed:
            self._ask_ranks(batch, self.total or 0, self._limit + 2)
        elif self.order == "id":
            self._windows = [self._by_id(batch, edge.member)]
        else:
            rank = edge.rank if self._rank.value is None else self._rank.value
            self._ask_scores(batch, edge, min(rank, self.total or 0))

    @property
    def fault(self) -> str | None:
        """Why the set cannot be read; without a right even one of its commands is missing."""
        return next((answer.fault for answer in self._asked if answer.fault), None)

    @property
    def total(self) -> int | None:
        """How many members the set has; `None` when it is none."""
        return None if self.fault else int(self._card.value)

    @property
    def order(self) -> Order:
        return "score" if self._by_score or not self._is_uniform else "id"

    @property
    def has_long_ids(self) -> bool:
        """Whether an id longer than a cursor holds was met."""
        seen = [window() for window in self._windows]
        seen += [self._top()] if self._cursor is None else []
        return any(len(member) > LONGEST_EDGE for one in seen for _, member in one.members)

    @property
    def namespaces(self) -> tuple[str, ...]:
        """Those of the first and the last id, once each, as far as they have one."""
        if self._by_score:
            return ()
        ends = [*(self._first.value or ()), *(self._last.value or ())]
        found = [ids.parse(from_wire(member)) for member, _ in ends]
        return tuple(dict.fromkeys(branded.namespace for branded in found if branded))

    @property
    def opened_at(self) -> At | None:
        """The instant at which the page opens; `None` for none, or where no id tells the time.

        When the set holds no id of the namespace asked for, it is that of the first id that has
        one, or else of the last.
        """
        at = self._at
        if at is None or self._by_score:
            return at
        if not self._is_uniform:
            return None
        prefix = at.namespace.encode()
        near = (member for window in self._windows for _, member in window().members)
        if any(member.startswith(prefix) for member in near):
            return at
        return next((replace(at, namespace=other) for other in self.namespaces), None)

    @property
    def page(self) -> Page:
        """The page behind the edge, or else the nearest that has rows."""
        window = self._best()
        if not window.members:
            return Page((), None, None)
        start, stop = self._bounds(window)
        if self._descending:
            window = window.reversed()
        has_previous = start > 0 or not window.at_start
        has_next = stop < len(window.members) or not window.at_end
        return Page(
            tuple((member, score) for score, member in window.members[start:stop]),
            self._edge_at(window, start, back=True) if has_previous else None,
            self._edge_at(window, stop - 1, back=False) if has_next else None,
        )

    def _bounds(self, window: Window) -> tuple[int, int]:
        """Where the page begins and ends within the window, in reading order."""
        size, limit, edge = len(window.members), self._limit, self._edge
        if edge is None:
            return 0, min(limit, size)
        before, after = self._around(window, edge)
        at_first = window.at_start
        if self._descending:
            before, after, at_first = size - after, size - before, window.at_end
        if edge.back:
            start = max(0, before - limit)
            return start, min(limit, size) if start == 0 and at_first else before
        return (after, min(after + limit, size)) if after < size else (max(0, size - limit), size)

    def _around(self, window: Window, edge: Cursor) -> tuple[int, int]:
        """Where the edge lies in a window; a hashed one that has gone is where it was by rank."""
        if not edge.is_hashed:
            return window.around(self._place(edge))
        found = (at for at, (_, member) in enumerate(window.members) if edge.names(member))
        place = next(found, None)
        if place is not None:
            return place, place + 1
        orders = [edge.order_of(*one) for one in window.members]
        before, upto = orders.count(-1), len(orders) - orders.count(1)
        place = min(max(before, edge.rank - window.base), upto)
        return place, place

    def _edge_at(self, window: Window, index: int, *, back: bool) -> str:
        score, member = window.members[index]
        place = len(window.members) - 1 - index if self._descending else index
        edge = Cursor(self.order, back, score, window.base + place, member)
        return (edge.hashed() if self._is_long(window, member) else edge).encode()

    def _is_long(self, window: Window, member: bytes) -> bool:
        """Whether a cursor holds the hash of a member: then its page fetches few neighbours.

        Scores make it look for the place among many, which must not be long either.
        """
        longest = max(len(found) for _, found in window.members)
        return (longest if self.order == "score" else len(member)) > LONGEST_EDGE

    @property
    def _is_uniform(self) -> bool:
        first, last = self._first.value, self._last.value
        return not (first and last) or first[0][1] == last[0][1]

    def _place(self, cursor: Cursor) -> Member:
        score = self._score if self.order == "id" else cursor.score
        return score, cursor.member

    @property
    def _score(self) -> float:
        return float(self._first.value[0][1]) if self._first.value else 0.0

    def _best(self) -> Window:
        edge = self._edge
        if edge is None:
            return self._top()
        windows = [window() for window in self._windows]
        if edge.is_hashed:
            return windows[0]
        return max(windows, key=lambda window: window.room(self._place(edge)))

    @property
    def _edge(self) -> Cursor | None:
        """What the page lies behind; `None` for the first page."""
        at = self.opened_at
        return at.edge(self.order, self._descending) if at else self._cursor

    def _ask_unplaced(self, batch: Batch) -> None:
        """The first page, and what lies around the instant to open at."""
        start, stop = (-self._limit - 1, -1) if self._descending else (0, self._limit)
        self._top = self._by_rank(batch, start, stop)
        if self._at is None:
            return
        if self._by_score:
            edge = self._at.edge("score", self._descending)
            self._windows = [self._from_score(batch, edge.score, self._limit + 2)]
        else:
            edge = self._at.edge("id", self._descending)
            self._windows = [self._by_id(batch, edge.member)]

    def _put(self, batch: Batch, command: str, *args: object, **options: object) -> Answer:
        answer = batch.ask(command, *args, **options)
        self._asked.append(answer)
        return answer

    def _ask_scores(self, batch: Batch, edge: Cursor, rank: int) -> None:
        reach = self._limit + 2 + DRIFT * _USUAL_ID // max(_USUAL_ID, len(edge.member))
        self._ask_ranks(batch, rank, reach)
        self._windows.append(self._from_score(batch, edge.score, reach))

    def _ask_ranks(self, batch: Batch, rank: int, reach: int) -> None:
        self._windows = [self._by_rank(batch, max(0, rank - reach), rank + reach)]

    def _by_rank(self, batch: Batch, start: int, stop: int) -> Callable[[], Window]:
        """Members `start` to `stop`; a negative start counts from the end."""
        answer = self._put(batch, "zrange", self._key, start, stop, withscores=True)

        def window() -> Window:
            members = pairs(answer)
            is_short = len(members) <= stop - start
            if start >= 0:
                return Window(members, start, start == 0, is_short)
            return Window(members, max(0, (self.total or 0) - len(members)), is_short, True)

        return window

    def _from_score(self, batch: Batch, score: float, reach: int) -> Callable[[], Window]:
        """A page's worth of members below a score, and `reach` from it on."""
        edge, margin = repr(score), self._limit + 2
        rank = self._put(batch, "zcount", self._key, "-inf", f"({edge}")
        below = self._put(
            batch, "zrevrangebyscore", self._key, f"({edge}", "-inf", 0, margin, withscores=True
        )
        on = self._put(batch, "zrangebyscore", self._key, edge, "+inf", 0, reach, withscores=True)

        def window() -> Window:
            lower, upper = pairs(below)[::-1], pairs(on)
            base = max(0, int(rank.value or 0) - len(lower))
            return Window(lower + upper, base, len(lower) < margin, len(upper) < reach)

        return window

    def _by_id(self, batch: Batch, member: bytes) -> Callable[[], Window]:
        """A page's worth of ids up to one, and behind it."""
        margin = self._limit + 2
        rank = self._put(batch, "zlexcount", self._key, "-", b"[" + member)
        upto = self._put(batch, "zrevrangebylex", self._key, b"[" + member, "-", 0, margin)
        behind = self._put(batch, "zrangebylex", self._key, b"(" + member, "+", 0, margin)

        def window() -> Window:
            lower, upper = (upto.value or [])[::-1], behind.value or []
            members = [(self._score, found) for found in lower + upper]
            base = max(0, int(rank.value or 0) - len(lower))
            return Window(members, base, len(lower) < margin, len(upper) < margin)

        return window
