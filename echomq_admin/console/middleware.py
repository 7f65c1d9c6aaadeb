"""What holds for every answer: connection trouble becomes a page or a sentence, never a traceback.

Pages and fragments share an address, so caches must tell them apart. A refusal that htmx asked
for is one sentence in plain text, which the page shows in its strip.
"""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import Error as DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from redis.exceptions import RedisClusterException, RedisError

from echomq_admin.console import links
from echomq_admin.console.broken import no_database
from echomq_admin.console.htmx import say, show
from echomq_admin.console.places import Away
from echomq_admin.console.tabs import tabs
from echomq_admin.fleet import servers
from echomq_admin.operations.actions import ACTIONS

_WORDS = {
    400: "The server did not understand this request.",
    403: "Refused: you do not have the right to do this.",
    404: "This is not here, or no longer here.",
    405: "This address only takes what a form of the console sends.",
    429: "Refused: too many sign-ins failed. Wait some minutes.",
    500: "The console failed on this request. The log of the console says why.",
}


class ConsoleMiddleware:
    """Stands closest to the views, so it sees every answer that they or Django's errors give."""

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.htmx:
            response = _for_htmx(response)
        elif response.status_code == 405:
            response = _wrong_method(request, response)
        patch_vary_headers(response, ["HX-Request", "HX-Target"])
        if "Cache-Control" not in response:
            add_never_cache_headers(response)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """An answer for trouble with the server of the page or with the console's database; other
        errors stay Django's."""
        try:
            return _answer(request, error)
        except DatabaseError as broken:
            return no_database(request, broken)


def _answer(request: HttpRequest, error: Exception) -> HttpResponse | None:
    for kind, answer in _ANSWERS:
        if isinstance(error, kind):
            return answer(request, error)
    return None


def _unreadable(request: HttpRequest, error: Exception) -> HttpResponse:
    """The page of a console that was started with a setting it cannot read."""
    sentence = f"{error}."
    if request.htmx:
        return say(sentence, 503)
    title = "A setting of this console cannot be read"
    helps = ["Correct it and start the console again."]
    context = {"title": title, "sentence": sentence, "helps": helps}
    return show(request, "console/message.html", context, status=503)


def _refused(request: HttpRequest, error: Exception) -> HttpResponse:
    """The page of a missing right. Django would write its traceback to the log."""
    sentence = str(error)
    if request.htmx:
        return say(sentence, 403)
    return render(request, "403.html", {"exception": sentence}, status=403)


def _for_htmx(response: HttpResponse) -> HttpResponse:
    plain = response.headers.get("Content-Type", "").startswith("text/plain")
    if response.status_code < 400 or plain:
        return response
    return say(_WORDS.get(response.status_code, _WORDS[500]), response.status_code)


def _wrong_method(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """A page in place of the empty answer that Django gives to a wrong method."""
    context = {"title": "This address is no page", "sentence": _WORDS[405]}
    page = show(request, "console/message.html", context, status=405)
    page["Allow"] = response["Allow"]
    return page


def away(request: HttpRequest, error: Away) -> HttpResponse:
    """The page of a server out of reach: a banner and what was last seen. It polls on."""
    place, match = error.place, request.resolver_match
    if request.htmx:
        return _silent(request, error.sentence, place.server.name)
    where, job = (place.server.name, place.queue), match.kwargs.get("job") if match else None
    context = {
        "history_url": links.history_url(*where, job) if job else "",
        "stalls_url": links.stalls_url(*where),
        "place": place,
        "sentence": _with_fate(request, error.sentence),
        "tabs": tabs(place) if place.counts else (),
    }
    return show(request, "console/away.html", context, status=503)


def _trouble(request: HttpRequest, error: Exception) -> HttpResponse:
    sentence = str(error)
    match = request.resolver_match
    if match and "server" in match.kwargs:
        sentence = servers.trouble(servers.server(match.kwargs["server"]), error)
    polls = request.method != "POST"
    if request.htmx:
        return _silent(request, sentence, match.kwargs.get("server", "") if match else "")
    sentence = _with_fate(request, sentence)
    context = {"title": "The server did not answer", "sentence": sentence, "polls": polls}
    return show(request, "console/message.html", context, status=503)


def _silent(request: HttpRequest, sentence: str, server: str) -> HttpResponse:
    """No answer of a server, for htmx. The page marks the server that the header names."""
    response = say(_with_fate(request, sentence), 503)
    response["X-Out-Of-Reach"] = server
    return response


def _with_fate(request: HttpRequest, sentence: str) -> str:
    """What became of a press. Trouble gets here only before a call: the call words its own."""
    match = request.resolver_match
    action = ACTIONS.get(match.kwargs.get("verb") or match.url_name or "") if match else None
    if request.method != "POST" or action is None:
        return sentence
    return (
        "Nothing was sent, so nothing was changed: "
        f"{sentence} Press {action.label} again once it answers."
    )


def _missing(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """What is not there, for htmx; the page of it is Django's."""
    return say(str(error), 404) if request.htmx else None


_ANSWERS = (
    (DatabaseError, no_database),
    (Away, away),
    ((RedisError, RedisClusterException), _trouble),
    (servers.UnreadableSetting, _unreadable),
    (PermissionDenied, _refused),
    (Http404, _missing),
)
