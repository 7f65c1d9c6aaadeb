"""The strip on top of the overview: what needs a person, in sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from echomq_admin.console import times
from echomq_admin.console.links import queue_url
from echomq_admin.console.words import counted, jobs
from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet.attention import Need, Why
from echomq_admin.fleet.names import brief

MOST_LINES = 5
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Line:
    """`lead` in bold, then the name of the queue, its server and whether it is hidden, then
    `rest`."""

    lead: str
    joint: str
    name: str
    href: str
    server: str
    hidden: bool
    rest: str


@dataclass(frozen=True)
class Note:
    """All queues of one reason: the first lines, how many more, and the query that lists them."""

    css: str
    icon: str
    lines: tuple[Line, ...]
    more: int
    query: str


def strip(
    needs: Iterable[Need], max_stalled: Callable[[Need], int], server: str = ""
) -> list[Note]:
    """The notes about queues, the worst first; `server` is the one that the page is about, and
    `max_stalled` says what a sweep of the queue of a need starts with."""
    found: dict[Why, list[Need]] = {why: [] for why in _NOTES}
    for need in needs:
        if need.why in found:
            found[need.why].append(need)
    return [_note(why, some, max_stalled, server) for why, some in found.items() if some]


def _note(why: Why, needs: list[Need], max_stalled: Callable[[Need], int], server: str) -> Note:
    css, icon, line, query = _NOTES[why]
    needs.sort(key=lambda need: need.order)
    where = {"server": server} if server else {}
    return Note(
        css,
        icon,
        tuple(line(need, need.counts, max_stalled(need)) for need in needs[:MOST_LINES]),
        max(0, len(needs) - MOST_LINES),
        urlencode(query | where),
    )


def _lapsed(need: Need, counts: QueueCounts, budget: int) -> Line:
    lead = f"{counted(need.size, 'lease')} lapsed"
    return _line(
        need, counts, "active", lead, " on ", f"{_since(counts)}.{_sweep(need, counts, budget)}"
    )


def _since(counts: QueueCounts) -> str:
    if counts.lapsed_ms is None or not math.isfinite(counts.lapsed_ms):
        return ""
    first = "" if counts.lapsed == 1 else "the first "
    return f", {first}{times.ago(counts.lapsed_ms, counts.now_ms)}"


def _sweep(need: Need, counts: QueueCounts, budget: int) -> str:
    """What a sweep would do, where that is known."""
    if counts.lapse is None or counts.faults or need.stale:
        return ""
    lapse = counts.lapse
    parts = (
        (lapse.recovered(budget), "recovers {:,}"),
        (lapse.dead(budget), "sends {:,} to dead"),
        (lapse.unreadable, "sends {:,} unreadable to dead"),
        (lapse.orphaned, "drops {:,} without a row"),
    )
    done = [text.format(count) for count, text in parts if count]
    if not done:
        return ""
    said = " and ".join(filter(None, (", ".join(done[:-1]), done[-1])))
    some = " of those that lapsed first" if lapse.more else ""
    return f" A sweep with max stalled {budget:,} {said}{some}."


def _off_ring(need: Need, counts: QueueCounts, _budget: int) -> Line:
    lead = f"{counted(need.size, 'lane')} {'is' if need.size == 1 else 'are'} off the ring"
    rest = ": no worker is led to the jobs that wait there."
    return _line(need, counts, "lanes", lead, " on ", rest)


def _paused(need: Need, counts: QueueCounts, _budget: int) -> Line:
    waiting = counts.waiting
    wait = "waits" if waiting == 1 else "wait"
    rest = f", {jobs(waiting)} {wait}." if waiting is not None else ", it is unknown how many wait."
    return _line(need, counts, "pending", "Paused:", " ", rest)


def _line(need: Need, counts: QueueCounts, tab: str, lead: str, joint: str, rest: str) -> Line:
    seen = " That was when it was last seen." if need.stale else ""
    href = queue_url(need.server, counts.queue, tab)
    return Line(
        lead, joint, brief(counts.queue, _LONGEST_NAME), href, need.server, need.hidden, rest + seen
    )


_NOTES = {
    Why.LAPSED: ("lapsed", "lapsed", _lapsed,
                 {"q": "lapsed", "sort": "-lapsed", "hidden": "show"}),
    Why.OFF_RING: ("soon", "warn", _off_ring, {"q": "off the ring"}),
    Why.PAUSED: ("soon", "paused", _paused, {"q": "paused", "sort": "-waiting"}),
}  # fmt: skip
