"""Text in pieces of a few classes, for a template to colour: bounded whatever the text is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

# So many pieces have a class; what comes later is drawn plain, in one piece.
COLOURED = 2_000

KEY, STRING, VALUE, BYTES = "body-k", "body-s", "body-v", "body-b"
# What stands for something that cannot be printed, and what is only scaffolding.
ESCAPE, QUIET = "body-x", "body-q"


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
        """Text of the wire: line feeds and tabs stay, what else is not printable is escaped."""
        if text.isprintable():
            self.put(text, css)
            return
        for stays, chars in groupby(text, _stays):
            if stays:
                self.put("".join(chars), css)
            else:
                self.put("".join(map(self._escape, chars)), ESCAPE)

    def pieces(self) -> tuple[Piece, ...]:
        self._close()
        return tuple(self._pieces)

    def _close(self) -> None:
        if self._run:
            self._pieces.append(Piece("".join(self._run), self._css))
            self._run = []


def _stays(char: str) -> bool:
    return char.isprintable() or char in "\n\t"
