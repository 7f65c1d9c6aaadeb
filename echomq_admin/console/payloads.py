"""Bytes of the wire as text for the eye: nothing rounded, nothing hidden, nothing run.

JSON stays as its bytes are, so digits, duplicate keys and `1.10` survive. What is no UTF-8 is
shown as escaped bytes with its length. Control characters and bidi overrides become escapes.
"""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.emq.rows import Text

LINE = 200
HEX = 48
# A line that is longer than this may not fit its column, so it can be opened.
FITS = 40
# Text has at most one control character in so many bytes, and one byte that is no UTF-8 in so many;
# what has more is shown as bytes.
MOSTLY, MOSTLY_UTF8 = 8, 3


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
        return f"{count:,} byte{'' if count == 1 else 's'}"
    return f"{count / 1_000:,.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:,.1f} MB"


def as_text(raw: bytes) -> str | None:
    """The bytes as UTF-8 text, or `None` when they are none or mostly control characters."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    odd = sum(1 for char in text if char < " " and char not in "\t\n\r")
    return None if odd * MOSTLY > len(text) else text


def escaped(raw: bytes, limit: int = HEX) -> str:
    """Bytes as `\\x80\\x04`, at most `limit` of them."""
    return "".join(f"\\x{byte:02x}" for byte in raw[:limit]) + ("…" if len(raw) > limit else "")


def _damaged(raw: bytes) -> Sight | None:
    """Text with a few bytes that are no UTF-8: the rest of it stays readable."""
    text = raw.decode("utf-8", "backslashreplace")
    bad = (len(text) - len(raw.decode("utf-8", "ignore"))) // len(r"\xff")
    if bad * MOSTLY_UTF8 > len(raw) or as_text(text.encode()) is None:
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
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"
