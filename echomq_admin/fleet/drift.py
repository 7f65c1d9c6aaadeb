"""How far the clock of a server and that of this host are apart.

Only to be shown: every deadline is judged by the server's own clock, whatever this says.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from echomq_admin.emq.replies import Answer, Batch

NOTEWORTHY_MS = 1_000.0


@dataclass(frozen=True)
class Drift:
    """The server's clock is `ms` ahead of this host's (behind when negative), give or take
    `margin_ms`: half of the round trip that measured it."""

    ms: float
    margin_ms: float

    @property
    def is_noteworthy(self) -> bool:
        """Whether the clocks are more than a second apart for certain."""
        return abs(self.ms) - self.margin_ms > NOTEWORTHY_MS


def run_timed(batch: Batch, server_time: Answer) -> Drift | None:
    """Run a batch that asks TIME as `server_time`; `None` when the server refused to tell it."""
    before_ns = time.time_ns()
    began_ns = time.monotonic_ns()
    batch.run()
    took_ms = (time.monotonic_ns() - began_ns) / 1e6
    if server_time.fault:
        return None
    seconds, micros = server_time.value
    told_ms = int(seconds) * 1_000 + int(micros) / 1_000
    return Drift(told_ms - (before_ns / 1e6 + took_ms / 2), took_ms / 2)
