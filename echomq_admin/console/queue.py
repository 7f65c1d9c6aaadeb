"""The tabs of a queue: pending, active, scheduled, dead, audit."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from echomq_admin.console import (
    deaths,
    entries,
    links,
    outcomes,
    places,
    renewed,
    rows,
    tools,
    waiting,
)
from echomq_admin.console.access import page
from echomq_admin.console.charts import timeline
from echomq_admin.console.forms import DIED, PageLook
from echomq_admin.console.htmx import show
from echomq_admin.console.lists import Asked, around, turns
from echomq_admin.console.tables import (
    DeadTable,
    DiedTable,
    LeaseTable,
    PendingTable,
    ScheduledTable,
)
from echomq_admin.console.words import TOO_LONG
from echomq_admin.emq import reads
from echomq_admin.emq.audit_pages import audit_page
from echomq_admin.emq.find import is_here
from echomq_admin.fleet import discovery
from echomq_admin.fleet.names import brief, from_url, to_url


@page
def queue(_request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """The address of a queue without a tab leads to its leases."""
    return redirect("queue_active", server, queue)


@page
def active(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Jobs in flight, soonest deadline first, under their timeline."""
    asked = Asked(request, places.find(server, queue), LeaseTable)
    if asked.moves:
        return asked.settle()
    found = reads.active_page(asked.client, queue, *asked.start, **asked.way)
    asked.place = asked.place.seen(active=found.total, lapsed=found.lapsed)
    scale = rows.scale_ms(found.leases)
    listing = asked.listing(found, "active")
    ids = [lease.job.job_id for lease in found.leases]
    flights = renewed.flights_of(asked.place, ids) if asked.columns.shown["renewals"] else None
    drawn = [rows.lease_row(lease, listing, scale, flights) for lease in found.leases]
    context = asked.context(found, drawn, found.total) | {
        "scale": scale,
        "timeline": timeline(found.marks),
        "max_stalled": listing.max_stalled,
    }
    return show(request, "console/active.html", context)


@page
def pending(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Waiting jobs, oldest first: those outside of lanes, or those of one lane."""
    asked = Asked(request, places.find(server, queue), PendingTable)
    if asked.moves:
        return asked.settle()
    place, look = asked.place, asked.look
    known = discovery.lanes_of(server, queue)
    near = waiting.near(known, look)
    found = reads.pending_page(
        asked.client, queue, *asked.start, look.lane, **asked.way, lanes=near
    )
    flat = found.total if look.lane is None else place.counts.pending
    listing = asked.listing(found, "pending", look.lane)
    drawn = [rows.job_row(job, listing) for job in found.jobs]
    lanes = waiting.lines(found, known, look)
    context = asked.context(found, drawn, flat) | {
        "lanes": lanes,
        "deepest": waiting.deepest(lanes),
        "no_lane": look.query(lane="", cursor="", at=""),
        "more_lanes": len(set(known) - set(near)),
        "lanes_url": place.url("queue_lanes"),
        "lane": None if look.lane is None else brief(look.lane),
        "own_lane": next((line for line in lanes if line.is_current), None),
    }
    return show(request, "console/pending.html", context)


@page
def scheduled(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Jobs that wait for their time, the next one due first."""
    asked = Asked(request, places.find(server, queue), ScheduledTable)
    if asked.moves:
        return asked.settle()
    found = reads.scheduled_page(asked.client, queue, *asked.start, **asked.way)
    asked.place = asked.place.seen(scheduled=found.total)
    listing = asked.listing(found, "scheduled")
    drawn = [rows.job_row(job, listing) for job in found.jobs]
    return show(request, "console/scheduled.html", asked.context(found, drawn, found.total))


@page
def dead(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Dead jobs, newest minted first, or those that died last first."""
    is_by_death = request.GET.get("order") == DIED
    table = DiedTable if is_by_death else DeadTable
    asked = Asked(request, places.find(server, queue), table)
    if asked.moves:
        return asked.settle()
    order = deaths.in_order(asked) if is_by_death else None
    found = (
        order.found if order else reads.dead_page(asked.client, queue, *asked.start, **asked.way)
    )
    asked.place = asked.place.seen(dead=found.total)
    listing = asked.listing(found, "dead")
    drawn = deaths.dead_rows(found.jobs, listing, order.deaths if order else None)
    context = asked.context(found, drawn, found.total)
    return show(request, "console/dead.html", context | deaths.context(asked, order, context))


@page
def open_job(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """To the page of the job whose id was typed, plain or in its `~` form; to the search when this
    queue has no such job."""
    typed = _typed(request)
    job_id = _job_id(typed)
    if typed and len(job_id) <= links.LONGEST_ID:
        if is_here(places.find(server, queue).server.client, queue, job_id):
            return redirect(links.job_url(server, queue, job_id))
        text = typed if typed.isprintable() else to_url(job_id)
        return redirect(f"{reverse('find')}?{urlencode({'q': text})}")
    sentence = TOO_LONG if typed else "No id was typed: go back and type the id of a job."
    context = {"title": "No job to open", "sentence": sentence}
    return show(request, "console/message.html", context, status=400)


@page
def audit(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """The entries of the queue's audit stream, newest first."""
    place, look = places.find(server, queue), PageLook.read(request.GET)
    jump = tools.jump(look, place, ahead=False)
    if jump.settled:
        return redirect(f"{request.path}?{look.query(at=jump.settled, zone='')}")
    at_ms = jump.at.ms if jump.at else None
    found = audit_page(place.server.client, queue, look.rows, look.cursor, at_ms)
    context = around(request, place, "audit", look, found.total) | {
        **outcomes.context(request, place, outcomes.kept(request)),
        "back": "queue_audit",
        "found": found,
        "now_ms": place.now_ms,
        "entries": [entries.line(entry, (server, queue)) for entry in found.entries],
        "trail_url": links.trail_url(server, queue),
        "tools": tools.entry_tools(request, look, jump, found),
        "back_word": "Newer",
        "forth_word": "Older",
        **turns(look, found),
    }
    return show(request, "console/audit.html", context)


def _typed(request: HttpRequest) -> str:
    """The id of the address, byte by byte; empty when there is none."""
    query = parse_qs(request.META.get("QUERY_STRING", ""), errors="surrogateescape")
    return query.get("id", [""])[0].strip()


def _job_id(typed: str) -> str:
    try:
        return from_url(typed)
    except ValueError:
        return typed
