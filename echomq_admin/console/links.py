"""Addresses that lists need by the hundred: the same as `reverse`, made once per queue."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlencode

from django.urls import get_script_prefix, reverse

from echomq_admin.fleet.names import to_url

# Longer names are shown, but no address and no form carries them.
LONGEST_ID = 8_000


def queue_url(server: str, queue: str, tab: str = "active") -> str:
    """The address of a tab of a queue: `active`, `pending`, `scheduled`, `dead`, `lanes`, …."""
    return f"{_base(get_script_prefix(), server, queue)}/{tab}"


def job_url(server: str, queue: str, job_id: str) -> str:
    """The address of the page of a job."""
    return f"{_base(get_script_prefix(), server, queue)}/job/{to_url(job_id)}"


def job_href(server: str, queue: str, job_id: str) -> str:
    """The same, empty for an id that is too long for an address."""
    return job_url(server, queue, job_id) if len(job_id) <= LONGEST_ID else ""


def history_url(server: str, queue: str, job_id: str) -> str:
    """The address of the history of a job."""
    return f"{job_url(server, queue, job_id)}/history"


def lane_href(server: str, queue: str, group: str) -> str:
    """The address of the waiting jobs of a lane; empty for a name too long for an address."""
    if len(group) > LONGEST_ID:
        return ""
    return f"{queue_url(server, queue, 'pending')}?lane={to_url(group)}"


def trail_url(server: str, queue: str, job_id: str | None = None) -> str:
    """The address of the trail of a queue, or of one of its jobs."""
    fields = {"server": server, "queue": to_url(queue)}
    if job_id is not None:
        fields["job"] = to_url(job_id)
    return f"{reverse('trail')}?{urlencode(fields)}"


def stalls_url(
    server: str = "", queue: str | None = None, job_id: str | None = None, **more: str
) -> str:
    """The address of the endings of leases of a queue, or of one of its jobs; `more` are further
    fields of its form."""
    names = {"queue": queue, "job": job_id}
    known = {field: to_url(name) for field, name in names.items() if name is not None}
    fields = {**({"server": server} if server else {}), **known, **more}
    return f"{reverse('stalls')}{'?' if fields else ''}{urlencode(fields)}"


def trash_url(server: str, queue: str) -> str:
    """The address of what can be restored of a queue."""
    return f"{reverse('trash')}?{urlencode({'server': server, 'queue': to_url(queue)})}"


@lru_cache(maxsize=4096)
def _base(_prefix: str, server: str, queue: str) -> str:
    # The prefix is a part of what `reverse` answers, so it is a part of what is kept.
    return reverse("queue", args=[server, queue])
