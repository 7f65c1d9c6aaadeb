"""What is read of a sorted set around an edge, and the page that is cut out of it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from .replies import Answer

Member = tuple[float, bytes]


@dataclass(frozen=True)
class Window:
    """Neighbours in ascending order; `base` is the rank of the first."""

    members: list[Member]
    base: int
    at_start: bool
    at_end: bool

    def around(self, edge: Member) -> tuple[int, int]:
        """How many members precede `edge`, and the index of the first that follows it."""
        place = bisect_left(self.members, edge)
        is_here = place < len(self.members) and self.members[place] == edge
        return place, place + is_here

    def room(self, edge: Member) -> int:
        """How many members there are on the shorter side of `edge`; the set's end has room."""
        before, after = self.around(edge)
        boundless = len(self.members)
        return min(
            boundless if self.at_start else before,
            boundless if self.at_end else len(self.members) - after,
        )

    def reversed(self) -> Window:
        return Window(self.members[::-1], self.base, self.at_end, self.at_start)


@dataclass(frozen=True)
class Page:
    """(id, score) of the members in reading order, and the cursors of the neighbouring pages."""

    members: tuple[tuple[bytes, float], ...]
    previous: str | None
    next: str | None


def pairs(answer: Answer) -> list[Member]:
    """The members of an answered range with scores."""
    return [(score, member) for member, score in answer.value or ()]
