"""The shortest of many spans of time, none of which is known exactly."""

from __future__ import annotations

# A span that was not seen for so long, and at most for twice as long, counts no more.
_LASTS_MS = 300_000
Bounds = tuple[int, int]


class Shortest:
    """Bounds of the shortest span seen of late; each span is known to be at least `low`, and less
    than `high`, ms."""

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        self._now = None if low is None or high is None else (low, high)
        self._before: Bounds | None = None
        self._since_ms: int | None = None

    def saw(self, low: float, high: float, now_ms: int) -> None:
        """A span that ended at `now_ms`. One that may be as long as the shortest counts as such:
        both bounds then hold for both."""
        if not 0 < high < 2**53:
            return
        self._turn(now_ms)
        seen = (int(max(low, 0)), int(high))
        self._now = seen if self._now is None else _narrowed(self._now, seen)

    @property
    def low_ms(self) -> int | None:
        return self._bounds[0] if self._bounds else None

    @property
    def high_ms(self) -> int | None:
        return self._bounds[1] if self._bounds else None

    @property
    def _bounds(self) -> Bounds | None:
        known = [bounds for bounds in (self._now, self._before) if bounds]
        return min(known, key=lambda bounds: bounds[1], default=None)

    def _turn(self, now_ms: int) -> None:
        if self._since_ms is None:
            self._since_ms = now_ms
        elif not 0 <= now_ms - self._since_ms < _LASTS_MS:
            self._before, self._now = self._now, None
            self._since_ms = now_ms


def _narrowed(known: Bounds, seen: Bounds) -> Bounds:
    if seen[1] <= known[0]:
        return seen
    if seen[0] >= known[1]:
        return known
    return max(known[0], seen[0]), min(known[1], seen[1])
