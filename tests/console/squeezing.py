"""Laid out text brought back to what was written, and how properties of it are tested."""

from __future__ import annotations

import json
import re

from hypothesis import settings

STEADY = settings(deadline=None, database=None, derandomize=True)

_BETWEEN = re.compile(r'("(?:[^"\\]|\\.)*"?)|[ \t\r\n]+', re.DOTALL)


def squeezed(text: str) -> str:
    """Without the white space between tokens."""
    return _BETWEEN.sub(lambda found: found[1] or "", text)


def seen_escaped(text: str) -> str:
    """Every character that cannot be printed as its escape."""
    return "".join(c if c.isprintable() or c in "\r\n\t" else json.dumps(c)[1:-1] for c in text)
