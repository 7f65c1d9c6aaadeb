"""When each queue is looked at next: often enough for its leases, and no more than a quarter of the
time is spent with it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from echomq_admin.ledger.observing.watch import Watch

_LEAST_S, _MOST_S = 0.2, 1.0
# While a lease has lapsed that somebody may end at any moment.
_LAPSED_S = 0.1
# So long before a lease lapses its queue is looked at more often.
_AHEAD_MS = 300
# Of so many queues at most.
_MOST_QUICK = 50
# Turns so close together are one.
_TOGETHER_S = 0.05
# Of each second that it works, it rests so many.
_REST = 3.0


class Pace:
    """Turns, by the monotonic clock of this process."""

    def __init__(self) -> None:
        self._due: dict[str, float] = {}
        self._quick: dict[str, tuple[float, float]] = {}
        self._began_s = self._cpu_s = 0.0

    def begin(self) -> None:
        self._began_s, self._cpu_s = time.monotonic(), time.thread_time()

    def due(self, queues: Iterable[str]) -> list[str]:
        """The queues whose turn it is; all when it is nobody's."""
        all_queues = list(queues)
        self._due = {queue: self._due.get(queue, 0.0) for queue in all_queues}
        until_s = self._began_s + _TOGETHER_S
        return [queue for queue in all_queues if self._due[queue] <= until_s] or all_queues

    def looked(self, queue: str, watch: Watch, now_ms: int) -> None:
        """A queue was looked at in this turn."""
        usual_s = min(max(watch.pace_ms / 1_000, _LEAST_S), _MOST_S)
        least_s = _LAPSED_S if watch.soonest_ms <= now_ms else _LEAST_S
        soon_s = max((watch.soonest_ms - _AHEAD_MS - now_ms) / 1_000, least_s)
        self._due[queue] = self._began_s + usual_s
        self._quick.pop(queue, None)
        if soon_s < usual_s:
            self._quick[queue] = soon_s, self._began_s + soon_s

    def skipped(self, queue: str) -> None:
        """A queue could not be looked at in this turn."""
        self._due[queue] = self._began_s + _MOST_S

    def pause_s(self) -> float:
        """How long to wait for the next turn."""
        self._hurry(self._quick)
        now_s = time.monotonic()
        first_s = min(self._due.values(), default=now_s + _MOST_S)
        worked_s = time.thread_time() - self._cpu_s
        return max(first_s - now_s, _REST * worked_s, 0.0)

    def _hurry(self, quick: Mapping[str, tuple[float, float]]) -> None:
        for queue in sorted(quick, key=quick.__getitem__)[:_MOST_QUICK]:
            if queue in self._due:
                self._due[queue] = min(self._due[queue], quick[queue][1])
        self._quick.clear()
