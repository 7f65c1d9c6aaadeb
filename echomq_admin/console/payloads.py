"""Bytes of the wire as text for the eye: nothing rounded, nothing hidden, nothing run.

JSON stays as its bytes are, so digits, duplicate keys and `1.10` survive. What is no UTF-8 is
shown as escaped bytes with its length. Control characters and bidi overrides become escapes.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from echomq_admin.emq.rows import Text

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
    when the line may not show all of it, else empty; `kind` a word for what it is, or empty."""

    line: str
    full: str = ""
    kind: str = ""


def sight(field: Text | None, absent: str = "–", see: str = "") -> Sight:
    """How a list shows a field of a row; `see` is the command that shows what a list does not."""
    if field is None:
        return Sight("", kind=absent)
    if field.body is None:
        full = f"To see all of it:\n{see}" if see else ""
        return Sight("", full, f"{size(field.size)}, not read in a list")
    if not field.body:
        return Sight("", kind="empty")
    text = as_text(field.body)
    if text is not None:
        return _lines(text)
    return _damaged(field.body) or _binary(field.body)


def size(count: int) -> str:
    """A number of bytes: `214 bytes`, `3.0 MB`."""
    if count < 10_000:
        return size_exactly(count)
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


def _damaged(raw: bytes) -> Sight | None:
    text = as_damaged_text(raw)
    if text is None:
        return None
    seen = _lines(text)
    return Sight(seen.line, seen.full, f"not all UTF-8, {size(len(raw))}")


def _binary(raw: bytes) -> Sight:
    return Sight(escaped(raw), kind=f"binary, {size(len(raw))}")


def _lines(text: str) -> Sight:
    first = text.lstrip("\r\n").split("\n", 1)[0].rstrip("\r")
    line = _visible(first[:LINE]) + ("…" if len(first) > LINE else "")
    whole = first == text and len(first) <= FITS
    return Sight(line, "" if whole else "\n".join(map(_visible, text.split("\n"))))


def _visible(line: str) -> str:
    line = line.replace("\t", "    ").rstrip("\r")
    return line if line.isprintable() else "".join(map(_printable, line))


def _printable(char: str) -> str:
    return char if char.isprintable() else escape(char)


def _is_byte(char: str) -> bool:
    """Whether a lone surrogate stands for a byte that is no UTF-8."""
    return "\udc80" <= char <= "\udcff"


def _is_control(text: str) -> bool:
    odd = sum(1 for char in text if char < " " and char not in "\t\n\r")
    return odd * MOSTLY > len(text)
