"""Doing things every so often."""

from __future__ import annotations

import time


class Every:
    """Due once in `seconds`, the first time at once."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._next_s = time.monotonic()

    def due(self) -> bool:
        now_s = time.monotonic()
        if now_s < self._next_s:
            return False
        self._next_s = now_s + self.seconds
        return True
