"""Bytes that are no text: what their first bytes promise, and their dump."""

from __future__ import annotations

import re
from collections.abc import Iterator

from echomq_admin.console.bodies.pieces import QUIET, Pen

# A dump shows at most so many bytes.
MOST = 4_096
_ROW = 16
_PRINTABLE = re.compile(rb"[^ -~]")
_DOT = b"."

# The tags that a term may have behind its version byte, compressed terms among them.
_ERLANG = re.compile(rb"\x83[PFabcdefghijklmnopqrstvwxXYZM]")
_NAMES = (
    (re.compile(rb"\x1f\x8b\x08"), "gzip"),
    (re.compile(rb"\x78[\x01\x5e\x9c\xda]"), "zlib"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "Zstandard"),
    (re.compile(rb"\x80[\x02-\x05][\x95(\]}K]"), "Python pickle"),
    (_ERLANG, "Erlang term"),
)


def name(raw: bytes) -> str:
    """What bytes say they are by how they begin, or empty. Nothing is unpacked to see."""
    return next((word for begins, word in _NAMES if begins.match(raw)), "")


def dump(raw: bytes, pen: Pen) -> None:
    """Offset, sixteen bytes and the same as characters, a line each."""
    for at in range(0, len(raw), _ROW):
        row = raw[at : at + _ROW]
        pen.put(f"{at:08x}  ", QUIET)
        pen.put("  ".join(_halves(row)))
        pen.put(f"  {_PRINTABLE.sub(_DOT, row).decode()}\n", QUIET)


def _halves(row: bytes) -> Iterator[str]:
    half = _ROW // 2
    yield f"{row[:half].hex(' '):<23}"
    yield f"{row[half:].hex(' '):<23}"
