"""Text in pieces of a few classes, for a template to colour: bounded whatever the text is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from echomq_admin.fleet.names import has_no_ink

# So many pieces have a class; what comes later is drawn plain, in one piece.
COLOURED = 2_000

KEY, STRING, VALUE, BYTES = "body-k", "body-s", "body-v", "body-b"
# What stands for something that cannot be printed, what is only scaffolding, and tabs.
ESCAPE, QUIET, TAB = "body-x", "body-q", "body-t"


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of one class; `css` is empty for plain text."""

    text: str
    css: str = ""


class Pen:
    """Writes pieces. Neighbours of one class become one; `escape` draws what cannot be printed."""

    def __init__(self, escape: Callable[[str], str]) -> None:
        self._escape = escape
        self._pieces: list[Piece] = []
        self._run: list[str] = []
        self._css = ""
        self._coloured = 0

    def put(self, text: str, css: str = "") -> None:
        """Text that is known to be printable."""
        if css and self._coloured >= COLOURED:
            css = ""
        if css != self._css:
            self._close()
            self._css = css
            self._coloured += bool(css)
        self._run.append(text)

    def show(self, text: str, css: str = "") -> None:
        """Text of the wire: line feeds and tabs stay, what else leaves no ink is escaped."""
        if not has_no_ink(text):
            self.put(text, css)
            return
        for drawn, chars in groupby(text, _drawn):
            if drawn == ESCAPE:
                self.put("".join(map(self._escape, chars)), ESCAPE)
            else:
                self.put("".join(chars), drawn or css)

    def pieces(self) -> tuple[Piece, ...]:
        self._close()
        return tuple(self._pieces)

    def _close(self) -> None:
        if self._run:
            self._pieces.append(Piece("".join(self._run), self._css))
            self._run = []


def _drawn(char: str) -> str:
    """The class that a character of the wire has for itself, if any."""
    if char == "\t":
        return TAB
    return ESCAPE if char != "\n" and has_no_ink(char) else ""
