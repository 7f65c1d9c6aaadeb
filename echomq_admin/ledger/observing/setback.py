"""Whether a server's clock was set back, told by a clock of our own that only goes on."""

from __future__ import annotations

# Both clocks may run apart by so much, and by so great a part of the time between.
_SLACK_MS, _DRIFT = 100, 0.001


class ServerClock:
    """`turns` counts how often the clock was seen to be set back; the last time it had come to
    `high_ms` at most, and was set back by about `back_ms`."""

    def __init__(self) -> None:
        self.turns = 0
        self.high_ms = 0
        self.back_ms = 0
        self._last: tuple[int, float, float] | None = None

    def read(self, now_ms: int, began_s: float, ended_s: float) -> None:
        """The server said `now_ms` between these instants of our monotonic clock."""
        if self._last:
            then_ms, then_began_s, then_ended_s = self._last
            least_ms = then_ms + (began_s - then_ended_s) * 1_000 * (1 - _DRIFT) - _SLACK_MS
            if now_ms < least_ms:
                self.turns += 1
                self.high_ms = then_ms + round((ended_s - then_began_s) * 1_000 * (1 + _DRIFT))
                self.back_ms = self.high_ms - now_ms
        self._last = now_ms, began_s, ended_s
