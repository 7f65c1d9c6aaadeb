"""How a figure is named, measured and printed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import redis


@dataclass(frozen=True)
class Figure:
    """One line: what was measured, against which floor, and the bound it should keep."""

    name: str
    value: float
    unit: str
    floor: float
    bound: str

    def line(self) -> str:
        ratio = self.value / self.floor if self.floor else float("nan")
        return (
            f"{self.name:<38} {self.value:>10.2f} {self.unit:<8} floor {self.floor:>10.2f}"
            f"   ratio {ratio:>6.2f}   ({self.bound})"
        )


def alternating_ms(*runs: Callable[[], object], rounds: int = 41) -> list[float]:
    """The medians of several runs measured turn by turn, so that a slow moment hits all alike."""
    taken: list[list[float]] = [[] for _ in runs]
    for turn in range(rounds + 3):
        for place, run in enumerate(runs):
            start = time.perf_counter()
            run()
            if turn >= 3:
                taken[place].append((time.perf_counter() - start) * 1000)
    return [statistics.median(times) for times in taken]


def calls(client: redis.Redis) -> int:
    """How many commands the server has run so far, INFO aside."""
    stats = client.info("commandstats")
    return sum(int(entry["calls"]) for name, entry in stats.items() if name != "cmdstat_info")
