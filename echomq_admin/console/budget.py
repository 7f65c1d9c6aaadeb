"""How much the rows of one page may carry in all, so that a page of anything stays small."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

# Characters of HTML. Links come first: 25 of the longest usual ids have room.
LINKS = 150_000
LINES = 60_000
ALL = 230_000
_LEAST = 20_000
# Once the room for lines is used up, every text is cut behind so many characters.
BRIEF = 40


class Budget:
    """What is left for links, form values, lines and whole texts of the rows of a page."""

    def __init__(self, links: Iterable[str] = ()) -> None:
        """`links` are the addresses of all rows; what they leave is for form values."""
        lengths = sum(map(len, links))
        self._links = LINKS
        self._forms = max(0, LINKS - lengths)
        self._lines = LINES
        self._texts = max(_LEAST, ALL - LINES - min(lengths, LINKS))

    def link(self, href: str) -> str:
        """The address, or nothing when there is no room for it."""
        self._links -= len(href)
        return href if self._links >= 0 else ""

    def form(self, value: str, times: int) -> str:
        """A form value that stands so often in its row, or nothing."""
        self._forms -= times * len(value)
        return value if self._forms >= 0 else ""

    def line(self, text: str, times: int = 1) -> bool:
        """Whether a line has room."""
        self._lines -= times * len(escape(text))
        return self._lines >= 0

    def text(self, text: str) -> bool:
        """Whether a whole text has room. One that has none leaves it to smaller ones."""
        cost = len(escape(text))
        if cost > self._texts:
            return False
        self._texts -= cost
        return True
