"""The tabs of a queue, which are its counters."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console.places import Place


@dataclass(frozen=True)
class Tab:
    """A counter. `href` is empty for a plain figure without a page, and `why` says what it counts;
    `count` is `None` when unknown ("?"); `word` stands in place of a number; `extra` is a smaller
    remark in the colour of `css`."""

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
    flat, in_lanes = counts.pending, counts.lanes_pending
    if current == "pending":
        flat = total
    waiting = None if flat is None or in_lanes is None else flat + in_lanes
    lapsed = f"{counts.lapsed:,} lapsed" if counts.lapsed else ""
    lanes = f"{in_lanes:,} in {counts.lanes:,} lane{'' if counts.lanes == 1 else 's'}"
    active = total if current == "active" else counts.active
    dead = total if current == "dead" else counts.dead
    return (
        Tab("Pending", place.url("queue_pending"), waiting, current == "pending",
            lanes if in_lanes else "", "dim"),
        Tab("Active", place.url("queue_active"), active, current == "active", lapsed, "c-lapsed"),
        Tab("Dead", place.url("queue_dead"), dead, current == "dead"),
        Tab("Audit", place.url("queue_audit"), None, current == "audit", word="who did what"),
        Tab("Scheduled", "", counts.scheduled, why="jobs that wait for their time"),
    )  # fmt: skip
