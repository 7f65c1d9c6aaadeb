"""What the row of a lane draws, and the sentences about lanes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from django.utils.html import format_html
from django.utils.safestring import SafeString

from echomq_admin.console.links import LONGEST_ID, lane_href
from echomq_admin.console.places import Place
from echomq_admin.console.rows import dom_id
from echomq_admin.console.templatetags.console import icon
from echomq_admin.console.words import counted, jobs, lane_command
from echomq_admin.emq.reads import Lane, LanePage, LaneState, Rota
from echomq_admin.fleet.names import brief, shown, to_url


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a lane stands, in a word with its shape and colour; `why` in a sentence; `is_wrong`
    when ring and lane disagree."""

    word: str
    icon: str
    css: str
    why: str
    is_wrong: bool = False


_STANDINGS: dict[Rota, Standing] = {
    "on ring": Standing("on the ring", "live", "live", "consumers take from it in turn"),
    "empty": Standing("empty", "", "plain", "no job waits in it"),
    "paused": Standing("paused", "paused", "soon", "nothing is taken from it until it is resumed"),
    "at limit": Standing(
        "at limit", "expiring", "soon", "as many of its jobs are in flight as its limit allows"
    ),
    "off ring": Standing(
        "off the ring",
        "lapsed",
        "lapsed",
        "It has jobs and room for them, but it is missing on the ring: no consumer takes from it. "
        "The next job that is put into it or that ends in it puts it back, or an admin can:",
        is_wrong=True,
    ),
    "needless": Standing(
        "on the ring, idle",
        "warn",
        "soon",
        "It stands on the ring although nothing may be taken from it: a consumer may come for "
        "nothing, or take more than it should. To take it off:",
        is_wrong=True,
    ),
    "twice": Standing(
        "on the ring twice",
        "warn",
        "soon",
        "It stands on the ring more than once and gets more than its turn. To leave one place:",
        is_wrong=True,
    ),
    "?": Standing("?", "", "plain", "unknown"),
}


@dataclass(frozen=True, slots=True)
class LaneRow:
    """A lane of the list. `depth` and `in_flight` are `None` when unknown; the other cells are
    drawn already. `href` leads to its jobs, empty for a name too long for an address, and `key`
    names it in a form; `is_paused` is `None` when that is unknown; `help` says what to do when
    ring and lane disagree."""

    dom_id: str
    name: str
    href: str
    key: str
    is_paused: bool | None
    fault: str
    standing: str
    help: str
    depth: int | None
    oldest_ms: int | None
    in_flight: int | None
    flight_css: str
    limit: str
    weight: str

    @property
    def help_id(self) -> str:
        return self.dom_id + "h"


def lane_row(lane: Lane, place: Place) -> LaneRow:
    """A lane as a row."""
    state = lane.state
    standing, limit = _STANDINGS[state.rota], state.limit
    is_full = limit is not None and (state.in_flight or 0) >= limit
    fault = shown(state.fault) if state.fault else ""
    return LaneRow(
        dom_id=dom_id(state.group),
        name=brief(state.group),
        href=lane_href(place.server.name, place.queue, state.group),
        key=to_url(state.group) if len(state.group) <= LONGEST_ID else "",
        is_paused=state.paused,
        fault=fault,
        standing=_drawn(state, fault),
        help=f"{standing.why}\n{_settle(place, state)}" if standing.is_wrong else "",
        depth=state.depth,
        oldest_ms=lane.oldest_ms,
        in_flight=state.in_flight,
        flight_css=" bold c-soon" if is_full else "",
        limit=_optional(limit, fault or "no limit"),
        weight=_optional(state.weight, fault or "no weight of its own"),
    )


def _drawn(state: LaneState, fault: str) -> SafeString:
    """Where the lane stands, as a chip; a second one says that it is paused."""
    if state.rota == "?":
        why = fault or "the ring is longer than what is read of it"
        return format_html('<span class="unknown" title="{}">?</span>', why)
    chips = _chip(state.rota)
    return chips + _chip("paused") if state.paused and state.rota != "paused" else chips


@cache
def _chip(rota: Rota) -> SafeString:
    of = _STANDINGS[rota]
    shape = icon(of.icon) if of.icon else ""
    why = "" if of.is_wrong else of.why
    return format_html(
        '<span class="chip {}" title="{}">{}<span>{}</span></span> ', of.css, why, shape, of.word
    )


def _optional(value: int | None, why: str) -> SafeString | str:
    """A number that need not be there; a dash says why it is not."""
    if value is not None:
        return f"{value:,}"
    return format_html('<span class="zero" title="{}">–</span>', why)


def _settle(place: Place, state: LaneState) -> str:
    """The command that puts a lane where it belongs on the ring, whatever is wrong, and changes
    nothing else: it pauses what is paused, or resumes what is not."""
    return lane_command(place, "pause_lane" if state.paused else "resume_lane", state.group)


def lost_slots(found: LanePage) -> str:
    """That slots are held by nobody, if so: more of them than there are leases."""
    lost = found.lost_slots
    if not lost:
        return ""
    held, leases = found.held or 0, found.leases or 0
    hold = f"The lanes hold {counted(held, 'slot')}"
    flight = f"only {jobs(leases)} of the queue {'is' if leases == 1 else 'are'} in flight"
    if not leases:
        flight = "no job of the queue is in flight"
    by_none = f"{lost:,} slot{' is' if lost == 1 else 's are'} held by no job"
    return f"{hold}, {flight}: {'' if not leases else 'at least '}{by_none}"
