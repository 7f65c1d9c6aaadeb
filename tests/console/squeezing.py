"""Laid out text brought back to what was written, and how properties of it are tested."""

from __future__ import annotations

import json
import re

from hypothesis import settings

from echomq_admin.fleet.names import has_no_ink

STEADY = settings(deadline=None, database=None, derandomize=True)

_BETWEEN = re.compile(r'("(?:[^"\\]|\\.)*"?)|[ \t\r\n]+', re.DOTALL)


def squeezed(text: str) -> str:
    """Without the white space between tokens."""
    return _BETWEEN.sub(lambda found: found[1] or "", text)


def seen_escaped(text: str) -> str:
    """Every character that cannot be printed as its escape."""
    return "".join(c if c in "\r\n\t" or not has_no_ink(c) else json.dumps(c)[1:-1] for c in text)
