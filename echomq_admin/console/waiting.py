"""The lanes of a queue beside its waiting jobs: to choose one, and where the jobs are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, zip_longest

from echomq_admin.console.forms import PageLook
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.reads import JobPage, LaneState
from echomq_admin.fleet.names import brief, to_url

MOST_LANES = 40
# Longer names are left to the tab of lanes, bytes: five commands would carry each.
_LONGEST = 500


@dataclass(frozen=True)
class LaneLine:
    """A lane: `depth` is `None` when it cannot be read, and `held` says in a word why nothing is
    taken from it, if so."""

    name: str
    href: str
    depth: int | None
    oldest_ms: int | None
    held: str
    is_current: bool


def near(known: Iterable[str], look: PageLook) -> list[str]:
    """The first of the known lanes, without long names, and the one that is looked at."""
    own = [] if look.lane is None else [look.lane]
    short = (name for name in known if len(to_wire(name)) <= _LONGEST)
    return list(dict.fromkeys((*islice(short, MOST_LANES), *own)))


def lines(found: JobPage, known: Iterable[str], look: PageLook) -> list[LaneLine]:
    """The lanes that were read along, without the one looked at when nothing tells of it."""
    names = set(known)
    return [
        _line(state, oldest_ms, look)
        for state, oldest_ms in zip_longest(found.lanes, found.oldest_ms)
        if state.group in names or _has_trace(state)
    ]


def deepest(found: list[LaneLine]) -> list[LaneLine]:
    """Those that hold jobs, or may, the fullest first."""
    holding = [line for line in found if line.depth != 0]
    return sorted(holding, key=lambda line: -(line.depth or 0))


def _line(state: LaneState, oldest_ms: int | None, look: PageLook) -> LaneLine:
    name = state.group
    href = f"?{look.query(lane=to_url(name), cursor='', at='')}"
    return LaneLine(brief(name, 40), href, state.depth, oldest_ms, _held(state), name == look.lane)


def _held(state: LaneState) -> str:
    if state.paused:
        return "paused"
    is_full = state.limit is not None and (state.in_flight or 0) >= state.limit
    return "at limit" if is_full else ""


def _has_trace(state: LaneState) -> bool:
    """Whether any key of the queue tells of a lane, as far as they could be read."""
    told = state.depth != 0 or state.paused is not False or state.in_flight != 0
    return told or state.limit is not None or state.weight is not None
