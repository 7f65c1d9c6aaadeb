"""Actions that go on in bounded steps: as many as a request has time for, then the next request."""

from __future__ import annotations

from django.http import HttpRequest

from echomq_admin.operations.services import Call, Done, steps


def run(request: HttpRequest, call: Call) -> Done:
    """Perform step after step until nothing is left. Raises `Refused`."""
    *_, last = steps(request.user, call)
    return last
