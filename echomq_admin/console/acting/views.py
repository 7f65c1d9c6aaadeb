"""One address a verb: a GET shows what would be done, a POST asks for consent or does it."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from echomq_admin.console import forms, outcomes, places
from echomq_admin.console.access import acts
from echomq_admin.console.acting import asking, previews, results, stepping
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.htmx import say, show
from echomq_admin.console.outcomes import Outcome
from echomq_admin.fleet.names import shown as eye
from echomq_admin.fleet.snapshot import refresh
from echomq_admin.operations import consent
from echomq_admin.operations.action import Consent
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.services import (
    Call,
    Done,
    NotAllowed,
    Refused,
    Unreachable,
    perform,
)

LONGEST_ADDRESS = 8_000
# Those that have no button of this kind: two create jobs, one is an undo, one has its own page.
ELSEWHERE = {"enqueue", "schedule", "return_to_dead", "sweep"}
VERBS = tuple(
    verb for verb, action in ACTIONS.items() if action.changes == "server" and verb not in ELSEWHERE
)
_FOREIGN = (
    "Nothing was changed: the form names a job or a lane in a way that no page of the console "
    "writes."
)
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
    action, place = ACTIONS[verb], places.find(server, queue)
    is_post = request.method == "POST"
    try:
        asked = Asked.read(request.POST if is_post else request.GET, action, place)
    except ValueError:
        return _refuse(request, place.url("queue_dead"), _FOREIGN)
    if action.target in {"job", "jobs"} and not asked.chosen.job_ids:
        return _refuse(request, asked.back_url, _NONE)
    call = asked.call(request.POST)
    if is_post and asked.is_bare:
        return _perform(request, asked, call)
    if not is_post or not asked.shown:
        return _ask(request, asked, call)
    problem = _problem(request, asked, call)
    if problem or asked.errors:
        return _ask(request, asked, call, problem)
    return _perform(request, asked, call)


def _ask(request: HttpRequest, asked: Asked, call: Call, problem: str = "") -> HttpResponse:
    context = asking.context(request, asked, call, problem)
    return show(request, "console/ask.html", context, part="dialog")


def _problem(request: HttpRequest, asked: Asked, call: Call) -> str:
    """Why the confirmation is not enough, as a sentence; empty when it is."""
    if asked.consent is Consent.TYPE_NAME and asked.typed_name != eye(asked.place.queue):
        return f"Type the queue's name, {eye(asked.place.queue)}, to confirm. Nothing was done."
    now = previews.preview(asked, call)
    numbers = now.numbers if now else {}
    return consent.refusal(request.user.get_username(), call, asked.shown, numbers)


def _perform(request: HttpRequest, asked: Asked, call: Call) -> HttpResponse:
    """Pass the one door, keep what it answered, and go back to the page that shows it."""
    try:
        run = stepping.run if asked.action.in_steps else _once
        done = run(request, call)
    except Unreachable as lost:
        return _lost(request, asked, lost.sentence)
    except NotAllowed as refused:
        return say(refused.sentence, 403)
    except Refused as refused:
        return _refuse(request, asked.back_url, refused.sentence, call.op_id)
    refresh(asked.place.server)
    outcomes.keep(request, done.call.op_id, results.outcome(asked, done))
    return _to(asked.back_url, done.call.op_id)


def _once(request: HttpRequest, call: Call) -> Done:
    return perform(request.user, call)


def _refuse(request: HttpRequest, back: str, sentence: str, op_id: str = "") -> HttpResponse:
    name = op_id or forms.new_op_id()
    outcomes.keep(request, name, Outcome("refused", sentence))
    return _to(back, name)


def _to(back: str, op_id: str) -> HttpResponse:
    """Back to the page, without its query when the address would be too long to be followed."""
    if len(back) > LONGEST_ADDRESS:
        back = back.partition("?")[0]
    return redirect(f"{back}{'&' if '?' in back else '?'}did={op_id}")


def _lost(request: HttpRequest, asked: Asked, sentence: str) -> HttpResponse:
    """No answer came. The form stays as it was: sent again, it repeats the same call."""
    if request.htmx:
        return say(sentence, 503)
    context = {
        "place": asked.place,
        "sentence": sentence,
        "fields": list(_fields(request)),
        "action": request.path,
        "label": asked.action.label,
        "back_url": asked.back_url,
    }
    return show(request, "console/again.html", context, status=503)


def _fields(request: HttpRequest) -> Iterator[tuple[str, str]]:
    for name, values in request.POST.lists():
        if name != "csrfmiddlewaretoken":
            yield from ((name, value) for value in values)
