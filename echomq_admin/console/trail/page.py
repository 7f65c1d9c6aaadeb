"""The page of the trail: entries as the address asks for them, and the form that asks."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from echomq_admin.console import outcomes
from echomq_admin.console.access import page
from echomq_admin.console.entries import called
from echomq_admin.console.forms import SIZES
from echomq_admin.console.htmx import is_fragment, show
from echomq_admin.console.lists import turns
from echomq_admin.console.sifting import Choice, choices, typed
from echomq_admin.console.trail import lines
from echomq_admin.console.trail.lacking import lacking
from echomq_admin.console.trail.looks import TrailLook
from echomq_admin.console.trail.undoing import Undoing
from echomq_admin.fleet import servers
from echomq_admin.ledger import trail as ledger
from echomq_admin.ledger.models import Kind
from echomq_admin.operations.accounts import Deed
from echomq_admin.operations.actions import ACTIONS

# What a sign-in can have been, as its entries call it.
SIGN_INS = ("signed in", "signed out", "sign-in failed", "locked out")
_KINDS = {
    Kind.MOVED: "moves of jobs and queues",
    Kind.KEPT: "settings and accounts of the console",
    Kind.REFUSED: "refused attempts",
    Kind.SIGN_IN: "sign-ins",
}


@page
def trail(request: HttpRequest) -> HttpResponse:
    """Who did what, when, where and why; newest first, sifted as the address says."""
    now_ms = timezone.now().timestamp() * 1_000
    look = TrailLook.read(request, now_ms)
    if look.settled and not look.errors and not is_fragment(request):
        return redirect(f"{request.path}?{look.query(**look.settled)}")
    context = _around(request, look)
    if not look.errors:
        context |= _found(request, look, now_ms)
    return show(request, "console/trail.html", context)


def _found(request: HttpRequest, look: TrailLook, now_ms: float) -> dict[str, object]:
    found = ledger.page(look.wanted, look.rows, look.cursor, counted=True)
    gaps = ledger.gaps(look.wanted, found)
    total = found.total
    return {
        "found": found,
        "lines": lines.lines(found, gaps, look, Undoing(request.user, found.entries), now_ms),
        "total": total,
        "is_more": total is not None and total > ledger.COUNTED,
        **lacking(look.wanted),
        "counted": ledger.COUNTED,
        "window": ledger.WINDOW,
        **turns(look, found),
    }


def _around(request: HttpRequest, look: TrailLook) -> dict[str, object]:
    """What stands around the entries: the form, and the ways out."""
    wanted = look.wanted
    return {
        "look": look,
        "wanted": wanted,
        "outcome": outcomes.kept(request),
        "dismiss": outcomes.dismissed(request),
        "query": look.query(),
        "exported": look.query(cursor="", rows=""),
        "newest": look.query(cursor=""),
        "is_newest": not look.cursor,
        "queue_typed": typed(wanted.queue),
        "job_typed": typed(wanted.job_id),
        "ops": choices([*ACTIONS, *SIGN_INS, *Deed], wanted.op, called),
        "kinds": [Choice(kind, label, kind == wanted.kind) for kind, label in _KINDS.items()],
        "servers": choices([one.name for one in servers.servers()], wanted.server),
        "sizes": [(size, look.query(rows=str(size), cursor="")) for size in SIZES],
        "rows_now": look.rows,
        "back_word": "Newer",
        "forth_word": "Older",
    }
