"""What templates need to offer actions on a whole queue."""

from __future__ import annotations

from django import template
from django.http import HttpRequest

from echomq_admin.console.acting.asked import BACKS
from echomq_admin.console.acting.menu import menu
from echomq_admin.console.forms import new_op_id
from echomq_admin.operations.actions import ACTIONS, Action

register = template.Library()
# The pages that show what an action on the whole queue did.
_TELLING = {name for name in BACKS if name != "job"}


@register.inclusion_tag("console/_queue_menu.html", takes_context=True)
def queue_menu(context: template.Context) -> dict[str, object]:
    """The actions that can work on the queue of the page now, for whoever looks at it."""
    request, place = context["request"], context["place"]
    return {
        "items": menu(place, request.user),
        "back": _back(request),
        "look": _look(request),
        "op_id": new_op_id(),
        "csrf_token": context.get("csrf_token"),
    }


@register.simple_tag
def action_keys() -> list[tuple[str, str]]:
    """The keys that press the buttons of actions, each with what it does."""
    return [(action.key, _said(action)) for action in ACTIONS.values() if action.key]


def _said(action: Action) -> str:
    of = {"the ticked jobs": action.ticked_on, "the row": action.own_on}
    return f"{action.label.lower()}: {', or '.join(name for name, lists in of.items() if lists)}"


def _back(request: HttpRequest) -> str:
    """The page to lead back to: this one, where an action can lead back to it."""
    match = request.resolver_match
    name = match.url_name if match else ""
    return name if name in _TELLING else "queue_active"


def _look(request: HttpRequest) -> str:
    query = request.GET.copy()
    query.pop("did", None)
    return query.urlencode()
