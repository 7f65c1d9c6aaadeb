"""The page of a server: what it is, how it fares, and what the console may do there."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from echomq_admin.console import places
from echomq_admin.console.access import page
from echomq_admin.console.htmx import is_fragment, show
from echomq_admin.console.server_facts import panels
from echomq_admin.console.server_notes import notes
from echomq_admin.fleet import about, servers
from echomq_admin.fleet.about import About
from echomq_admin.fleet.discovery import last_failure, last_pass, under_way
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.servers import Server
from echomq_admin.fleet.snapshot import ServerSnapshot, snapshot


@page
def server(request: HttpRequest, server: str) -> HttpResponse:
    """One server. Out of reach, it shows what was last seen and goes on trying."""
    where = places.server(server)
    look = snapshot(where)
    seen, error = _read(where, look)
    read_only = None if error else servers.read_only_reason(where, facts=look.facts)
    context = {
        "server": where,
        "look": look,
        "about": seen,
        "error": error,
        "notes": notes(seen, read_only),
        "lacks": bool(seen) and any(right.refused or right.unknown for right in seen.rights),
        "asked_for": _named(seen),
        "panels": panels(where, look, seen),
        "last": last_pass(where.name),
        "walked": under_way(where.name),
        "failure": last_failure(where.name),
        "queues": look.known if look.facts else None,
    }
    # A fragment with a banner is shown in place of the old one, so it is no failure of a poll.
    status = 503 if error and not is_fragment(request) else 200
    return show(request, "console/server.html", context, status=status)


def _read(where: Server, look: ServerSnapshot) -> tuple[About | None, str | None]:
    """What the server tells of itself, or what it told last and why it tells nothing now."""
    if look.error:
        return about.last_seen(where), look.error
    try:
        return about.told(where, _asked_for(look)), None
    except servers.TROUBLE as error:
        return about.last_seen(where), servers.trouble(where, error)


def _asked_for(look: ServerSnapshot) -> str | None:
    """The queue for whose keys rights are asked: the first that can be read, for a user may be
    limited to the keys of some."""
    readable = (counts.queue for counts in look.queues if not counts.faults)
    return next(readable, look.queues[0].queue if look.queues else None)


def _named(about: About | None) -> str | None:
    queue = about.rights_queue if about else None
    return None if queue is None else brief(queue)
