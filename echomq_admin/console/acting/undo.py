"""The button that takes a requeue back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from echomq_admin.console import places
from echomq_admin.console.access import acts
from echomq_admin.console.acting.answers import FOREIGN, Way, guarded, refuse, told
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.outcomes import Outcome
from echomq_admin.fleet.snapshot import refresh
from echomq_admin.operations import undoing
from echomq_admin.operations.actions import ACTIONS

_VERB = "return_to_dead"


@acts(_VERB)
def undo(request: HttpRequest, server: str, queue: str, op_id: str) -> HttpResponse:
    """Return to dead what the requeue of that op_id moved and what still waits."""
    place = places.find(server, queue)
    try:
        back = Asked.read(request.POST, ACTIONS[_VERB], place).back_url
    except ValueError:
        return refuse(request, place.url("queue_dead"), FOREIGN)
    name = undoing.undo_id(place.server.name, place.queue, op_id)
    way = Way(request, place, "Undo", back, name)
    return guarded(way, lambda: _done(way, op_id))


def _done(way: Way, op_id: str) -> HttpResponse:
    place, request = way.place, way.request
    reason = request.POST.get("reason", "").strip()
    done = undoing.undo(request.user, place.server.name, place.queue, op_id, reason)
    refresh(place.server)
    is_done = "returned" in done.outcomes.values()
    outcome = Outcome(
        level="part" if done.refusals else "done",
        sentence=f"{'Undone' if is_done else 'Not undone'}: {done.sentence}",
        note=done.note,
        refusals=done.refusals,
        at_ms=place.now_ms,
        ticks=False,
    )
    return told(request, way.back, done.call.op_id, outcome)
