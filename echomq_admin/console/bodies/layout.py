"""Values laid out over lines: what JSON and msgpack share once they are tokens.

A token is a pair of text and class. Those without a class are one of `{}[],:`.
"""

from __future__ import annotations

from collections.abc import Iterable

from echomq_admin.console.bodies.pieces import Pen

Token = tuple[str, str]

# A list or object of plain values that is no longer than this stays on one line.
INLINE = 72
_SPACED = {",": ", ", ":": ": "}
# Deeper values are not laid out, and neither are those after so much white space: a text of
# nothing but brackets would grow to a hundred times its length.
DEEPEST = 24
BLANKS = 128_000


def lay_out(tokens: Iterable[Token], pen: Pen) -> None:
    """Draw the tokens, which may end early; what `tokens` raises comes through."""
    page = _Page(pen)
    for token in tokens:
        page.add(token)
    page.spill()


class _Page:
    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._depth = 0
        self._opened = False
        self._blanks = BLANKS
        self._held: list[Token] = []
        self._width = 0

    def add(self, token: Token) -> None:
        """Draw a token, or hold it back as long as it may be part of something short."""
        text, css = token
        if not css and text in "[{":
            self.spill()
            if text == "[" or self._depth:
                self._held, self._width = [token], 0
                return
        if not self._held:
            self._place(text, css)
            return
        self._held.append(token)
        self._width += len(text) + 1
        if not css and text in "]}":
            self._one_line()
        elif self._width > INLINE:
            self.spill()

    def spill(self) -> None:
        """What is held back does not fit on one line, or never ends."""
        held, self._held = self._held, []
        for text, css in held:
            self._place(text, css)

    def _one_line(self) -> None:
        held, self._held = self._held, []
        self._begin()
        for text, css in held:
            self._pen.show(text if css else _SPACED.get(text, text), css)

    def _place(self, text: str, css: str) -> None:
        if css:
            self._begin()
            self._pen.show(text, css)
        elif text in "{[":
            self._begin()
            self._pen.put(text)
            self._depth += 1
            self._opened = True
        elif text in "}]":
            self._end(text)
        elif text == ",":
            self._pen.put(text)
            self._break(self._depth, " ")
        else:
            self._pen.put(_SPACED[text])

    def _begin(self) -> None:
        """Before the first thing in a bracket."""
        if self._opened:
            self._opened = False
            self._break(self._depth, "")

    def _end(self, bracket: str) -> None:
        depth, self._depth = self._depth, self._depth - 1
        if not self._opened:
            self._break(depth, "")
        self._opened = False
        self._pen.put(bracket)

    def _break(self, inside: int, otherwise: str) -> None:
        if inside > DEEPEST or self._blanks <= 0:
            self._pen.put(otherwise)
            return
        self._blanks -= 1 + 2 * self._depth
        self._pen.put("\n" + "  " * self._depth)
