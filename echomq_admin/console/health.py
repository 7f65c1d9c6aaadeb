"""For a supervisor: the web process answers. It says nothing of the servers, which may be down."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods


@require_http_methods(["GET", "HEAD"])
def healthz(_request: HttpRequest) -> HttpResponse:
    """200 `ok`, without sign-in."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")
