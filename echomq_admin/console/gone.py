"""Jobs that a search finds on record only: the ledger and the trail know them, their queues do not
hold them now."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from echomq_admin.console.links import LONGEST_ID, history_url, job_href, queue_url, trail_url
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.servers import servers
from echomq_admin.ledger.lookup import places_of


@dataclass(frozen=True)
class GoneJob:
    """A job that is on record and was not found in its queue; `href` leads to its history, empty
    where the server is configured no longer or the id is too long for an address."""

    name: str
    server: str
    queue: str
    href: str
    queue_href: str
    trail_href: str


def gone(wanted: Collection[tuple[str, str | None]], here: Collection[str]) -> list[GoneJob]:
    """The jobs of these ids, each with the queue that is meant or `None` for any, that are on
    record. `here` are the addresses of those that were found."""
    known = {server.name for server in servers()}
    found = [
        _line(*where, job_id, is_known=where[0] in known)
        for job_id, home in sorted(wanted, key=str)
        for where in places_of(job_id)
        if home in (None, where[1]) and job_href(*where, job_id) not in here
    ]
    return list(dict.fromkeys(found))


def _line(server: str, queue: str, job_id: str, *, is_known: bool) -> GoneJob:
    is_linked = is_known and max(len(job_id), len(queue)) <= LONGEST_ID
    return GoneJob(
        name=brief(job_id),
        server=brief(server),
        queue=brief(queue),
        href=history_url(server, queue, job_id) if is_linked else "",
        queue_href=queue_url(server, queue) if is_linked else "",
        trail_href=trail_url(server, queue, job_id) if is_linked else "",
    )
