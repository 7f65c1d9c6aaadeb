"""JSON as tokens of its own text (RFC 8259): nothing is converted, so nothing is rounded.

Digits, escapes, the order of keys and keys that come twice stay as they were written. Depth
costs a list entry, not a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from echomq_admin.console.bodies.layout import Token
from echomq_admin.console.bodies.pieces import KEY, STRING, VALUE

_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+'
_INTEGER = r"-?(?:0|[1-9][0-9]*+)"
_FRACTION = r"(?:\.[0-9]++)?+"
_NUMBER = rf"{_INTEGER}{_FRACTION}(?:[eE][+-]?[0-9]++)?"
_LITERAL = "true|false|null"
# Where the text was cut, a token may stop anywhere.
_CUT_STRING = rf'{_STRING}(?:"|(?:\\(?:u[0-9a-fA-F]{{0,3}})?)?\Z)'
_CUT_NUMBER = rf"-\Z|{_INTEGER}\.\Z|{_INTEGER}{_FRACTION}[eE][+-]?\Z|{_NUMBER}"
_CUT_LITERAL = rf"(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)\Z|{_LITERAL}"


def _pattern(string: str, number: str, literal: str) -> re.Pattern[str]:
    return re.compile(
        rf"[ \t\n\r]*+(?:(?P<s>{string})|(?P<n>{number})|(?P<l>{literal})"
        r"|(?P<p>[][{},:])|(?P<e>\Z))"
    )


_WHOLE = _pattern(rf'{_STRING}"', _NUMBER, _LITERAL)
_CUT = _pattern(_CUT_STRING, _CUT_NUMBER, _CUT_LITERAL)

# What may come next: strings, numbers, literals, or the bracket or sign itself.
_VALUE, _FIRST = "snl{[", "snl{[]"
_KEY, _FIRST_KEY = "s", "s}"
_AFTER = {"": "", "{": ",}", "[": ",]"}
_CLASS = {"s": STRING, "n": VALUE, "l": VALUE}


class NotJson(ValueError):
    """The text is no JSON."""


def tokens(text: str, cut: bool) -> Iterator[Token]:
    """The tokens of one value; of a `cut` text as far as it goes. Raises `NotJson` on the way."""
    match = (_CUT if cut else _WHOLE).match
    within, wanted, place = [""], _VALUE, 0
    while found := match(text, place):
        kind, place = str(found.lastgroup), found.end()
        word = found[kind]
        if kind == "e":
            if cut or not wanted:
                return
            break
        if (word if kind == "p" else kind) not in wanted:
            break
        yield word, KEY if wanted in (_KEY, _FIRST_KEY) and kind == "s" else _CLASS.get(kind, "")
        wanted = _next(word if kind == "p" else "", wanted, within)
    raise NotJson


def _next(sign: str, wanted: str, within: list[str]) -> str:
    """What may follow a sign, or a key or value when that is empty."""
    if sign in {"{", "["}:
        within.append(sign)
        return _FIRST_KEY if sign == "{" else _FIRST
    if sign == ",":
        return _KEY if within[-1] == "{" else _VALUE
    if sign == ":":
        return _VALUE
    if sign:
        within.pop()
    elif wanted in (_KEY, _FIRST_KEY):
        return ":"
    return _AFTER[within[-1]]


def escape(char: str) -> str:
    """A character as JSON itself would escape it."""
    wide = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{wide[at : at + 2].hex()}" for at in range(0, len(wide), 2))
