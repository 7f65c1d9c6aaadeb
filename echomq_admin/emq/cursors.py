"""Where a page begins: at the edge of its neighbour, as text for an address, or at an instant."""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass, replace
from hashlib import blake2s
from typing import Literal

from . import ids

Order = Literal["id", "score"]

_ORDERS: dict[bytes, Order] = {b"i": "id", b"s": "score"}
_WAYS = {b"f": False, b"b": True}
_HASHED = {b"": False, b"h": True}
_MAX_RANK = 2**48
# A longer member stands in a cursor by its hash, bytes.
LONGEST_EDGE = 4_096
_HASH, _BEGINNING = 16, 64


@dataclass(frozen=True)
class Cursor:
    """What follows `member` in reading order, or with `back` what precedes it.

    `score` and `rank` (ascending, from 0) are those it had when it was seen. With `is_hashed`,
    `member` is the hash of one that is too long for an address, and how that begins.
    """

    order: Order
    back: bool
    score: float
    rank: int
    member: bytes
    is_hashed: bool = False

    def hashed(self) -> Cursor:
        """The same, with the hash of its member."""
        member = _hash(self.member) + self.member[:_BEGINNING]
        return replace(self, member=member, is_hashed=True)

    def names(self, member: bytes) -> bool:
        """Whether it is this member whose hash the cursor holds."""
        return self.is_hashed and self.member[:_HASH] == _hash(member)

    def order_of(self, score: float, member: bytes) -> int:
        """-1 when a member lies before the one that is hashed, 1 behind it, 0 when its beginning
        does not tell."""
        beginning = self.member[_HASH:]
        mine, its = (self.score, beginning), (score, member[:_BEGINNING])
        if self.order == "id":
            mine, its = (0, beginning), (0, member[:_BEGINNING])
        return (its > mine) - (its < mine)

    def encode(self) -> str:
        """URL-safe text, opaque to everyone else."""
        way = ("b" if self.back else "f") + ("h" if self.is_hashed else "")
        head = f"{self.order[0]}{way} {self.score!r} {self.rank} ".encode()
        return base64.urlsafe_b64encode(head + self.member).rstrip(b"=").decode()


def decode(text: str) -> Cursor | None:
    """The cursor that `encode` wrote, or `None` for any other text."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        kind, score, rank, member = raw.split(b" ", 3)
        order, way = _ORDERS[kind[:1]], _WAYS[kind[1:2]]
        cursor = Cursor(order, way, float(score), int(rank), member, _HASHED[kind[2:]])
    except (ValueError, KeyError):
        return None
    is_sound = not math.isnan(cursor.score) and 0 <= cursor.rank < _MAX_RANK
    return cursor if is_sound else None


def _hash(member: bytes) -> bytes:
    return blake2s(member, digest_size=_HASH).digest()


@dataclass(frozen=True)
class At:
    """An instant to open a page at: `ms` is unix time.

    Where ids tell the time, it is that of the ids of `namespace`, because bytes are in the
    order of time only within one.
    """

    ms: int
    namespace: str = "JOB"

    def edge(self, order: Order, descending: bool) -> Cursor:
        """What the first row of the page follows: in either direction the rows of the very
        instant come first."""
        if order == "score":
            beyond = math.inf if descending else -math.inf
            return Cursor(order, False, math.nextafter(self.ms, beyond), 0, b"")
        outside = self.ms + 1 if descending else self.ms
        return Cursor(order, False, 0.0, 0, ids.before(self.namespace, outside))
