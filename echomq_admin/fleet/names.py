"""Names of queues, lanes and jobs where bytes must travel as text: URLs, forms, command lines."""

from __future__ import annotations

import base64
import re
import unicodedata

from echomq_admin.emq.keyspace import from_wire, to_wire

_PLAIN = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,128}\Z")

# Printable by the book, but nothing is to be seen: joiner, fillers, an empty braille cell, and the
# selectors that only change how another character looks.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_LOST_BLANK = re.compile(r"(?:^|(?<= )) | $")


def to_url(name: str) -> str:
    """A plain name as it is, any other as `~` and the base64url of its bytes."""
    if _PLAIN.match(name):
        return name
    return "~" + base64.urlsafe_b64encode(to_wire(name)).rstrip(b"=").decode()


def from_url(text: str) -> str:
    """The name that `to_url` wrote. What has no `~` in front is the name itself.

    Raises `ValueError` for an empty text and for a `~` that no base64url follows.
    """
    if not text:
        raise ValueError("a name is missing")
    if not text.startswith("~"):
        return text
    code = text[1:]
    try:
        raw = base64.b64decode(code + "=" * (-len(code) % 4), b"-_", validate=True)
    except ValueError:
        raise ValueError("what follows ~ is no base64url") from None
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != code:
        raise ValueError("what follows ~ is no base64url")
    return from_wire(raw)


def shown(name: str) -> str:
    """A name for the eye: what cannot be printed or seen, and a backslash, is escaped.

    Bytes become `\\xNN`, other characters `\\uNNNN`, so nothing can hide or turn the text round.
    Blanks are escaped at either end and behind another blank, where a page would drop them.
    """
    if not any(map(_has_ink, name)):
        return "".join(map(_escaped, name)) or "(no name)"
    return _LOST_BLANK.sub(r"\\x20", "".join(map(_shown, name)))


def brief(name: str, most: int = 200) -> str:
    """A name for a list: cut behind `most` characters, and then with its length in bytes."""
    if len(name) <= most:
        return shown(name)
    return f"{shown(name[:most])}… ({len(to_wire(name)):,} bytes)"


def has_no_ink(text: str) -> bool:
    """Whether some character of a text cannot be printed or leaves nothing to see.

    A blank is none of these.
    """
    return not text.isprintable() or _INVISIBLE.search(text) is not None


def _has_ink(character: str) -> bool:
    """Whether a character leaves a mark of its own, not only on the one before it."""
    is_mark = unicodedata.category(character)[0] == "M"
    return character != " " and not is_mark and not has_no_ink(character)


def _shown(character: str) -> str:
    if character == "\\":
        return "\\\\"
    return _escaped(character) if has_no_ink(character) else character


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class NameConverter:
    """The path converter "name": `<name:queue>` in a route."""

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        return from_url(value)

    def to_url(self, value: str) -> str:
        return to_url(value)
