"""The tabs of a queue, which are its counters."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console.links import stalls_url
from echomq_admin.console.places import Place
from echomq_admin.emq.reads import QueueCounts


@dataclass(frozen=True)
class Tab:
    """A counter. `count` is `None` when unknown ("?"); `word` stands in place of a number;
    `extra` is a smaller remark in the colour of `css`; `why` explains it on hover."""

    label: str
    href: str
    count: int | None
    current: bool = False
    extra: str = ""
    css: str = ""
    word: str = ""
    why: str = ""


def tabs(place: Place, current: str = "", total: int | None = None) -> tuple[Tab, ...]:
    """The counters of a queue; `total` is the number that the page of `current` read itself."""
    counts = place.counts
    own = {
        "pending": counts.pending,
        "active": counts.active,
        "scheduled": counts.scheduled,
        "dead": counts.dead,
        "lanes": counts.lanes,
        "repeat": counts.repeats,
    } | {current: total}
    waiting = _waiting(own["pending"], counts)
    lapsed = f"{counts.lapsed:,} lapsed" if counts.lapsed else ""
    off = f"{counts.off_ring:,} off the ring" if counts.off_ring else ""

    def tab(name: str, count: int | None = None, **more: str) -> Tab:
        url = place.url(f"queue_{name}")
        return Tab(name.capitalize(), url, count, current == name, **more)

    stalls = stalls_url(place.server.name, place.queue)
    repeat = (tab("repeat", own["repeat"]),) if own["repeat"] or current == "repeat" else ()
    return (
        tab("pending", waiting, extra=_in_lanes(counts), css="dim"),
        tab("active", own["active"], extra=lapsed, css="c-lapsed"),
        tab("scheduled", own["scheduled"]),
        tab("dead", own["dead"]),
        tab("lanes", own["lanes"], extra=off, css="c-lapsed", why=_OFF if off else _LANES),
        *repeat,
        Tab("Stalls", stalls, None, current == "stalls", word="when and why"),
        tab("audit", word="who did what"),
    )


_LANES = "lanes with jobs, on the ring, paused, or with a limit or a weight"
_OFF = "lanes with jobs and room for them that no consumer takes from"


def _waiting(flat: int | None, counts: QueueCounts) -> int | None:
    in_lanes = counts.lanes_pending
    return None if flat is None or in_lanes is None else flat + in_lanes


def _in_lanes(counts: QueueCounts) -> str:
    if not counts.lanes_pending:
        return ""
    return f"{counts.lanes_pending:,} in lanes"
