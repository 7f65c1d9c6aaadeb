"""Whether the ledger of a server is being written, for the pages: by the database alone."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from django.db.models import Max, Min

from echomq_admin.ledger.observing.lead import PATIENCE_S
from echomq_admin.ledger.observing.models import Blind, Lead, Watched
from echomq_admin.ledger.observing.turns import interval_s
from echomq_admin.ledger.samples.models import SampleHour
from echomq_admin.ledger.samples.packing import columns

# A holder without a sign of life for so long is gone, and nobody has followed.
_SILENT_S = PATIENCE_S + 4.0
# So long the sizes of the dead sets are good enough.
_SIZES_S = 60.0


@dataclass(frozen=True)
class State:
    """How a server is observed. Times are its clock, unix ms, `None` before the first look.

    The first queue has been watched since `since_ms`; of any queue the last was heard at `seen_ms`.
    `is_led`: an agent shows signs of life; right away after this process began, also one that is
    gone. `blind` are the newest spans not seen, the newest first. `pass_interval_s` is how long the
    pass over all dead jobs takes, about; at `passed_ms` each dead set had been gone through once
    more, `None` while one never was.
    """

    since_ms: int | None
    seen_ms: int | None
    is_led: bool
    holder: str
    blind: tuple[Blind, ...]
    pass_interval_s: float
    passed_ms: int | None


def state(server_name: str, most_blind: int = 100) -> State:
    """How the server of that name is observed now."""
    mine = Watched.objects.filter(place__server=server_name)
    seen = mine.aggregate(since=Min("since_ms"), seen=Max("seen_ms"), passed=Min("passed_ms"))
    is_all_passed = not mine.filter(passed_ms=None).exists()
    lead = Lead.objects.filter(server=server_name).first()
    spans = Blind.objects.filter(server=server_name).select_related("place")
    return State(
        since_ms=seen["since"],
        seen_ms=seen["seen"],
        is_led=lead is not None and _signs.is_alive(lead),
        holder=lead.holder if lead else "",
        blind=tuple(spans.order_by("-to_ms", "-pk")[:most_blind]),
        pass_interval_s=_intervals.of(server_name),
        passed_ms=seen["passed"] if is_all_passed else None,
    )


class _Signs:
    """When each lead was first seen as it is, by the monotonic clock of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[str, tuple[tuple[str, int, int], float]] = {}

    def is_alive(self, lead: Lead) -> bool:
        if not lead.holder:
            return False
        sign, now = (lead.holder, lead.number, lead.beats), time.monotonic()
        with self._lock:
            before, since = self._seen.get(lead.server, (None, now))
            if before != sign:
                self._seen[lead.server] = (sign, since := now)
        return now - since < _SILENT_S


class _Intervals:
    """The interval of the pass of each server, worked out once a minute."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, float]] = {}

    def of(self, server_name: str) -> float:
        now = time.monotonic()
        interval, at = self._kept.get(server_name, (0.0, float("-inf")))
        if now - at >= _SIZES_S:
            interval = interval_s(_dead_sizes(server_name))
            self._kept[server_name] = (interval, now)
        return interval


def _dead_sizes(server_name: str) -> list[int]:
    """How large the dead sets were in the last sample of each queue."""
    mine = SampleHour.objects.filter(place__server=server_name)
    hour = mine.aggregate(last=Max("hour"))["last"]
    if hour is None:
        return []
    dead = (
        columns(hour, packed)["dead"]
        for packed in mine.filter(hour=hour).values_list("packed", flat=True)
    )
    return [sizes[-1] for sizes in dead if sizes and sizes[-1] is not None]


_signs, _intervals = _Signs(), _Intervals()
