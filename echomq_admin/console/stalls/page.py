"""The page of the stalls: endings as the address asks for them, the form that asks, the bars."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from echomq_admin.console import links, places
from echomq_admin.console.access import page
from echomq_admin.console.forms import SIZES
from echomq_admin.console.htmx import is_fragment, show
from echomq_admin.console.lists import turns
from echomq_admin.console.sifting import choices, typed
from echomq_admin.console.stalls import bars
from echomq_admin.console.stalls.clocks import Clocks
from echomq_admin.console.stalls.lines import Drawing
from echomq_admin.console.stalls.looks import StallsLook
from echomq_admin.console.stalls.watched import watched
from echomq_admin.console.tabs import tabs
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import brief
from echomq_admin.ledger import trail
from echomq_admin.ledger.endings import queries, unseen
from echomq_admin.ledger.endings.models import EndingKind
from echomq_admin.ledger.endings.shape import shape
from echomq_admin.ledger.endings.strangers import stranger
from echomq_admin.ledger.endings.wording import KINDS, SOURCES

# The ranges that are one press away, each until now.
RANGES = (("1 h", "1h"), ("24 h", "24h"), ("7 d", "7d"))
# The bars are counted anew when there are more endings; where those are too many to be counted,
# when one is newer, at most so often.
_ANEW_MS = 30_000


@page
def stalls(request: HttpRequest) -> HttpResponse:
    """How leases ended, newest first, sifted as the address says."""
    clocks = Clocks()
    look = StallsLook.read(request, clocks.now_ms(request.GET.get("server", "")))
    if look.times.settled and not look.errors and not is_fragment(request):
        return redirect(f"{request.path}?{look.query(**look.times.settled)}")
    context = _around(request, look)
    if context["is_known"]:
        context |= _found(look, clocks)
    return show(request, "console/stalls.html", context)


@page
def stalls_shape(request: HttpRequest) -> HttpResponse:
    """The same over time, and what stalls most: a section of the page, or a page of its own."""
    now_ms = Clocks().now_ms(request.GET.get("server", ""))
    look = StallsLook.read(request, now_ms)
    is_section = is_fragment(request) and request.htmx.target == "shape"
    context = _around(request, look)
    context |= {"picture": None, "now_ms": now_ms, "patterned": bars.PATTERNED}
    if context["is_known"]:
        found = shape(look.wanted, int(now_ms))
        drawn = bars.picture(found, look)
        context |= {"shape": found, "picture": drawn, **bars.tops(found, look)}
    return show(
        request, "console/stalls_shape.html", context, part="shape" if is_section else "live"
    )


def _found(look: StallsLook, clocks: Clocks) -> dict[str, object]:
    found = queries.page(look.wanted, look.rows, look.cursor, counted=True)
    spans, more_spans = unseen.spans(look.wanted, found)
    gaps = unseen.gaps(look.wanted, found)
    total = found.total
    newest = found.endings[0].ended_ms if found.endings else 0
    return {
        "found": found,
        "lines": Drawing(look, clocks).lines(found.endings, spans, gaps),
        "more_spans": unseen.MOST_SPANS if more_spans else 0,
        "more_gaps": trail.MOST_GAPS if unseen.has_more_gaps(look.wanted) else 0,
        "total": total,
        "is_more": total is not None and total > queries.COUNTED,
        "counted": queries.COUNTED,
        "window": queries.WINDOW,
        "version": f"{newest // _ANEW_MS}.{0 if look.cursor else total}",
        "shape_url": f"{reverse('stalls_shape')}?{look.query(cursor='', rows='')}",
        "ledger": watched(look.wanted, clocks),
        **turns(look, found),
    }


def _around(request: HttpRequest, look: StallsLook) -> dict[str, object]:
    """What stands around the endings: the queue, the form, and the ways out."""
    wanted, names = look.wanted, [one.name for one in servers.servers()]
    is_queue = wanted.server in names and wanted.queue is not None
    unknown = stranger(wanted.server, wanted.queue)
    return {
        "is_known": not (look.errors or unknown),
        "stranger": unknown,
        "wanted": wanted,
        "kind_word": "" if wanted.kind is None else EndingKind(wanted.kind).label,
        **(_head(request, wanted.server, wanted.queue or "") if is_queue else {}),
        **_form(look, names),
        "exported": look.query(cursor="", rows=""),
        "newest": look.query(cursor=""),
        "unshaped": look.href(),
        "is_newest": not look.cursor,
        "sizes": [(size, look.query(rows=str(size), cursor="")) for size in SIZES],
        "rows_now": look.rows,
        "back_word": "Newer",
        "forth_word": "Older",
    }


def _head(request: HttpRequest, server: str, queue: str) -> dict[str, object]:
    """The head of a queue with its tabs; its name alone where its server does not answer."""
    names = {"queue_name": brief(queue, 80), "queue_href": links.queue_url(server, queue)}
    try:
        place = places.find(server, queue)
    except (Http404, places.Away):
        return names
    may_sweep = place.may(request.user, "sweep")
    return names | {"place": place, "tabs": tabs(place, "stalls"), "may_sweep": may_sweep}


def _form(look: StallsLook, names: list[str]) -> dict[str, object]:
    """What stands in the form, and what its lists offer."""
    asked, wanted = look.values(), look.wanted
    return {
        "look": look,
        "queue_typed": typed(wanted.queue),
        "lane_typed": typed(wanted.lane),
        "job_typed": typed(wanted.job_id),
        "kinds": choices(KINDS, asked.get("kind", ""), lambda name: KINDS[name].label),
        "sources": choices(SOURCES, asked.get("source", ""), lambda name: SOURCES[name].label),
        "servers": choices(names, wanted.server),
        "ranges": [_range(word, text, look, asked) for word, text in RANGES],
        "unranged": look.href(**{"from": "", "to": ""}),
    }


def _range(word: str, text: str, look: StallsLook, asked: dict[str, str]) -> tuple[str, str, bool]:
    """A range with its address, and whether it is the one that is shown."""
    is_now = (asked.get("from"), asked.get("to")) == (text, None)
    return word, look.href(**{"from": text, "to": ""}), is_now
