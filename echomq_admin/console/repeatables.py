"""The page of repeatables: what a queue makes again and again, the next one due first."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from echomq_admin.console import outcomes, payloads, places
from echomq_admin.console.access import page
from echomq_admin.console.forms import PageLook
from echomq_admin.console.htmx import show
from echomq_admin.console.lists import around, turns
from echomq_admin.console.payloads import Sight
from echomq_admin.console.rows import dom_id
from echomq_admin.console.tables import NUM, Heading
from echomq_admin.emq.reads import Repeatable, repeat_page
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.spans import span

_HEADINGS = (
    Heading("Name", "", "", "", ""),
    Heading("Next run", "", "when the next job is made, on the server’s clock", "", "ascending"),
    Heading("Every", NUM["th"]["class"], "the time between two runs", "", ""),
    Heading("Template", "", "what each job of it carries", "", ""),
)


@dataclass(frozen=True, slots=True)
class RepeatRow:
    """A repeatable of the list. `every` is its period in words, `every_ms` exactly; `late` says
    how long it is overdue, empty when it is not."""

    dom_id: str
    name: str
    next_ms: float | None
    odd_next: str
    late: str
    every: str
    every_ms: int | None
    template: Sight
    fault: str

    @property
    def template_id(self) -> str:
        return self.dom_id + "t"


@page
def repeatables(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """The repeatables of a queue by their next run."""
    place, look = places.find(server, queue), PageLook.read(request.GET)
    found = repeat_page(place.server.client, queue, look.rows, look.cursor)
    place = place.seen(repeats=found.total)
    context = around(request, place, "repeat", look, found.total) | {
        **outcomes.context(request, place, outcomes.kept(request)),
        "back": "queue_repeat",
        "found": found,
        "headings": _HEADINGS,
        "rows": [_row(one, found.now_ms) for one in found.repeats],
        **turns(look, found),
    }
    return show(request, "console/repeatables.html", context)


def _row(one: Repeatable, now_ms: int) -> RepeatRow:
    late_ms = 0.0 if one.next_ms is None else now_ms - one.next_ms
    return RepeatRow(
        dom_id=dom_id(one.name),
        name=brief(one.name),
        next_ms=one.next_ms,
        odd_next="" if one.next_ms is not None else f"{one.score:g}",
        late=span(late_ms) if late_ms >= 1_000 else "",
        every=span(one.every_ms) if one.every_ms else "",
        every_ms=one.every_ms,
        template=payloads.sight(one.template, "no template"),
        fault=one.fault or "",
    )
