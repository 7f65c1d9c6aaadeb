"""Where a page begins: the member at the edge of its neighbour, as text for an address."""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass
from typing import Literal

Order = Literal["id", "score"]

_ORDERS: dict[bytes, Order] = {b"i": "id", b"s": "score"}
_WAYS = {b"f": False, b"b": True}
_MAX_RANK = 2**48


@dataclass(frozen=True)
class Cursor:
    """What follows `member` in reading order, or with `back` what precedes it.

    `score` and `rank` (ascending, from 0) are those it had when it was seen.
    """

    order: Order
    back: bool
    score: float
    rank: int
    member: bytes

    def encode(self) -> str:
        """URL-safe text, opaque to everyone else."""
        way = "b" if self.back else "f"
        head = f"{self.order[0]}{way} {self.score!r} {self.rank} ".encode()
        return base64.urlsafe_b64encode(head + self.member).rstrip(b"=").decode()


def decode(text: str) -> Cursor | None:
    """The cursor that `encode` wrote, or `None` for any other text."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        kind, score, rank, member = raw.split(b" ", 3)
        order, way = _ORDERS[kind[:1]], _WAYS[kind[1:]]
        cursor = Cursor(order, way, float(score), int(rank), member)
    except (ValueError, KeyError):
        return None
    is_sound = not math.isnan(cursor.score) and 0 <= cursor.rank < _MAX_RANK
    return cursor if is_sound else None
