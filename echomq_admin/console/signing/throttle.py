"""How often a sign-in may be tried, and when again.

`AXES_FAILURE_LIMIT` failures for one name from one address lock this pair for `AXES_COOLOFF_TIME`;
`SPRAY` times as many from one address, for whatever names, lock the address. A name alone is never
locked: whoever knows it could then keep its owner out.
"""

from __future__ import annotations

from datetime import datetime

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_cool_off, get_failure_limit
from axes.models import AccessAttempt
from django.db.models import QuerySet, Sum
from django.http import HttpRequest

from echomq_admin.console.signing import whence

SPRAY = 10


class Throttle(AxesDatabaseHandler):
    """Counts the failures of the pair and of its address, in the console's database."""

    def get_failures(self, request: HttpRequest, credentials: dict | None = None) -> int:
        of_pair = super().get_failures(request, credentials)
        found = _of_address(request).aggregate(count=Sum("failures_since_start"))
        return max(of_pair, (found["count"] or 0) // SPRAY)


def is_asked(request: HttpRequest) -> bool:
    """Whether a name and a password were looked at, or would have been but for the lock."""
    return hasattr(request, "axes_updated")


def is_locked(request: HttpRequest) -> bool:
    """Whether the sign-in of this request was refused unseen, or was the last one before that."""
    return bool(getattr(request, "axes_locked_out", False))


def has_just_locked(request: HttpRequest) -> bool:
    """Whether this failure was the one that locked; those while it is locked do not count."""
    return is_locked(request) and request.axes_failures_since_start is not None


def free_at(request: HttpRequest, credentials: dict) -> datetime | None:
    """When the same sign-in may be tried again, by this host's clock; `None` for now."""
    limit = get_failure_limit(request, credentials)
    pair = AxesProxyHandler.get_implementation().get_user_attempts(request, credentials)
    found = [_free_at(request, attempts, limit) for attempts in pair]
    found.append(_free_at(request, _of_address(request), limit * SPRAY))
    return max((at for at in found if at), default=None)


def forgive(name: str) -> int:
    """Forget the failed sign-ins of a name, and all those from where it was tried: how many."""
    found = AccessAttempt.objects
    places = found.filter(username=name).values_list("ip_address", flat=True)
    gone = found.filter(ip_address__in=list(places)) | found.filter(username=name)
    count = gone.aggregate(count=Sum("failures_since_start"))["count"] or 0
    gone.delete()
    return count


def _of_address(request: HttpRequest) -> QuerySet[AccessAttempt]:
    if not whence.is_known(request):
        return AccessAttempt.objects.none()
    return AccessAttempt.objects.filter(
        ip_address=request.axes_ip_address, attempt_time__gte=get_cool_off_threshold(request)
    )


def _free_at(
    request: HttpRequest, attempts: QuerySet[AccessAttempt], limit: int
) -> datetime | None:
    """When so many of these attempts are forgotten that fewer than `limit` are left."""
    rows = list(
        attempts.order_by("attempt_time").values_list("attempt_time", "failures_since_start")
    )
    left, at = sum(count for _, count in rows), None
    for time, count in rows:
        if left < limit:
            break
        left, at = left - count, time + get_cool_off(request)
    return at
