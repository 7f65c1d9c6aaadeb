"""The strip on top of the overview: what needs a person, in sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from echomq_admin.console import times
from echomq_admin.console.links import queue_url
from echomq_admin.console.words import counted, jobs
from echomq_admin.emq.lapses import Lapse
from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet.attention import Need, Why
from echomq_admin.fleet.names import brief

# Up to so many have a line each; of more the first few have one, and some of the others a name.
MOST_LINES = 5
_LINES = 3
_MOST_NAMES = 12
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
class Name:
    """A queue that is only named: with a link, and how many of it are concerned."""

    name: str
    href: str
    server: str
    size: int


@dataclass(frozen=True)
class Note:
    """All queues of one reason: what they come to when they are many, `lead` in bold and `rest`;
    the first lines, the next names, how many more, and the query that lists them all."""

    css: str
    icon: str
    lead: str
    rest: str
    lines: tuple[Line, ...]
    names: tuple[Name, ...]
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
    css, icon, line, sum_up, lines, query = _NOTES[why]
    needs.sort(key=lambda need: need.order)
    is_many = len(needs) > MOST_LINES
    cut = lines if is_many else MOST_LINES
    lead, rest = sum_up(needs, max_stalled) if is_many else ("", "")
    where = {"server": server} if server else {}
    return Note(
        css,
        icon,
        lead,
        rest,
        tuple(line(need, need.counts, max_stalled(need)) for need in needs[:cut]),
        tuple(_name(need, need.counts) for need in needs[cut : cut + _MOST_NAMES]),
        max(0, len(needs) - cut - _MOST_NAMES),
        urlencode(query | where),
    )


def _name(need: Need, counts: QueueCounts) -> Name:
    href = queue_url(need.server, counts.queue, _TABS[need.why])
    return Name(brief(counts.queue, _LONGEST_NAME), href, need.server, need.size)


def _lapsed(need: Need, counts: QueueCounts, budget: int) -> Line:
    lead = f"{counted(need.size, 'lease')} lapsed"
    return _line(need, counts, lead, " on ", f"{_since(counts)}.{_sweep(need, counts, budget)}")


def _since(counts: QueueCounts) -> str:
    if counts.lapsed_ms is None or not math.isfinite(counts.lapsed_ms):
        return ""
    first = "" if counts.lapsed == 1 else "the first "
    return f", {first}{times.ago(counts.lapsed_ms, counts.now_ms)}"


def _sweep(need: Need, counts: QueueCounts, budget: int) -> str:
    """What a sweep would do, where that is known."""
    if not _is_foretold(need, counts):
        return ""
    said = _done(_fates(counts.lapse, budget))
    some = " of those that lapsed first" if counts.lapse.more else ""
    return f" A sweep with max stalled {budget:,} {said}{some}." if said else ""


def _all_lapsed(needs: list[Need], max_stalled: Callable[[Need], int]) -> tuple[str, str]:
    told = [need for need in needs if _is_foretold(need, need.counts)]
    fates = [_fates(need.counts.lapse, max_stalled(need)) for need in told]
    said = _done([sum(one) for one in zip(*fates, strict=True)])
    is_whole = len(told) == len(needs) and not any(need.counts.lapse.more for need in told)
    far = "" if is_whole else ", as far as was looked"
    lead = f"{counted(_sum(needs), 'lease')} lapsed on {len(needs):,} queues."
    return lead, f" A sweep of each {said}{far}." if said else ""


def _is_foretold(need: Need, counts: QueueCounts) -> bool:
    return counts.lapse is not None and not counts.faults and not need.stale


def _fates(lapse: Lapse, budget: int) -> tuple[int, ...]:
    return lapse.recovered(budget), lapse.dead(budget), lapse.unreadable, lapse.orphaned


def _done(fates: Sequence[int]) -> str:
    texts = ("recovers {:,}", "sends {:,} to dead", "sends {:,} unreadable to dead",
             "drops {:,} without a row")  # fmt: skip
    done = [text.format(count) for text, count in zip(texts, fates, strict=False) if count]
    return " and ".join(filter(None, (", ".join(done[:-1]), *done[-1:])))


def _sum(needs: list[Need]) -> int:
    return sum(need.size for need in needs)


def _off_ring(need: Need, counts: QueueCounts, _budget: int) -> Line:
    lead = f"{counted(need.size, 'lane')} {'is' if need.size == 1 else 'are'} off the ring"
    rest = ": no worker is led to the jobs that wait there."
    return _line(need, counts, lead, " on ", rest)


def _paused(need: Need, counts: QueueCounts, _budget: int) -> Line:
    waiting = counts.waiting
    wait = "waits" if waiting == 1 else "wait"
    rest = f", {jobs(waiting)} {wait}." if waiting is not None else ", it is unknown how many wait."
    return _line(need, counts, "Paused:", " ", rest)


def _all_off_ring(needs: list[Need], _max_stalled: Callable[[Need], int]) -> tuple[str, str]:
    lanes = f"{_sum(needs):,} lanes of {len(needs):,} queues are off the ring"
    return lanes, ": no worker is led to the jobs that wait there."


def _all_paused(needs: list[Need], _max_stalled: Callable[[Need], int]) -> tuple[str, str]:
    unknown = sum(need.counts.waiting is None for need in needs)
    least = "at least " if unknown else ""
    waiting = _sum(needs)
    wait = "waits" if waiting == 1 else "wait"
    return f"{len(needs):,} queues are paused", f", {least}{jobs(waiting)} {wait} in them."


def _line(need: Need, counts: QueueCounts, lead: str, joint: str, rest: str) -> Line:
    seen = " That was when it was last seen." if need.stale else ""
    href = queue_url(need.server, counts.queue, _TABS[need.why])
    return Line(
        lead, joint, brief(counts.queue, _LONGEST_NAME), href, need.server, need.hidden, rest + seen
    )


_TABS = {Why.LAPSED: "active", Why.OFF_RING: "lanes", Why.PAUSED: "pending"}
# Class, shape, a line, what many come to, how many lines many have, the query that lists them.
_NOTES = {
    Why.LAPSED: ("lapsed", "lapsed", _lapsed, _all_lapsed, _LINES,
                 {"q": "lapsed", "sort": "-lapsed", "hidden": "show"}),
    Why.OFF_RING: ("soon", "warn", _off_ring, _all_off_ring, 0, {"q": "off the ring"}),
    Why.PAUSED: ("soon", "paused", _paused, _all_paused, 0, {"q": "paused", "sort": "-waiting"}),
}  # fmt: skip
