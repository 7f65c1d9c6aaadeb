"""Addresses that a person wrote by hand, led to the ones that the console itself writes.

Names stand in them as they are, with bytes that are no UTF-8 and with slashes; in an address of the
console such a name has its `~` form.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import Resolver404, ResolverMatch, resolve, reverse

from echomq_admin.console import urls
from echomq_admin.fleet import discovery

# Where the door of the console keeps the path as it came, a character for each byte.
PATH_AS_IT_CAME = "echomq_admin.path"
_NOTHING_THERE = (400, 404)


class Addresses:
    """Before a view, what Django makes of foreign bytes is undone; after one that found nothing,
    an address that can be read in another way leads there."""

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        exact = _exact(request)
        if exact is not None:
            request.path_info = exact
        is_read = request.method in {"GET", "HEAD"} and not request.htmx
        if exact is not None and is_read and (match := _resolved(exact)):
            return _lead(request, match)
        response = self.get_response(request)
        if is_read and response.status_code in _NOTHING_THERE and (match := _meant(request)):
            return _lead(request, match)
        return response


def _exact(request: HttpRequest) -> str | None:
    """A path with bytes that are no UTF-8 as a name of the wire, which keeps them apart from a
    name with a percent sign in it; `None` for any other path."""
    raw = request.META.get(PATH_AS_IT_CAME, "").encode("iso-8859-1")
    try:
        raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "surrogateescape")
    return None


def _resolved(path: str) -> ResolverMatch | None:
    try:
        return resolve(path)
    except Resolver404:
        return None


def _meant(request: HttpRequest) -> ResolverMatch | None:
    """Another way to read the address of a page: one in which its queue is known."""
    match = request.resolver_match
    if match is None or "queue" not in match.kwargs:
        return None
    known = discovery.known(match.kwargs["server"])
    if match.kwargs["queue"] in known:
        return None
    ways = _ways(request.path_info.removeprefix("/"))
    return next((way for way in ways if way.kwargs.get("queue") in known), None)


def _ways(path: str) -> Iterator[ResolverMatch]:
    """Every way to read a path; the first is the one that Django takes."""
    yield from filter(None, (pattern.resolve(path) for pattern in urls.urlpatterns))


def _lead(request: HttpRequest, match: ResolverMatch) -> HttpResponse:
    query = request.META.get("QUERY_STRING", "")
    address = reverse(match.url_name or "", kwargs=match.kwargs)
    return redirect(f"{address}?{query}" if query else address)
