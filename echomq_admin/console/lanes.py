"""The tab of lanes: how each stands, and where the ring and the lanes disagree."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse, QueryDict

from echomq_admin.console import lane_rows, outcomes, places
from echomq_admin.console.access import page
from echomq_admin.console.columns import Columns, columns_of
from echomq_admin.console.forms import SIZES, new_op_id, query_of, rows_of, text_of
from echomq_admin.console.htmx import show
from echomq_admin.console.lists import around, turns
from echomq_admin.console.places import Place
from echomq_admin.console.tables import Heading, LaneTable
from echomq_admin.console.tools import lane_tools
from echomq_admin.emq.reads import LaneLook, LanePage, lane_page
from echomq_admin.fleet import discovery

_ONLY = {"": "all", "off": "off the ring", "paused": "paused", "limit": "at limit"}
_SORTS = ("name", "depth", "in_flight")
_LONGEST_TEXT = 200
_TITLES = {
    "name": "a group of jobs that wait in an order of their own",
    "ring": "where it stands towards the ring, from which consumers take lanes in turn",
    "depth": "jobs in the lane",
    "oldest": "when the lane’s first job was minted",
    "in_flight": "slots that the lane holds, by its own count",
    "limit": "how many of its jobs may be in flight at once",
    "weight": "its share beside the others",
}


@dataclass(frozen=True)
class Look:
    """How the lanes are looked at, as the address says. What is out of range falls back."""

    lanes: LaneLook

    @classmethod
    def read(cls, query: QueryDict) -> Look:
        only, sort = text_of(query, "only"), text_of(query, "sort")
        name = sort.removeprefix("-")
        return cls(
            LaneLook(
                text=text_of(query, "q")[:_LONGEST_TEXT].strip(),
                only=only if only in _ONLY else "",
                sort=name if name in _SORTS else "name",
                descending=name in _SORTS and sort.startswith("-"),
                cursor=text_of(query, "cursor"),
                limit=rows_of(query),
            )
        )

    def values(self, **changes: str) -> dict[str, str]:
        """The fields of this look with other values and from the first page on; an empty one is
        left out."""
        look = self.lanes
        sort = f"{'-' if look.descending else ''}{look.sort}"
        values = {
            "q": look.text,
            "only": look.only,
            "sort": "" if sort == "name" else sort,
            "rows": "" if look.limit == SIZES[0] else str(look.limit),
        }
        return {name: value for name, value in {**values, **changes}.items() if value}

    def query(self, **changes: str) -> str:
        """The query string of `values`."""
        return query_of(self.values(**changes))

    @property
    def rows(self) -> int:
        return self.lanes.limit

    def headings(self, is_sortable: bool, columns: Columns) -> list[Heading]:
        """The headings that are shown; while not all lanes are read, none sorts."""
        plain = LaneTable([], exclude=columns.hidden)
        return [
            self._heading(column.name, heading, is_sortable)
            for column, heading in zip(plain.columns, plain.headings(), strict=True)
        ]

    def _heading(self, name: str, heading: Heading, is_sortable: bool) -> Heading:
        heading = replace(heading, title=_TITLES[name])
        if name not in _SORTS or not is_sortable:
            return replace(heading, sorted_by="ascending" if name == "name" else "")
        is_current = name == self.lanes.sort
        # Numbers are most wanted from the largest down.
        descends = not self.lanes.descending if is_current else name != "name"
        href = f"?{self.query(sort=f'-{name}' if descends else name)}"
        order = "descending" if self.lanes.descending else "ascending"
        return replace(heading, href=href, sorted_by=order if is_current else "")


@page
def lanes(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Every lane of a queue that is known, on the ring, paused, limited or in flight."""
    place, look = places.find(server, queue), Look.read(request.GET)
    known = discovery.lanes_of(server, queue)
    found = lane_page(place.server.client, queue, known, look.lanes)
    place = place.seen(lanes=found.total)
    columns = columns_of(request.user, LaneTable)
    headings = look.headings(found.is_sortable, columns)
    context = around(request, place, "lanes", look, found.total) | {
        "found": found,
        "rows": [lane_rows.lane_row(lane, place) for lane in found.lanes],
        "headings": headings,
        "sorts": [heading for heading in headings if heading.href],
        "show": columns.shown,
        "tools": lane_tools(request, columns),
        "only": [
            (word, look.query(only=key), key == look.lanes.only) for key, word in _ONLY.items()
        ],
        "look": look.lanes,
        "hidden": look.values(q=""),
        "said": _said(found),
        "lost": lane_rows.lost_slots(found),
        "everything": look.query(q="", only=""),
        "forth_word": "Go on" if found.matching is None else "",
        "acts": _acts(place, request.user),
        "op_id": new_op_id(),
        "here": look.query(),
        **outcomes.context(request, place, outcomes.kept(request)),
        **turns(look, found),
    }
    return show(request, "console/lanes.html", context)


def _acts(place: Place, user) -> dict[str, str]:
    """The addresses of what the user may do with a lane, by the name of the button; `any` is set
    when there is one."""
    verbs = {"pause": "pause_lane", "resume": "resume_lane", "limit": "limit_lane"}
    if place.counts and place.counts.lapsed:
        verbs["reap"] = "reap_group"
    urls = {name: place.url_of(verb) for name, verb in verbs.items() if place.may(user, verb)}
    return urls | {"any": "yes"} if urls else {}


def _said(found: LanePage) -> str:
    """What part of all lanes the page shows."""
    if found.matching is None:
        first, last = found.looked
        return f"looked at lanes {first:,} to {last:,} by name, of {found.total:,}"
    shown = f"{len(found.lanes):,} of {found.matching:,}"
    return f"{shown} that match, of {found.total:,}" if found.matching != found.total else shown
