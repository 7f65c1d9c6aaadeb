"""How an attempt to act is answered: by a redirect to the page that shows what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from echomq_admin.console import forms, outcomes
from echomq_admin.console.htmx import say, show
from echomq_admin.console.outcomes import Outcome
from echomq_admin.console.places import Place
from echomq_admin.operations import services
from echomq_admin.operations.services import Call, NotAllowed, Refused, Unreachable

LONGEST_ADDRESS = 8_000
FOREIGN = (
    "Nothing was changed: the form names a job or a lane in a way that no page of the console "
    "writes."
)


@dataclass(frozen=True)
class Way:
    """Whose call it is and where its answer leads: `back` is the page that shows it, `op_id` the
    name of the call, `label` the words of its button."""

    request: HttpRequest
    place: Place
    label: str
    back: str
    op_id: str = ""


def guarded(way: Way, work: Callable[[], HttpResponse]) -> HttpResponse:
    """What `work` answers, or the answer to what the door refused in it."""
    try:
        return work()
    except Unreachable as lost_:
        return lost(way, lost_.sentence)
    except NotAllowed as refused:
        return say(refused.sentence, 403)
    except Refused as refused:
        return refuse(way.request, way.back, refused.sentence, way.op_id)


def refuse(request: HttpRequest, back: str, sentence: str, op_id: str = "") -> HttpResponse:
    """Back to a page that says why nothing was done."""
    return told(request, back, op_id or forms.new_op_id(), Outcome("refused", sentence))


def noted(request: HttpRequest, call: Call, sentence: str) -> str:
    """The sentence, when the trail has it too: what no page of the console sends was tried."""
    try:
        services.refuse(call, request.user.get_username(), Refused(sentence))
    except Refused as refused:
        return refused.sentence


def told(request: HttpRequest, back: str, op_id: str, outcome: Outcome) -> HttpResponse:
    """Back to a page that shows this outcome."""
    outcomes.keep(request, op_id, outcome)
    return to(back, op_id)


def to(back: str, op_id: str) -> HttpResponse:
    """Back to a page, without its query when the address would be too long to be followed."""
    if len(back) > LONGEST_ADDRESS:
        back = back.partition("?")[0]
    return redirect(f"{back}{'&' if '?' in back else '?'}did={op_id}")


def lost(way: Way, sentence: str) -> HttpResponse:
    """No answer came. The form stays as it was: sent again, it repeats the same call."""
    if way.request.htmx:
        return say(sentence, 503)
    context = {
        "place": way.place,
        "sentence": sentence,
        "fields": list(_fields(way.request)),
        "action": way.request.path,
        "label": way.label,
        "back_url": way.back,
    }
    return show(way.request, "console/again.html", context, status=503)


def _fields(request: HttpRequest) -> Iterator[tuple[str, str]]:
    for name, values in request.POST.lists():
        if name != "csrfmiddlewaretoken":
            yield from ((name, value) for value in values)
