"""Who may see and do what: the guards of the views, the frame's context, the CSRF refusal."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from echomq_admin.console import frames, noting
from echomq_admin.console.htmx import here, say
from echomq_admin.console.signing.views import SignIn
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import console_read_only
from echomq_admin.operations.actions import ACTIONS, VIEW, Role
from echomq_admin.operations.services import allowed, not_allowed

View = Callable[..., HttpResponse]
_ORIGIN_HELP = (
    "If the console stands behind a proxy, list its address in EMQ_ORIGINS "
    "(for example https://console.example.org), and set EMQ_TLS_PROXY=1 when the proxy ends TLS."
)
_SESSION_HELP = (
    "The sign-in has changed since this page was loaded, or its cookie was lost. Nothing was "
    "changed. Reload the page and try again."
)
_SIGN_IN_HELP = (
    "The sign-in page was loaded before the cookie that your browser sends now, or it sends none: "
    "allow cookies for this address, open the page again, then sign in."
)
_REFUSED = "Refused: this request could not be shown to come from this console."


def page(view: View) -> View:
    """A page that anyone with the right to view may read. GET and HEAD only."""
    return require_http_methods(["GET", "HEAD"])(
        _guarded(view, VIEW, "look at this console", Role.VIEWER)
    )


def keeps(view: View) -> View:
    """A form about how a person looks at pages. It changes nothing of a queue. POST only."""
    return require_http_methods(["POST"])(_guarded(view, VIEW, "look at this console", Role.VIEWER))


def acts(verb: str, *methods: str) -> Callable[[View], View]:
    """A view that leads to an action: its permission is demanded before anything is read. A press
    without it is noted in the trail."""

    def guard(view: View) -> View:
        action = ACTIONS[verb]
        what = f"use {action.label}"
        guarded = _guarded(view, action.permission, what, action.role, action.verb)
        return require_http_methods(list(methods) or ["POST"])(guarded)

    return guard


def _guarded(view: View, permission: str, what: str, role: Role, verb: str = "") -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return to_login(request)
        if not request.user.has_perm(permission):
            sentence = not_allowed(request.user, what, role)
            if verb and request.method == "POST":
                noting.refused(request, verb, sentence)
            raise PermissionDenied(sentence)
        return view(request, *args, **kwargs)

    return guarded


def may_keep(request: HttpRequest, verb: str) -> bool:
    """Whether the user may change what the console itself keeps of queues, by this verb."""
    return console_read_only() is None and allowed(request.user, verb)


def to_login(request: HttpRequest) -> HttpResponse:
    """To the sign-in page and back to what the person was looking at. After a press it says that
    nothing was done."""
    is_press = request.method not in {"GET", "HEAD"}
    back = here(request) if request.htmx or not is_press else _came_from(request)
    url = redirect_to_login(back if back != "/" else resolve_url("overview")).url
    url += "&pressed=1" if is_press else ""
    return HttpResponse(headers={"HX-Redirect": url}) if request.htmx else redirect(url)


def _came_from(request: HttpRequest) -> str:
    """The page of this console that a form was on, without host; "/" for what is none."""
    url = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(url, {request.get_host()}, request.is_secure()):
        return "/"
    parts = urlsplit(url)
    path = f"/{parts.path.lstrip('/')}"
    return f"{path}?{parts.query}" if parts.query else path


def frame(request: HttpRequest) -> dict:
    """Context of the frame around every page; nothing is read until a template asks."""
    user = getattr(request, "user", None)
    if user is None or not user.has_perm(VIEW):
        return {}
    return {"frame": SimpleLazyObject(lambda: frames.build(request))}


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A refused token or origin, with the setting or the step that mends it."""
    is_sign_in = bool(request.resolver_match) and request.resolver_match.url_name == "login"
    if is_sign_in and request.user.is_authenticated:
        return _signed_in_already(request)
    about_origin = "Origin" in reason or reason.startswith("Referer")
    session_help = _SIGN_IN_HELP if is_sign_in else _SESSION_HELP
    helps = [_ORIGIN_HELP, session_help] if about_origin else [session_help, _ORIGIN_HELP]
    if getattr(request, "htmx", None):
        return say(" ".join([_REFUSED, *helps]), 403)
    back = SignIn.again(request) if is_sign_in else _came_from(request)
    context = {"title": "Refused", "sentence": _REFUSED, "helps": helps, "detail": reason}
    context |= {"back": "" if back == "/" else back}
    return render(request, "console/message.html", context, status=403)


def _signed_in_already(request: HttpRequest) -> HttpResponse:
    """Another tab has signed in, which made the token of this one's page an old one."""
    name = shown(request.user.get_username())
    context = {
        "title": "You are signed in already",
        "sentence": f"Another tab of this browser has signed in as {name} meanwhile.",
        "back": SignIn.leads_to(request),
        "back_word": "Go on",
    }
    return render(request, "console/message.html", context, status=403)
