"""The sweep: its preview and its result. Every move passes the one audited door."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode

from echomq_admin.console import forms, outcomes, places, sweeps
from echomq_admin.console.access import acts, page
from echomq_admin.console.forms import SweepForm
from echomq_admin.console.htmx import say, show
from echomq_admin.console.outcomes import Outcome
from echomq_admin.console.places import Place
from echomq_admin.console.rows import fate_row
from echomq_admin.console.tables import FateTable
from echomq_admin.console.tabs import tabs
from echomq_admin.emq import reads
from echomq_admin.fleet.preferences import queue_settings
from echomq_admin.fleet.snapshot import refresh
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.failures import FAILURES
from echomq_admin.operations.services import (
    Call,
    Done,
    NotAllowed,
    Refused,
    Unreachable,
    allowed,
    perform,
)

LONGEST_ADDRESS = 8_000


def sweep(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Preview a sweep (GET, changes nothing) or run it (POST)."""
    return (_sweep if request.method == "POST" else _look_ahead)(request, server, queue)


@page
def _look_ahead(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    form = SweepForm.read(request.GET, queue_settings(server, queue).max_stalled)
    return _preview(request, places.find(server, queue), form)


@acts("sweep")
def _sweep(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    place = places.find(server, queue)
    form = SweepForm.read(request.POST, queue_settings(server, queue).max_stalled)
    if not form.is_valid():
        return _preview(request, place, form)
    op_id = forms.op_id(request.POST, "sweep", server, queue, sorted(form.cleaned_data.items()))
    call = Call("sweep", server, queue, args=form.cleaned_data, op_id=op_id)
    back = f"{place.url('sweep')}?{urlencode(form.cleaned_data)}"
    return _perform(request, place, call, back, _swept)


def _preview(request: HttpRequest, place: Place, form: SweepForm) -> HttpResponse:
    outcome = outcomes.kept(request)
    context = {
        "place": place,
        "tabs": tabs(place),
        "form": form,
        "outcome": outcome,
        "dismiss": outcomes.dismissed(request),
        "op_id": forms.new_op_id(),
        "may_sweep": place.may(request.user, "sweep"),
        "takes_role": "" if allowed(request.user, "sweep") else ACTIONS["sweep"].role,
    }
    if form.is_valid() and outcome is None:
        context |= _previewed(place, **form.cleaned_data)
        place = place.seen(lapsed=context["found"].lapsed)
        context |= {"place": place, "tabs": tabs(place)}
    return show(request, "console/sweep.html", context)


def _previewed(place: Place, max_stalled: int, limit: int) -> dict:
    found = reads.sweep_preview(place.server.client, place.queue, max_stalled, limit)
    return {
        "found": found,
        "table": FateTable([fate_row(fate, max_stalled) for fate in found.rows]),
        "seen": forms.sign_seen({fate.lease.job.job_id: fate.fate for fate in found.rows}),
        "recovers": sum(1 for fate in found.rows if fate.fate == "recovered"),
        "press": f"Sweep {len(found.rows):,} at max stalled {max_stalled:,}",
        "kills": sum(1 for fate in found.rows if fate.fate in {"dead", "unreadable"}),
        "drops": sum(1 for fate in found.rows if fate.fate == "orphaned"),
    }


def _perform(
    request: HttpRequest,
    place: Place,
    call: Call,
    back: str,
    tell: Callable[[HttpRequest, Place, Done], Outcome],
) -> HttpResponse:
    """Pass the one door, keep what it answered, and go back to the page that shows it."""
    try:
        done = perform(request.user, call)
    except Unreachable as lost:
        return _lost(request, place, call, lost.sentence)
    except NotAllowed as refused:
        return say(refused.sentence, 403)
    except Refused as refused:
        return _refuse(request, back, refused.sentence, call.op_id)
    refresh(place.server)
    outcomes.keep(request, done.call.op_id, tell(request, place, done))
    return _to(back, done.call.op_id)


def _swept(request: HttpRequest, place: Place, done: Done) -> Outcome:
    swept = {job_id: str(word) for job_id, word in done.outcomes.items()}
    seen = forms.read_seen(request.POST.get("seen", ""))
    missed = [job_id for job_id in seen or {} if job_id not in swept]
    fates = _fates(place, missed)
    result = {
        "has_preview": seen is not None,
        "seen": len(seen or {}),
        "swept": len(swept),
        "rows": sweeps.comparison(seen or {}, swept, fates),
        "differences": [] if seen is None else sweeps.differences(seen, swept, fates),
    }
    level = "part" if {"dead", "unreadable"} & set(swept.values()) else "done"
    return Outcome(level, done.sentence, done.note, result=result)


def _fates(place: Place, missed: list[str]) -> dict[str, str]:
    """What became of the leases that were not swept. The sweep itself is done, whatever fails."""
    try:
        return sweeps.whereabouts(place.server.client, place.queue, missed)
    except FAILURES:
        return dict.fromkeys(missed, "unknown")


def _refuse(request: HttpRequest, back: str, sentence: str, op_id: str = "") -> HttpResponse:
    name = op_id or forms.new_op_id()
    outcomes.keep(request, name, Outcome("refused", sentence))
    return _to(back, name)


def _to(back: str, op_id: str) -> HttpResponse:
    """Back to the page, without its query when the address would be too long to be followed."""
    if len(back) > LONGEST_ADDRESS:
        back = back.partition("?")[0]
    return redirect(f"{back}{'&' if '?' in back else '?'}did={op_id}")


def _lost(request: HttpRequest, place: Place, call: Call, sentence: str) -> HttpResponse:
    """No answer came. The form stays as it was: sent again, it repeats the same call."""
    if request.htmx:
        return say(sentence, 503)
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken"
    ]
    context = {
        "place": place,
        "sentence": sentence,
        "fields": fields,
        "action": request.path,
        "label": ACTIONS[call.action].label,
        "back_url": place.sweep_url,
    }
    return show(request, "console/again.html", context, status=503)
