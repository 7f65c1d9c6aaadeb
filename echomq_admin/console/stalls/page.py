"""The page of the stalls: endings as the address asks for them, the form that asks, the bars."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from echomq_admin.console import links
from echomq_admin.console.access import page
from echomq_admin.console.forms import SIZES
from echomq_admin.console.history.kinds import LOOKS
from echomq_admin.console.history.kinds import SOURCES as SAID
from echomq_admin.console.htmx import is_fragment, show
from echomq_admin.console.lists import turns
from echomq_admin.console.sifting import choices, typed
from echomq_admin.console.stalls import bars
from echomq_admin.console.stalls.clocks import Clocks
from echomq_admin.console.stalls.lines import Drawing
from echomq_admin.console.stalls.looks import KINDS, SOURCES, StallsLook
from echomq_admin.console.stalls.watched import watched
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import brief
from echomq_admin.ledger.endings import queries, unseen
from echomq_admin.ledger.endings.shape import shape

# The ranges that are one press away, each until now.
RANGES = (("1 h", "1 h ago"), ("24 h", "24 h ago"), ("7 d", "7 d ago"))
# The bars are counted anew when something has ended since, at most so often.
_ANEW_MS = 30_000


@page
def stalls(request: HttpRequest) -> HttpResponse:
    """How leases ended, newest first, sifted as the address says."""
    clocks = Clocks()
    look = StallsLook.read(request, clocks.now_ms(request.GET.get("server", "")))
    if look.times.settled and not look.errors and not is_fragment(request):
        return redirect(f"{request.path}?{look.query(**look.times.settled)}")
    context = _around(look)
    if not look.errors:
        context |= _found(look, clocks)
    return show(request, "console/stalls.html", context)


@page
def stalls_shape(request: HttpRequest) -> HttpResponse:
    """The same over time, and what stalls most: a section of the page, or a page of its own."""
    now_ms = Clocks().now_ms(request.GET.get("server", ""))
    look = StallsLook.read(request, now_ms)
    is_section = is_fragment(request) and request.htmx.target == "shape"
    context = _around(look) | {"picture": None}
    if not look.errors:
        found = shape(look.wanted, int(now_ms))
        drawn = bars.picture(found, look)
        context |= {"shape": found, "picture": drawn, **bars.tops(found, look)}
    return show(
        request, "console/stalls_shape.html", context, part="shape" if is_section else "live"
    )


def _found(look: StallsLook, clocks: Clocks) -> dict[str, object]:
    found = queries.page(look.wanted, look.rows, look.cursor)
    spans, more_spans = unseen.spans(look.wanted, found)
    gaps = unseen.gaps(look.wanted, found)
    total = queries.count(look.wanted)
    newest = found.endings[0].ended_ms if found.endings else 0
    return {
        "found": found,
        "lines": Drawing(look, clocks).lines(found.endings, spans, gaps),
        "more_spans": unseen.MOST_SPANS if more_spans else 0,
        "total": total,
        "is_more": total is not None and total > queries.COUNTED,
        "counted": queries.COUNTED,
        "window": queries.WINDOW,
        "version": f"{newest // _ANEW_MS}.{0 if look.cursor else total}",
        "shape_url": f"{reverse('stalls_shape')}?{look.query(cursor='', rows='')}",
        "ledger": watched(look.wanted, clocks),
        **turns(look, found),
    }


def _around(look: StallsLook) -> dict[str, object]:
    """What stands around the endings: the form, and the ways out."""
    wanted, names = look.wanted, [one.name for one in servers.servers()]
    is_queue = wanted.server in names and wanted.queue is not None
    return {
        "look": look,
        "wanted": wanted,
        "exported": look.query(cursor="", rows=""),
        "newest": look.query(cursor=""),
        "unshaped": look.href(),
        "is_newest": not look.cursor,
        "queue_typed": typed(wanted.queue),
        "lane_typed": typed(wanted.lane),
        "job_typed": typed(wanted.job_id),
        "queue_name": brief(wanted.queue or "", 80) if is_queue else "",
        "queue_href": links.queue_url(wanted.server, wanted.queue or "") if is_queue else "",
        **_choices(look.values(), names),
        "ranges": [(word, look.href(**{"from": text, "to": ""})) for word, text in RANGES],
        "unranged": look.href(**{"from": "", "to": ""}),
        "sizes": [(size, look.query(rows=str(size), cursor="")) for size in SIZES],
        "rows_now": look.rows,
        "back_word": "Newer",
        "forth_word": "Older",
    }


def _choices(values: dict[str, str], names: list[str]) -> dict[str, object]:
    """What the lists of the form offer."""
    kind, source = values.get("kind", ""), values.get("source", "")
    return {
        "kinds": choices(KINDS, kind, lambda name: LOOKS[KINDS[name]].word),
        "sources": choices(SOURCES, source, lambda name: SAID[SOURCES[name]][0]),
        "servers": choices(names, values.get("server", "")),
    }
