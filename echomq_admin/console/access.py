"""Who may see and do what: the guards of the views, the frame's context, the CSRF refusal."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_http_methods

from echomq_admin.console import frames
from echomq_admin.console.htmx import here, say
from echomq_admin.fleet.servers import console_read_only
from echomq_admin.operations.actions import ACTIONS, VIEW, Role
from echomq_admin.operations.services import allowed, not_allowed

View = Callable[..., HttpResponse]
_ORIGIN_HELP = (
    "If the console stands behind a proxy, list its address in EMQ_ORIGINS "
    "(for example https://console.example.org), and set EMQ_TLS_PROXY=1 when the proxy ends TLS."
)
_SESSION_HELP = (
    "The sign-in has changed since this page was loaded, or its cookie was lost. "
    "Reload the page and try again."
)


def page(view: View) -> View:
    """A page that anyone with the right to view may read. GET and HEAD only."""
    return require_http_methods(["GET", "HEAD"])(
        _guarded(view, VIEW, "look at this console", Role.VIEWER)
    )


def keeps(view: View) -> View:
    """A form about how a person looks at pages. It changes nothing of a queue. POST only."""
    return require_http_methods(["POST"])(_guarded(view, VIEW, "look at this console", Role.VIEWER))


def acts(verb: str, *methods: str) -> Callable[[View], View]:
    """A view that leads to an action: its permission is demanded before anything is read."""

    def guard(view: View) -> View:
        action = ACTIONS[verb]
        guarded = _guarded(view, action.permission, f"use {action.label}", action.role)
        return require_http_methods(list(methods) or ["POST"])(guarded)

    return guard


def _guarded(view: View, permission: str, what: str, role: Role) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return to_login(request)
        if not request.user.has_perm(permission):
            raise PermissionDenied(not_allowed(request.user, what, role))
        return view(request, *args, **kwargs)

    return guarded


def may_keep(request: HttpRequest, verb: str) -> bool:
    """Whether the user may change what the console itself keeps of queues, by this verb."""
    return console_read_only() is None and allowed(request.user, verb)


def to_login(request: HttpRequest) -> HttpResponse:
    """To the sign-in page and back to what the person was looking at."""
    back = here(request) if request.htmx or request.method in {"GET", "HEAD"} else "/"
    response = redirect_to_login(back if back != "/" else resolve_url("overview"))
    if not request.htmx:
        return response
    return HttpResponse(headers={"HX-Redirect": response.url})


def frame(request: HttpRequest) -> dict:
    """Context of the frame around every page; nothing is read until a template asks."""
    user = getattr(request, "user", None)
    if user is None or not user.has_perm(VIEW):
        return {}
    return {"frame": SimpleLazyObject(lambda: frames.build(request))}


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A refused token or origin, with the setting or the step that mends it."""
    about_origin = "Origin" in reason or reason.startswith("Referer")
    sentence = "Refused: this request could not be shown to come from this console."
    helps = [_ORIGIN_HELP, _SESSION_HELP] if about_origin else [_SESSION_HELP, _ORIGIN_HELP]
    if getattr(request, "htmx", None):
        return say(" ".join([sentence, *helps]), 403)
    context = {"title": "Refused", "sentence": sentence, "helps": helps, "detail": reason}
    return render(request, "console/message.html", context, status=403)
