"""The tabs of a queue: pending, active, dead, audit."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from echomq_admin.console import entries, outcomes, places, rows
from echomq_admin.console.access import page
from echomq_admin.console.charts import timeline
from echomq_admin.console.forms import SIZES, PageLook, SweepForm, new_op_id
from echomq_admin.console.htmx import show
from echomq_admin.console.places import Place
from echomq_admin.console.tables import DeadTable, LeaseTable, PendingTable
from echomq_admin.console.tabs import tabs
from echomq_admin.console.words import SWEEP_STARTS_AT
from echomq_admin.emq import audit as trail
from echomq_admin.emq import reads
from echomq_admin.fleet import discovery
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.operations.services import allowed

MOST_LANES = 40


@page
def queue(_request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """The address of a queue without a tab leads to its leases."""
    return redirect("queue_active", server, queue)


@page
def active(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Jobs in flight, soonest deadline first, under their timeline."""
    place, look = places.find(server, queue), PageLook.read(request.GET)
    found = reads.active_page(place.server.client, queue, look.rows, look.cursor)
    place = place.seen(active=found.total, lapsed=found.lapsed)
    max_stalled = _max_stalled(request)
    scale = rows.scale_ms(found.leases)
    context = _common(request, place, "active", look, found.total) | {
        "found": found,
        "table": LeaseTable([rows.lease_row(x, scale, max_stalled) for x in found.leases]),
        "scale": scale,
        "timeline": timeline(found.marks),
        "max_stalled": max_stalled,
        "before": look.query(cursor=found.previous) if found.previous else "",
        "after": look.query(cursor=found.next) if found.next else "",
    }
    return show(request, "console/active.html", context)


@page
def pending(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Waiting jobs, oldest first: those outside of lanes, or those of one lane."""
    place, look = places.find(server, queue), PageLook.read(request.GET)
    found = reads.pending_page(place.server.client, queue, look.rows, look.cursor, look.lane)
    flat = found.total if look.lane is None else place.counts.pending
    lanes = discovery.known(server).get(queue, ())
    context = _jobs(request, place, "pending", look, found, flat) | {
        "table": PendingTable([rows.job_row(job, {}, place) for job in found.jobs]),
        "lanes": [(brief(lane), to_url(lane)) for lane in lanes[:MOST_LANES]],
        "more_lanes": max(0, len(lanes) - MOST_LANES),
        "lane": None if look.lane is None else brief(look.lane),
        "lane_url": "" if look.lane is None else to_url(look.lane),
    }
    return show(request, "console/pending.html", context)


@page
def dead(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Dead jobs, newest minted first, with what the last action on them did."""
    place, look = places.find(server, queue), PageLook.read(request.GET)
    found = reads.dead_page(place.server.client, queue, look.rows, look.cursor)
    place = place.seen(dead=found.total)
    outcome = outcomes.kept(request)
    refusals = outcome.refusals if outcome else {}
    context = _jobs(request, place, "dead", look, found, found.total) | {
        "table": DeadTable([rows.job_row(job, refusals, place) for job in found.jobs]),
        "outcome": outcome,
        "dismiss": outcomes.dismissed(request),
        "op_id": new_op_id(),
        "may_requeue": place.read_only is None and allowed(request.user, "requeue"),
    }
    return show(request, "console/dead.html", context)


@page
def audit(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """The newest entries of the queue's audit stream."""
    place = places.find(server, queue)
    tail = trail.tail(place.server.client, queue)
    context = _common(request, place, "audit", PageLook(), tail.total) | {
        "tail": tail,
        "now_ms": place.look.now_ms or 0,
        "entries": [entries.line(entry) for entry in tail.entries],
    }
    return show(request, "console/audit.html", context)


def _max_stalled(request: HttpRequest) -> int:
    form = SweepForm.read(request.GET)
    return form.cleaned_data["max_stalled"] if form.is_valid() else SWEEP_STARTS_AT


def _common(request: HttpRequest, place: Place, tab: str, look: PageLook, total) -> dict:
    return {
        "place": place,
        "tabs": tabs(place, tab, total),
        "look": look.query(),
        "sizes": [(size, look.query(rows=str(size), cursor="")) for size in SIZES],
        "rows_now": look.rows,
        "may_sweep": place.read_only is None and allowed(request.user, "sweep"),
    }


def _jobs(request: HttpRequest, place: Place, tab: str, look: PageLook, found, total) -> dict:
    return _common(request, place, tab, look, total) | {
        "found": found,
        "before": look.query(cursor=found.previous) if found.previous else "",
        "after": look.query(cursor=found.next) if found.next else "",
    }
