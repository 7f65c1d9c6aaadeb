"""What people set for a queue: its settings, and whether it is listed by name or hidden.

All of it is the console's own. Every change passes the one door and is on record below the form.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from echomq_admin.console import outcomes, places
from echomq_admin.console.access import acts, may_keep, page
from echomq_admin.console.forms import new_op_id
from echomq_admin.console.htmx import show
from echomq_admin.console.outcomes import Outcome
from echomq_admin.console.places import Place
from echomq_admin.console.settings_form import ARGS, SettingsForm, changed_by, changes, error_of
from echomq_admin.console.tabs import tabs
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import brief, from_url
from echomq_admin.fleet.servers import Server
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.arguments import MAX_REASON
from echomq_admin.operations.checks import needs_reason
from echomq_admin.operations.refusals import Invalid, Overtaken, Trouble
from echomq_admin.operations.services import Call, Refused, perform

LISTED = 20
LONGEST_NAME = 500


def settings(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """The settings of a queue, and who changed what; a POST saves them."""
    return (_save if request.method == "POST" else _settings)(request, server, queue)


@page
def _settings(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    return _show(request, places.find(server, queue), outcome=outcomes.kept(request))


@acts("set_queue")
def _save(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    typed, seen = changed_by(request.POST)
    was = {name: str(value) for name, value in seen.items()}
    if any(error_of(arg, typed) for arg in ARGS):
        return _show(request, places.find(server, queue), typed, was=was)
    try:
        done = perform(request.user, _call(request, "set_queue", server, queue, seen=seen, **typed))
    except Refused as refused:
        # Whoever was told what stands there now may put something else in its place.
        was = {} if isinstance(refused, Overtaken) else was
        outcome = Outcome("refused", refused.sentence)
        return _show(request, places.find(server, queue), typed, outcome, was=was)
    return _back(request, server, queue, Outcome("done", done.sentence))


@acts("hide_queue")
def hide(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Hide a queue from the overview, or with `hidden=0` list it there again; then back to where
    the button was, the overview or the settings."""
    verb = "unhide_queue" if request.POST.get("hidden") == "0" else "hide_queue"
    try:
        outcome = _performed(request, verb, server, queue)
    except Trouble as trouble:
        # The session is in the same database, so the refusal cannot be kept for a redirect.
        outcome = Outcome("refused", trouble.sentence)
        return _show(request, places.find(server, queue), outcome=outcome, status=503)
    if request.POST.get("back") == "overview" and outcome.level == "done":
        look = QueryDict(request.POST.get("look", "")).urlencode()
        return redirect(reverse("overview") + (f"?{look}" if look else ""))
    return _back(request, server, queue, outcome)


@acts("forget_queue")
def forget(request: HttpRequest, server: str, queue: str) -> HttpResponse:
    """Keep a queue that was added by name no longer than it has keys."""
    name = new_op_id()
    try:
        outcomes.keep(request, name, _performed(request, "forget_queue", server, queue))
    except Trouble as trouble:
        outcome = Outcome("refused", trouble.sentence)
        return _show_added(request, places.server(server), outcome=outcome)
    return redirect(f"{reverse('queue_add', args=[server])}?did={name}")


@acts("add_queue", "GET", "HEAD", "POST")
def add(request: HttpRequest, server: str) -> HttpResponse:
    """Add a queue by its name; below the form are those that were added so."""
    where = places.server(server)
    if request.method != "POST":
        return _show_added(request, where)
    typed = request.POST.get("name", "")
    try:
        queue = _name(typed)
        done = perform(request.user, _call(request, "add_queue", server, queue))
    except Refused as refused:
        return _show_added(request, where, typed, refused.sentence)
    return _back(request, server, queue, Outcome("done", done.sentence))


def _call(request: HttpRequest, verb: str, server: str, queue: str, **args: object) -> Call:
    return Call(verb, server, queue, args=args, reason=request.POST.get("reason", ""))


def _performed(request: HttpRequest, verb: str, server: str, queue: str) -> Outcome:
    """What came of it. Raises `Trouble`."""
    try:
        done = perform(request.user, _call(request, verb, server, queue))
        return Outcome("done", done.sentence)
    except Trouble:
        raise
    except Refused as refused:
        return Outcome("refused", refused.sentence)


def _back(request: HttpRequest, server: str, queue: str, outcome: Outcome) -> HttpResponse:
    name = new_op_id()
    outcomes.keep(request, name, outcome)
    return redirect(f"{reverse('queue_settings', args=[server, queue])}?did={name}")


def _show(
    request: HttpRequest,
    place: Place,
    typed: Mapping[str, str] | None = None,
    outcome: Outcome | None = None,
    status: int = 200,
    was: Mapping[str, str] | None = None,
) -> HttpResponse:
    name = place.server.name
    changed = changes(name, place.queue, LISTED + 1)
    context = {
        "place": place,
        "tabs": tabs(place),
        "form": SettingsForm(name, place.queue, typed, was),
        "is_added": place.queue in discovery.added_queues(name),
        "changes": changed[:LISTED],
        "has_more": len(changed) > LISTED,
        "outcome": outcome,
        "dismiss": outcomes.dismissed(request),
        "read_only": servers.console_read_only(),
        "may_sweep": place.may(request.user, "sweep"),
        "on_settings": True,
        "needs_reason": needs_reason(ACTIONS["set_queue"]),
        "reason": request.POST.get("reason", ""),
        "most_reason": MAX_REASON,
        **{
            f"may_{verb}": may_keep(request, verb)
            for verb in ("set_queue", "hide_queue", "add_queue")
        },
    }
    return show(request, "console/queue_settings.html", context, status=status)


def _show_added(
    request: HttpRequest,
    server: Server,
    typed: str = "",
    error: str = "",
    outcome: Outcome | None = None,
) -> HttpResponse:
    added = sorted(discovery.added_queues(server.name))
    context = {
        "server": server,
        "typed": typed,
        "error": error,
        "added": [(queue, brief(queue)) for queue in added],
        "read_only": servers.console_read_only(),
        "outcome": outcome or outcomes.kept(request),
        "dismiss": outcomes.dismissed(request),
    }
    return show(request, "console/queue_add.html", context, status=503 if outcome else 200)


def _name(typed: str) -> str:
    """The name that a person typed, plain or in `~` form. Raises `Invalid`."""
    try:
        queue = from_url(typed.strip())
    except ValueError as error:
        raise Invalid(f"This is no name of a queue: {error}.") from None
    if len(queue) > LONGEST_NAME:
        raise Invalid(
            f"A queue can be added by a name of at most {LONGEST_NAME} characters; this one has "
            f"{len(queue):,}. A queue that has keys is found whatever it is called."
        )
    return queue
