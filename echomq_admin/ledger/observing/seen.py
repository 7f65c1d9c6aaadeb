"""Which dead jobs the last complete pass over a set has seen, eight bytes each.

Endings are pruned while their jobs may still be dead. What a pass has seen before is no new death,
whatever the ledger still knows of it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from hashlib import blake2s

from echomq_admin.emq.keyspace import to_wire


class Seen:
    """The dead jobs of one queue, by id and attempts. `is_complete` once a pass was."""

    def __init__(self) -> None:
        self.is_complete = False
        self._before = array("Q")
        self._now = array("Q")

    def begin(self) -> None:
        """A pass begins."""
        self._now = array("Q")

    def add(self, job_id: str, attempts: int) -> None:
        """The pass under way has seen it."""
        self._now.append(_key(job_id, attempts))

    def complete(self) -> None:
        """The pass under way has come to its end."""
        self._before, self._now = array("Q", sorted(self._now)), array("Q")
        self.is_complete = True

    def has(self, job_id: str, attempts: int) -> bool:
        """Whether the last complete pass has seen it."""
        key = _key(job_id, attempts)
        at = bisect_left(self._before, key)
        return at < len(self._before) and self._before[at] == key


def _key(job_id: str, attempts: int) -> int:
    whole = b"%d:" % attempts + to_wire(job_id)
    return int.from_bytes(blake2s(whole, digest_size=8).digest())
