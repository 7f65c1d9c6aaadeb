"""A field of any bytes as a person reads it: JSON, text, msgpack or bytes, in pieces to draw.

Only the first bytes are looked at, however many there are. In that order: what is JSON is laid
out, what is UTF-8 is text, what is one msgpack value is decoded, what is nearly UTF-8 is text with
escapes, the rest is a dump.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString

from echomq_admin.console import payloads
from echomq_admin.console.bodies import hexes, jsontext, packed
from echomq_admin.console.bodies.layout import lay_out
from echomq_admin.console.bodies.pieces import Pen, Piece
from echomq_admin.console.payloads import size_exactly

MOST = 64_000
# Markup of a body: what would be more is drawn from fewer bytes.
WIDEST = 200_000
# More characters than this scroll in a box; a line end counts as forty.
LONG = 2_000
_KNOWN = "known by its first bytes; shown as bytes, not unpacked"
_BARE = {
    "null": "nothing but null",
    '""': "an empty string",
    "[]": "an empty list",
    "{}": "an empty object",
}


@dataclass(frozen=True, slots=True)
class Body:
    """A field ready for `_body.html`.

    `kind` is `JSON`, `text`, `msgpack`, `damaged text`, `bytes` or what those are known for;
    `empty` for none and `absent` for no field. `size` is the exact size in words; `cut` says how
    much of it is drawn, empty for all of it; `note` is a remark on what the kind does not say.
    """

    kind: str
    size: str = ""
    pieces: tuple[Piece, ...] = ()
    cut: str = ""
    note: str = ""
    is_dump: bool = False

    @property
    def is_long(self) -> bool:
        """Whether it scrolls in a box of its own."""
        return sum(len(piece.text) + 40 * piece.text.count("\n") for piece in self.pieces) > LONG

    @property
    def label(self) -> str:
        """Kind and size: `JSON, 214 bytes`."""
        return f"{self.kind}, {self.size}" if self.size else self.kind

    @property
    def text(self) -> str:
        """What is drawn, without its colours."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def drawn(self) -> SafeString:
        """The pieces as HTML, escaped here: a template takes ten times as long over so many."""
        return SafeString("".join(map(_drawn, self.pieces)))


def _drawn(piece: Piece) -> str:
    # It stands between tags, where a quote is a quote.
    text = html.escape(piece.text, quote=False)
    return f'<span class="{piece.css}">{text}</span>' if piece.css else text


def body(raw: bytes | None, most: int = MOST) -> Body:
    """The first `most` bytes of a field, or fewer, whatever they are; never raises."""
    found = _body(raw, most)
    while (width := len(found.drawn)) > WIDEST:
        most = min(most, len(raw or b"")) * WIDEST // (width + width // 8)
        found = _body(raw, most)
    return found


def _body(raw: bytes | None, most: int) -> Body:
    if raw is None:
        return Body("absent", note="there is no such field")
    if not raw:
        return Body("empty", size_exactly(0), note="the field is there, with nothing in it")
    head = _Head(raw[:most], len(raw))
    text = payloads.as_text(head.raw, head.is_cut)
    if text is not None:
        return _json(head, text) or _text(head, text)
    return _known(head) or _msgpack(head) or _damaged(head) or _dump(head, "bytes")


@dataclass(frozen=True, slots=True)
class _Head:
    """The bytes that are looked at, and how many there are."""

    raw: bytes
    size: int

    @property
    def is_cut(self) -> bool:
        return len(self.raw) < self.size

    def body(self, kind: str, pen: Pen, note: str = "", shown: int = 0) -> Body:
        shown = shown or len(self.raw)
        cut = f"first {shown:,} of {size_exactly(self.size)}" if shown < self.size else ""
        return Body(kind, size_exactly(self.size), pen.pieces(), cut, note)


def _json(head: _Head, text: str) -> Body | None:
    if text.isspace():
        return None
    pen = Pen(jsontext.escape)
    try:
        lay_out(jsontext.tokens(text, head.is_cut), pen)
    except jsontext.NotJson:
        return None
    return head.body("JSON", pen, _BARE.get(text.strip(), ""))


def _text(head: _Head, text: str, damage: str = "", kind: str = "text") -> Body:
    pen = Pen(payloads.escape)
    pairs, ends = text.count("\r\n"), text.count("\n")
    pen.show(text.replace("\r\n", "\n") if pairs == ends else text)
    notes = (damage, _lines(text), _returns(pairs, ends))
    return head.body(kind, pen, "; ".join(filter(None, notes)))


def _lines(text: str) -> str:
    if not text.strip():
        return "white space only"
    lines = text.count("\n") + (not text.endswith("\n"))
    return f"{lines:,} lines" if lines > 1 else ""


def _returns(pairs: int, ends: int) -> str:
    """How lines end, when not all by a line feed alone."""
    if not pairs:
        return ""
    return "lines end in CR LF" if pairs == ends else f"{pairs:,} of {ends:,} lines end in CR LF"


def _known(head: _Head) -> Body | None:
    name = hexes.name(head.raw)
    return _dump(head, name, _KNOWN) if name else None


def _msgpack(head: _Head) -> Body | None:
    if not packed.may_be(head.raw):
        return None
    pen = Pen(packed.escape)
    try:
        lay_out(packed.tokens(head.raw, head.size), pen)
    except packed.NotPacked:
        return None
    return head.body("msgpack", pen)


def _damaged(head: _Head) -> Body | None:
    text = payloads.as_damaged_text(head.raw, head.is_cut)
    return None if text is None else _text(head, text, "not all of it is UTF-8", "damaged text")


def _dump(head: _Head, kind: str, note: str = "") -> Body:
    pen = Pen(payloads.escape)
    raw = head.raw[: hexes.MOST]
    hexes.dump(raw, pen)
    return replace(head.body(kind, pen, note, len(raw)), is_dump=True)
