"""Sweep, reap, and reap of one lane: each previewed, done, and held against its preview."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.http import HttpRequest, HttpResponse

from echomq_admin.console import forms, outcomes, places, sweeps
from echomq_admin.console.access import acts, page
from echomq_admin.console.acting import ending
from echomq_admin.console.acting.answers import FOREIGN, Way, guarded, noted, refuse, told
from echomq_admin.console.acting.ending import Ending
from echomq_admin.console.htmx import show
from echomq_admin.console.outcomes import Outcome
from echomq_admin.console.places import Place
from echomq_admin.console.tables import FateTable
from echomq_admin.console.tabs import tabs
from echomq_admin.fleet.snapshot import refresh
from echomq_admin.operations import consent
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.calls import Call
from echomq_admin.operations.failures import FAILURES
from echomq_admin.operations.services import Done, allowed, perform

View = Callable[[HttpRequest, str, str], HttpResponse]


def view(verb: str) -> View:
    """The page of one of `ending.VERBS`: its preview (GET, changes nothing), its press (POST)."""

    def look(request: HttpRequest, server: str, queue: str) -> HttpResponse:
        return _look(request, verb, places.find(server, queue))

    def press(request: HttpRequest, server: str, queue: str) -> HttpResponse:
        return _press(request, verb, places.find(server, queue))

    guarded_look, guarded_press = page(look), acts(verb)(press)

    def either(request: HttpRequest, server: str, queue: str) -> HttpResponse:
        one = guarded_press if request.method == "POST" else guarded_look
        return one(request, server, queue)

    return either


sweep, reap, reap_group = map(view, ending.VERBS)


def _look(request: HttpRequest, verb: str, place: Place) -> HttpResponse:
    try:
        asked = Ending.read(verb, place, request.GET)
    except ValueError:
        asked = Ending.read(verb, place, type(request.GET)())
    return _show(request, asked)


def _press(request: HttpRequest, verb: str, place: Place) -> HttpResponse:
    try:
        asked = Ending.read(verb, place, request.POST)
    except ValueError:
        return refuse(request, place.url(verb), FOREIGN)
    if not asked.is_whole:
        return _show(request, asked)
    call = asked.call(request.POST, ending.taken(request.POST))
    back = f"{place.url(verb)}?{asked.query}"
    way = Way(request, place, ending.label(verb), back, call.op_id)
    if problem := _problem(request, asked, call):
        return _show(request, asked, problem)
    return guarded(way, lambda: _done(way, call))


def _problem(request: HttpRequest, asked: Ending, call: Call) -> str:
    """Why the preview that the form carries does not cover the call; empty when it does."""
    who, form_id = request.user.get_username(), forms.form_id(request.POST)
    shown = request.POST.get("shown", "")
    if foreign := consent.foreign(who, call, form_id, shown):
        return noted(request, call, foreign)
    return asked.outdated(call, shown)


def _done(way: Way, call: Call) -> HttpResponse:
    done = perform(way.request.user, call)
    refresh(way.place.server)
    return told(way.request, way.back, done.call.op_id, _outcome(way, done))


def _show(request: HttpRequest, asked: Ending, problem: str = "") -> HttpResponse:
    place, verb = asked.place, asked.verb
    outcome = outcomes.kept(request)
    context = {
        "place": place,
        "tabs": tabs(place),
        "action": ACTIONS[verb],
        "url": place.url(verb),
        "asked": asked,
        "form": asked.form,
        "problem": problem,
        "may": place.may(request.user, verb),
        "may_sweep": place.may(request.user, "sweep"),
        "takes_role": "" if allowed(request.user, verb) else ACTIONS[verb].role,
        **outcomes.context(request, place, outcome),
    }
    if asked.form.is_valid() and outcome is None:
        context |= _previewed(request, asked)
        place = place.seen(lapsed=context["found"].lapsed)
        context |= {"place": place, "tabs": tabs(place)}
    return show(request, "console/sweep.html", context)


def _previewed(request: HttpRequest, asked: Ending) -> dict:
    found = asked.preview()
    if not asked.is_whole:
        return {"found": found, "lanes": ending.by_lane(found)}
    *columns, last = FateTable([]).headings()
    label = "A sweep" if asked.verb == "sweep" else "A reap"
    headings = [*columns, replace(last, label=label)]
    return {
        "headings": headings,
        "fate_label": label,
        **asked.context(request.user, found, forms.new_op_id()),
    }


def _outcome(way: Way, done: Done) -> Outcome:
    ended = {job_id: str(word) for job_id, word in done.outcomes.items()}
    seen = forms.read_seen(way.request.POST.get("seen", ""))
    missed = [job_id for job_id in seen or {} if job_id not in ended]
    fates = _fates(way.place, missed)
    result = {
        "done": "swept" if done.call.action == "sweep" else "reaped",
        "has_preview": seen is not None,
        "seen": len(seen or {}),
        "swept": len(ended),
        "rows": sweeps.comparison(seen or {}, ended, fates),
        "differences": [] if seen is None else sweeps.differences(seen, ended, fates),
        "more": done.more,
    }
    level = "part" if {"dead", "unreadable"} & set(ended.values()) else "done"
    return Outcome(level, done.sentence, done.note, result=result, at_ms=way.place.now_ms)


def _fates(place: Place, missed: list[str]) -> dict[str, str]:
    """What became of the leases that were left. What was done stays done, whatever fails."""
    try:
        return sweeps.whereabouts(place.server.client, place.queue, missed)
    except FAILURES:
        return dict.fromkeys(missed, "unknown")
