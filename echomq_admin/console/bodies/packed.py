"""msgpack as tokens, read in place: no number is converted twice, no count is believed.

A header of five bytes may claim four billion entries; here it only says how many tokens would have
to follow. Keys that come twice, keys that are no strings, NaN and extension types all show.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from echomq_admin.console import payloads, times
from echomq_admin.console.bodies import jsontext
from echomq_admin.console.bodies.layout import Token
from echomq_admin.console.bodies.pieces import BYTES, KEY, STRING, VALUE

_NUMBERS = {
    0xCA: ">f", 0xCB: ">d",
    0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_LITERALS = {0xC0: "null", 0xC2: "false", 0xC3: "true"}
# How many bytes behind the tag say the length, and what has that length.
_LENGTHS = {
    0xC4: (1, "bytes"), 0xC5: (2, "bytes"), 0xC6: (4, "bytes"),
    0xC7: (1, "ext"), 0xC8: (2, "ext"), 0xC9: (4, "ext"),
    0xD9: (1, "text"), 0xDA: (2, "text"), 0xDB: (4, "text"),
    0xDC: (2, "["), 0xDD: (4, "["), 0xDE: (2, "{"), 0xDF: (4, "{"),
}  # fmt: skip
_FIXED_EXT = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
_TIMESTAMP = -1
_CLOSING = {"[": "]", "{": "}"}
_SPELLED = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class NotPacked(ValueError):
    """The bytes are not one msgpack value."""


class _Cut(Exception):
    """The bytes at hand end here, though the value goes on."""


def may_be(raw: bytes) -> bool:
    """Whether bytes begin as a map, a list, a string, bytes or an extension, or are nil alone.

    A bare number of a few bytes says nothing about where it is from.
    """
    first = raw[0]
    return raw == b"\xc0" or 0x80 <= first <= 0xBF or first in _LENGTHS or first in _FIXED_EXT


def tokens(head: bytes, size: int) -> Iterator[Token]:
    """The tokens of one value of `size` bytes, of which `head` are the first; as far as they go.

    Raises `NotPacked` on the way.
    """
    with suppress(_Cut):
        yield from _Reader(head, size).value()


@dataclass
class _Open:
    """A list or map that is being read, with how many entries it has: two a pair of a map."""

    bracket: str
    entries: int
    read: int = 0

    def sign(self) -> str:
        """What stands before the next entry."""
        if not self.read:
            return ""
        return ":" if self._is_value() else ","

    def wants_key(self) -> bool:
        return self.bracket == "{" and not self._is_value()

    def _is_value(self) -> bool:
        return self.bracket == "{" and self.read % 2 == 1


class _Reader:
    """Reads entry by entry; `owed` is how many must still come, each at least a byte long."""

    def __init__(self, head: bytes, size: int) -> None:
        self._place = 0
        self._head = head
        self._size = size
        self._owed = 1
        self._within: list[_Open] = []

    def value(self) -> Iterator[Token]:
        while self._owed:
            is_key = False
            if self._within:
                top = self._within[-1]
                if sign := top.sign():
                    yield sign, ""
                is_key = top.wants_key()
                top.read += 1
            text, css = self._entry()
            yield text, KEY if is_key and css == STRING else css
            if self._is_cut():
                return
            yield from self._ended()

    def _entry(self) -> Token:
        token = self._token(self._take(1)[0])
        self._owed -= 1
        least = self._place + self._owed
        if least > self._size or (not self._owed and least != self._size):
            raise NotPacked
        return token

    def _ended(self) -> Iterator[Token]:
        while self._within and self._within[-1].read == self._within[-1].entries:
            yield _CLOSING[self._within.pop().bracket], ""

    def _token(self, tag: int) -> Token:
        if tag <= 0x7F or tag >= 0xE0:
            return str(tag if tag <= 0x7F else tag - 0x100), VALUE
        if tag <= 0x9F:
            return self._opened("{" if tag <= 0x8F else "[", tag & 0x0F)
        if tag <= 0xBF:
            return self._string(tag & 0x1F), STRING
        if tag in _LENGTHS:
            width, sort = _LENGTHS[tag]
            return self._long(sort, int.from_bytes(self._take(width)))
        return self._fixed(tag)

    def _fixed(self, tag: int) -> Token:
        """What the tag alone says the length of."""
        if tag in _LITERALS:
            return _LITERALS[tag], VALUE
        if tag in _NUMBERS:
            return self._number(_NUMBERS[tag]), VALUE
        if tag in _FIXED_EXT:
            return self._extension(_FIXED_EXT[tag]), BYTES
        raise NotPacked

    def _long(self, sort: str, length: int) -> Token:
        if sort in _CLOSING:
            return self._opened(sort, length)
        if sort == "text":
            return self._string(length), STRING
        if sort == "ext":
            return self._extension(length), BYTES
        return f"bytes({self._hexadecimal(self._some(length))}", BYTES

    def _opened(self, bracket: str, length: int) -> Token:
        entries = length * (2 if bracket == "{" else 1)
        self._owed += entries
        self._within.append(_Open(bracket, entries))
        return bracket, ""

    def _number(self, form: str) -> str:
        (number,) = struct.unpack(form, self._take(struct.calcsize(form)))
        return _SPELLED.get(repr(number), repr(number))

    def _extension(self, length: int) -> str:
        (kind,) = struct.unpack(">b", self._take(1))
        raw = self._some(length)
        instant = _instant(raw) if kind == _TIMESTAMP and not self._is_cut() else None
        return instant or f"ext({kind}, {self._hexadecimal(raw)}"

    def _string(self, length: int) -> str:
        """In quotes, escaped as in JSON; bytes that are no UTF-8 stay lone surrogates."""
        raw = self._some(length)
        text = json.dumps(payloads.lossless(raw, self._is_cut()), ensure_ascii=False)
        return text[:-1] if self._is_cut() else text

    def _hexadecimal(self, raw: bytes) -> str:
        """With the bracket behind it, unless the cut went through."""
        digits = f"0x{raw.hex()}" if raw else ""
        return digits if self._is_cut() else f"{digits})"

    def _take(self, count: int) -> bytes:
        """Bytes that must all be at hand."""
        if self._place + count > len(self._head):
            raise NotPacked if len(self._head) == self._size else _Cut
        return self._some(count)

    def _some(self, count: int) -> bytes:
        """Bytes of which the last may be cut off."""
        start, self._place = self._place, self._place + count
        return self._head[start : self._place]

    def _is_cut(self) -> bool:
        return self._place > len(self._head)


def _instant(raw: bytes) -> str | None:
    """The timestamp type, to its nanosecond, in UTC; `None` when the bytes are none."""
    if len(raw) == 4:
        seconds, nanos = int.from_bytes(raw), 0
    elif len(raw) == 8:
        nanos, seconds = divmod(int.from_bytes(raw), 1 << 34)
    elif len(raw) == 12:
        nanos, seconds = struct.unpack(">Iq", raw)
    else:
        return None
    if nanos > 999_999_999:
        return None
    moment = times.instant(seconds * 1000)
    if moment is None:
        return f"timestamp({seconds} s{f' + {nanos} ns' if nanos else ''})"
    return f"timestamp({moment:%Y-%m-%d %H:%M:%S}.{nanos:09} UTC)"


def escape(char: str) -> str:
    """A byte that is no UTF-8 as `\\xff`, what else cannot be printed as JSON escapes it."""
    is_byte = "\udc80" <= char <= "\udcff"
    return payloads.escape(char) if is_byte else jsontext.escape(char)
