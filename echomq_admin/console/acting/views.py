"""One address a verb: a GET shows what would be done, a POST asks for consent or does it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from echomq_admin.console import places
from echomq_admin.console.access import acts
from echomq_admin.console.acting import asking, previews, replays, results, stepping
from echomq_admin.console.acting.answers import FOREIGN, Way, guarded, lost, noted, refuse, told
from echomq_admin.console.acting.asked import BACKS, Asked
from echomq_admin.console.htmx import is_fragment, show
from echomq_admin.console.places import Away, Place
from echomq_admin.fleet.names import shown as eye
from echomq_admin.fleet.snapshot import refresh
from echomq_admin.operations import consent, looks
from echomq_admin.operations.action import Action, Consent
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.services import (
    Call,
    Invalid,
    NotAllowed,
    Refused,
    Unreachable,
    perform,
)

VERBS = tuple(verb for verb, action in ACTIONS.items() if action.address == "act")
_NONE = "Nothing was changed: no job was ticked."


class VerbConverter:
    """The verbs that have an address of their own."""

    regex = "|".join(VERBS)

    def to_python(self, text: str) -> str:
        return text

    def to_url(self, verb: str) -> str:
        return verb


def act(request: HttpRequest, server: str, queue: str, verb: str) -> HttpResponse:
    """Show what an action would do (GET), or do it (POST), for whom it is permitted."""
    return acts(verb, "GET", "HEAD", "POST")(_act)(request, server, queue, verb)


def _act(request: HttpRequest, server: str, queue: str, verb: str) -> HttpResponse:
    action = ACTIONS[verb]
    try:
        return _answer(request, action, places.find(server, queue))
    except Away as away:
        if request.method != "POST" or request.htmx:
            raise
        # A plain form is sent by a page that is gone now: what was typed into it is kept.
        way = Way(request, away.place, action.label, away.place.url(BACKS[0]))
        return lost(way, f"Nothing was sent, so nothing was changed: {away.sentence}")


def _answer(request: HttpRequest, action: Action, place: Place) -> HttpResponse:
    is_post = request.method == "POST"
    if is_post and stepping.KEY in request.POST:
        return stepping.go_on(request, place, action)
    try:
        asked = Asked.read(request.POST if is_post else request.GET, action, place)
    except ValueError:
        return refuse(request, place.url("queue_dead"), FOREIGN)
    if why_not := _miscounted(asked):
        return refuse(request, asked.back_url, why_not)
    return _consented(request, asked) if is_post else _ask(request, asked, asked.call(request.GET))


def _miscounted(asked: Asked) -> str:
    """Why no call can be made for so many jobs, as a sentence; empty when one can. Nobody is asked
    to confirm what would be refused then."""
    action, count = asked.action, len(asked.chosen.job_ids)
    if action.target not in {"job", "jobs"}:
        return ""
    if not count:
        return _NONE
    if action.target == "job" and count > 1:
        return f"Nothing was changed: {action.label} works on one job at a time, not on {count:,}."
    if count > action.max_jobs:
        return (
            f"Nothing was changed: {action.label} takes at most {action.max_jobs:,} jobs at a "
            f"time, and {count:,} were ticked. Untick some, or do it in parts."
        )
    return ""


def _consented(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Do it when the press is consent enough, else ask."""
    call = asked.call(request.POST)
    if asked.is_bare:
        return _perform(request, asked, call)
    problem = _problem(request, asked, call) if asked.shown else ""
    if not asked.shown or problem or asked.errors:
        return _ask(request, asked, call, problem)
    return _perform(request, asked, call)


def _ask(request: HttpRequest, asked: Asked, call: Call, problem: str = "") -> HttpResponse:
    context = asking.context(request, asked, call, problem)
    if context["preview"].is_page and is_fragment(request):
        return HttpResponse(headers={"HX-Redirect": asked.own_url})
    return show(request, "console/ask.html", context, part="dialog")


def _problem(request: HttpRequest, asked: Asked, call: Call) -> str:
    """Why the confirmation is not enough, as a sentence; empty when it is, or when the call was
    made before: then it only answers again."""
    who, place = request.user.get_username(), asked.place
    if foreign := consent.foreign(who, call, asked.form_id, asked.shown, asked.drafts):
        return noted(request, call, foreign)
    if asked.consent is Consent.TYPE_NAME and asked.typed_name != eye(place.queue):
        return f"Type the queue's name, {eye(place.queue)}, to confirm. Nothing was done."
    outdated = consent.outdated(call, asked.shown, previews.numbers(asked, call))
    return "" if outdated and looks.is_begun(place.server, call) else outdated


def _perform(request: HttpRequest, asked: Asked, call: Call) -> HttpResponse:
    """Pass the one door, keep what it answered, and go back to the page that shows it."""
    way = Way(request, asked.place, asked.action.label, asked.back_url, call.op_id)
    if asked.action.in_steps:
        return stepping.start(way, asked, call)
    return guarded(way, lambda: _done(way, asked, call))


def _done(way: Way, asked: Asked, call: Call) -> HttpResponse:
    before_ms = replays.done_ago_ms(asked, call)
    try:
        done = perform(way.request.user, call)
    except (Unreachable, NotAllowed):
        raise
    except Refused as refused:
        if asked.shown and (asked.drafts or isinstance(refused, Invalid)):
            return _ask(way.request, asked, call, refused.sentence)
        raise
    refresh(asked.place.server)
    outcome = results.outcome(asked, done)
    if before_ms is not None:
        outcome = replays.told(asked, done, outcome, before_ms)
    return told(way.request, way.back, done.call.op_id, outcome)
