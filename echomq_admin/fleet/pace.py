"""How soon one look may follow another. All times are of the monotonic clock, in seconds."""

from __future__ import annotations

_SOON_S = 0.25  # so far apart are looks at queues that somebody has just opened
_BUSY = 2  # a server is asked for no more than a half of the time,
_WORKING = 5  # and that takes no more than a fifth of a core


class Pace:
    """When the next look is due after the last: `regular_at` in any case, `soon_at` when somebody
    waits for a queue, `half_at` when queues are left that were not read at all."""

    def __init__(self) -> None:
        self.regular_at = self.soon_at = self.half_at = float("-inf")
        self._spacing_s = 0.0

    def took(self, began: float, ended: float, worked_s: float, every_s: float) -> None:
        """A look is done; `worked_s` is what it took of a core, `every_s` how often one is due."""
        took_s = ended - began
        self._spacing_s = max(every_s, _BUSY * took_s, _WORKING * worked_s)
        self.half_at = began + _BUSY * took_s
        self.soon_at = max(began + _SOON_S, self.half_at)
        self.regular_at = began + self._spacing_s

    def oldest(self, now: float, looks: int, every_s: float) -> float:
        """What is read in one of so many looks was read after this, unless something is wrong."""
        return now - (looks + 0.5) * max(self._spacing_s, every_s)
