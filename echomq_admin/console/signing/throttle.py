"""How often a sign-in may be tried, and when again.

`AXES_FAILURE_LIMIT` failures for one name from one address lock this pair for `AXES_COOLOFF_TIME`;
`SPRAY` times as many from one address, for whatever names, lock the address, and as many for one
name from the networks of one site lock the name there. A name alone is never locked: whoever knows
it could then keep its owner out.
"""

from __future__ import annotations

from datetime import datetime

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_username, get_cool_off, get_failure_limit
from axes.models import AccessAttempt
from django.db.models import QuerySet, Sum
from django.http import HttpRequest

from echomq_admin.console.signing import whence

SPRAY = 10
# So many networks of a site are looked at: each stands for a failure at least.
_MOST_NETWORKS = 10_000


class Throttle(AxesDatabaseHandler):
    """Counts the failures of the pair, of its address and of its site, in the console's
    database."""

    def get_failures(self, request: HttpRequest, credentials: dict | None = None) -> int:
        of_pair = super().get_failures(request, credentials)
        wide = (_of_address(request), _of_site(request, credentials))
        return max(of_pair, *(_failures(found) // SPRAY for found in wide))


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
    for wide in (_of_address(request), _of_site(request, credentials)):
        found.append(_free_at(request, wide, limit * SPRAY))
    return max((at for at in found if at), default=None)


def _failures(attempts: QuerySet[AccessAttempt]) -> int:
    return attempts.aggregate(count=Sum("failures_since_start"))["count"] or 0


def _of_site(request: HttpRequest, credentials: dict | None) -> QuerySet[AccessAttempt]:
    """The failures for this name from the site of the address, whichever its network."""
    here, name = request.axes_ip_address, get_client_username(request, credentials)
    if not here or ":" not in here or not name:
        return AccessAttempt.objects.none()
    since = get_cool_off_threshold(request)
    of_name = AccessAttempt.objects.filter(username=name, attempt_time__gte=since)
    known = of_name.order_by().values_list("ip_address", flat=True).distinct()
    near = [other for other in known if other and whence.is_of_one_site(here, other)]
    return of_name.filter(ip_address__in=near[:_MOST_NETWORKS])


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
