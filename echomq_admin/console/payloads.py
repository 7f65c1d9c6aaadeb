"""Bytes of the wire as text for the eye: nothing rounded, nothing hidden, nothing run.

JSON stays as its bytes are, so digits, duplicate keys and `1.10` survive. What is no UTF-8 is
shown as escaped bytes with its length. Control characters, bidi overrides and what else leaves
nothing to see become escapes.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from echomq_admin.emq.rows import Text
from echomq_admin.fleet.names import has_no_ink

LINE = 200
HEX = 48
# A line that is longer than this may not fit its column, so it can be opened.
FITS = 40
# Text has at most one control character in so many bytes, and one byte that is no UTF-8 in so many;
# what has more is shown as bytes.
MOSTLY, MOSTLY_UTF8 = 8, 3
_UTF8 = codecs.getincrementaldecoder("utf-8")


@dataclass(frozen=True, slots=True)
class Sight:
    """A field in a list. `line` is one line of at most `LINE` characters; `full` the whole text
    when the line may not show all of it, else empty; `kind` a word for what it is, or empty.
    With `is_part` only the page of the job shows all of it."""

    line: str
    full: str = ""
    kind: str = ""
    is_part: bool = False


def sight(field: Text | None, absent: str = "–", line: int = LINE) -> Sight:
    """How a list shows a field of a row, its first line cut behind `line` characters."""
    if field is None:
        return Sight("", kind=absent)
    if field.body is None:
        return Sight("", kind=_about(field.size), is_part=True)
    if not field.body:
        return Sight("", kind="empty")
    text = as_text(field.body)
    if text is not None:
        return _lines(text, line)
    return _damaged(field.body, line) or _binary(field.body)


def size(count: int) -> str:
    """A number of bytes: `214 bytes`, `3.0 MB`."""
    return size_exactly(count) if count < 10_000 else _about(count)


def _about(count: int) -> str:
    return f"{count / 1_000:,.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:,.1f} MB"


def size_exactly(count: int) -> str:
    """A number of bytes: `1 byte`, `3,012,044 bytes`."""
    return f"{count:,} byte{'' if count == 1 else 's'}"


def as_text(raw: bytes, cut: bool = False) -> str | None:
    """The bytes as UTF-8 text, or `None` when they are none or mostly control characters.

    Of `cut` bytes, a character that the cut went through is left out.
    """
    try:
        text = _UTF8().decode(raw, not cut)
    except UnicodeDecodeError:
        return None
    return None if _is_control(text) or (raw and not text) else text


def as_damaged_text(raw: bytes, cut: bool = False) -> str | None:
    """Text with a few bytes that are no UTF-8, those as lone surrogates, or `None`."""
    text = lossless(raw, cut)
    bad = sum(map(_is_byte, text))
    return None if bad * MOSTLY_UTF8 > len(raw) or _is_control(text) else text


def lossless(raw: bytes, cut: bool = False) -> str:
    """The bytes as text; those that are no UTF-8 ride along as lone surrogates."""
    return _UTF8("surrogateescape").decode(raw, not cut)


def escape(char: str) -> str:
    """What cannot be printed as `\\x07` or `\\u202e`; a byte that is no UTF-8 as `\\xff`."""
    code = ord(char) - 0xDC00 if _is_byte(char) else ord(char)
    if code < 0x80 or _is_byte(char):
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escaped(raw: bytes, limit: int = HEX) -> str:
    """Bytes as `\\x80\\x04`, at most `limit` of them."""
    return "".join(f"\\x{byte:02x}" for byte in raw[:limit]) + ("…" if len(raw) > limit else "")


def _damaged(raw: bytes, most: int) -> Sight | None:
    text = as_damaged_text(raw)
    if text is None:
        return None
    seen = _lines(text, most)
    return Sight(seen.line, seen.full, f"not all UTF-8, {size(len(raw))}")


def _binary(raw: bytes) -> Sight:
    return Sight(escaped(raw), kind=f"binary, {size(len(raw))}")


def _lines(text: str, most: int) -> Sight:
    if text.count("\r\n") == text.count("\n"):
        text = text.replace("\r\n", "\n")
    first = text.lstrip("\r\n").split("\n", 1)[0]
    line = _visible(first[:most]) + ("…" if len(first) > most else "")
    whole = first == text and len(first) <= min(FITS, most)
    return Sight(line, "" if whole else "\n".join(map(_visible, text.split("\n"))))


def _visible(line: str) -> str:
    return "".join(map(_inked, line)) if has_no_ink(line) else line


def _inked(char: str) -> str:
    if char == "\t":
        return "\\t"
    return escape(char) if has_no_ink(char) else char


def _is_byte(char: str) -> bool:
    """Whether a lone surrogate stands for a byte that is no UTF-8."""
    return "\udc80" <= char <= "\udcff"


def _is_control(text: str) -> bool:
    odd = sum(1 for char in text if char < " " and char not in "\t\n\r")
    return odd * MOSTLY > len(text)
