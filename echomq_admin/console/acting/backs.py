"""The pages over all queues that an action leads back to, as they were looked at."""

from __future__ import annotations

from django.http import QueryDict
from django.urls import reverse

WIDE = ("trash", "trail")


def wide_url(route: str, look: str) -> str:
    """The address of one of `WIDE`; `look` is its query string."""
    query = QueryDict(look, mutable=True)
    query.pop("did", None)
    return reverse(route) + (f"?{query.urlencode()}" if query else "")
