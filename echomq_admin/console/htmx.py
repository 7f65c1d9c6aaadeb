"""One template, page and fragment: which part of it this request wants."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asked for a part of a page. A restored page of the history is a whole one."""
    htmx = request.htmx
    return bool(htmx) and not htmx.history_restore_request and not htmx.boosted


def show(
    request: HttpRequest, template: str, context: dict, status: int = 200, part: str = "live"
) -> HttpResponse:
    """Render the page, or for htmx the named part of it. The frame sees the place of the page.

    An answer that is meant for another element than the one that asked says so: a form that
    asked for a dialog may be answered by the page itself.
    """
    request.place = context.get("place")
    if not is_fragment(request):
        return render(request, template, context, status=status)
    response = render(request, f"{template}#{part}", context, status=status)
    if request.htmx.target != part:
        response["HX-Retarget"] = f"#{part}"
        response["HX-Reswap"] = "morph:innerHTML" if part == "live" else "innerHTML"
        response["HX-Replace-Url"] = request.get_full_path() if part == "live" else "false"
    return response


def say(sentence: str, status: int) -> HttpResponse:
    """A refusal for a request of htmx: one sentence that the page shows in its strip."""
    return HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")


def here(request: HttpRequest) -> str:
    """The address, without host, that the person is looking at."""
    if not request.htmx:
        return request.get_full_path()
    try:
        path = request.htmx.current_url_abs_path or "/"
    except ValueError:
        return "/"
    return f"/{path.lstrip('/')}"
