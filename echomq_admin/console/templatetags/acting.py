"""What templates need to offer actions on a whole queue."""

from __future__ import annotations

from django import template
from django.http import HttpRequest

from echomq_admin.console.acting.asked import BACKS
from echomq_admin.console.acting.menu import menu
from echomq_admin.console.forms import new_op_id

register = template.Library()
# The pages that show what an action on the whole queue did.
_TELLING = {name for name in BACKS if name not in {"job", "queue_audit"}}


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


def _back(request: HttpRequest) -> str:
    """The page to lead back to: this one, where an action can lead back to it."""
    match = request.resolver_match
    name = match.url_name if match else ""
    return name if name in _TELLING else "queue_active"


def _look(request: HttpRequest) -> str:
    query = request.GET.copy()
    query.pop("did", None)
    return query.urlencode()
