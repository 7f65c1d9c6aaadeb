"""Texts that a database takes, whatever they were made of."""

from __future__ import annotations

import re

from echomq_admin.fleet.names import shown

# What `shown` leaves as it is, as op_ids and verbs are: told a hundred times faster.
_PLAIN = re.compile(r"[!-\[\]-~]+")


def fit(text: str, most: int) -> str:
    """A name in one line, what cannot be printed escaped, cut to `most` characters."""
    if len(text) <= most and _PLAIN.fullmatch(text):
        return text
    # No character becomes shorter, so what is behind them would be cut in any case.
    line = shown(text[: most + 1]) if text else ""
    return line if len(line) <= most else f"{line[: most - 1]}…"


def sound(text: str, most: int = 10_000) -> str:
    """The words of a person, their lines kept; bytes that are no text are escaped."""
    text = text[:most].encode("utf-8", "backslashreplace").decode("utf-8")
    return text.replace("\0", "\\x00")
