"""The tab of lanes: how each stands, and where the ring and the lanes disagree."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict

from echomq_admin.console import lane_rows, outcomes, places
from echomq_admin.console.access import page
from echomq_admin.console.forms import SIZES, new_op_id, query_of, rows_of
from echomq_admin.console.htmx import show
from echomq_admin.console.lists import around, turns
from echomq_admin.console.places import Place
from echomq_admin.console.tables import NUM, Heading
from echomq_admin.emq.reads import LaneLook, LanePage, lane_page
from echomq_admin.fleet import discovery

_ONLY = {"": "all", "off": "off the ring", "paused": "paused", "limit": "at limit"}
_SORTS = ("name", "depth", "in_flight")
_LONGEST_TEXT = 200
# Label, what it sorts by, what it is, whether it is a number.
_COLUMNS = (
    ("Lane", "name", "a group of jobs that wait in an order of their own", False),
    (
        "Ring",
        "",
        "where it stands towards the ring, from which consumers take lanes in turn",
        False,
    ),
    ("Waiting", "depth", "jobs in the lane", True),
    ("Oldest minted", "", "when the lane’s first job was minted", False),
    ("In flight", "in_flight", "slots that the lane holds, by its own count", True),
    ("Limit", "", "how many of its jobs may be in flight at once", True),
    ("Weight", "", "its share beside the others", True),
)


@dataclass(frozen=True)
class Look:
    """How the lanes are looked at, as the address says. What is out of range falls back."""

    lanes: LaneLook

    @classmethod
    def read(cls, query: QueryDict) -> Look:
        only, sort = query.get("only", ""), query.get("sort", "")
        name = sort.removeprefix("-")
        return cls(
            LaneLook(
                text=query.get("q", "")[:_LONGEST_TEXT].strip(),
                only=only if only in _ONLY else "",
                sort=name if name in _SORTS else "name",
                descending=name in _SORTS and sort.startswith("-"),
                cursor=query.get("cursor", ""),
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

    def headings(self, is_sortable: bool) -> list[Heading]:
        """The headings; while not all lanes are read, none sorts."""
        return [self._heading(*column, is_sortable) for column in _COLUMNS]

    def _heading(
        self, label: str, sort: str, title: str, is_number: bool, sortable: bool
    ) -> Heading:
        css = NUM["th"]["class"] if is_number else ""
        if not sort or not sortable:
            is_order = sort == "name"
            return Heading(label, css, title, "", "ascending" if is_order else "")
        is_current = sort == self.lanes.sort
        # Numbers are most wanted from the largest down.
        descends = not self.lanes.descending if is_current else is_number
        href = f"?{self.query(sort=f'-{sort}' if descends else sort)}"
        order = "descending" if self.lanes.descending else "ascending"
        return Heading(label, css, title, href, order if is_current else "")


@page
def lanes(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Every lane of a queue that is known, on the ring, paused, limited or in flight."""
    place, look = places.find(server, queue), Look.read(request.GET)
    known = discovery.lanes_of(server, queue)
    found = lane_page(place.server.client, queue, known, look.lanes)
    place = place.seen(lanes=found.total)
    context = around(request, place, "lanes", look, found.total) | {
        "found": found,
        "rows": [lane_rows.lane_row(lane, place) for lane in found.lanes],
        "headings": look.headings(found.is_sortable),
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
