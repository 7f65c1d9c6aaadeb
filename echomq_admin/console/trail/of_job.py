"""What people did to one job: from the trail, and from the stream what is not copied yet."""

from __future__ import annotations

from dataclasses import dataclass, replace

from echomq_admin.console import entries
from echomq_admin.console.entries import EntryLine
from echomq_admin.console.links import trail_url
from echomq_admin.console.places import Place
from echomq_admin.console.trail import lines
from echomq_admin.console.trail.lines import GapLine, TrailLine
from echomq_admin.console.trail.looks import TrailLook
from echomq_admin.console.trail.undoing import Undoing
from echomq_admin.emq import audit
from echomq_admin.emq.audit import Entry, Tail
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger import trail
from echomq_admin.ledger.models import Copied
from echomq_admin.ledger.trail import Filter, Page

ROWS = 50
MOST_NEWS = 100
MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class OfJob:
    """What is known of a job, newest first: `news` from the stream, then `kept` from the trail.

    `waiting` is how many entries of the stream are not copied, of any job, as far as was read;
    `is_whole` whether that is all of them. `fault` says why the stream cannot be read. `has_more`:
    the trail names the job in older entries.
    """

    news: list[EntryLine]
    kept: list[TrailLine | GapLine]
    waiting: int
    is_whole: bool
    fault: str
    has_more: bool
    url: str


def of_job(place: Place, job_id: str, user, now_ms: float) -> OfJob:
    """Read both, with what this user may undo; what is copied meanwhile is shown once. Raises
    redis-py's errors."""
    server, queue = place.server.name, place.queue
    mark = Copied.objects.filter(server=server, queue=to_wire(queue)).first()
    tail, fresh = _news(place, mark.last_id if mark else "0-0")
    wanted = Filter(server=server, queue=queue, job_id=job_id)
    found = trail.page(wanted, ROWS)
    undoing = Undoing(user, found.entries)
    return OfJob(
        news=[entries.line(entry) for entry in _missing(fresh, found, job_id)],
        kept=lines.lines(found, trail.gaps(wanted, found), TrailLook(wanted), undoing, now_ms),
        waiting=len(fresh),
        is_whole=len(fresh) < len(tail.entries) or len(tail.entries) == tail.total,
        fault=tail.fault or "",
        has_more=found.next is not None,
        url=trail_url(server, queue, job_id),
    )


def _news(place: Place, last_id: str) -> tuple[Tail, list[Entry]]:
    """The end of the stream, and what of it lies behind the id up to which it is copied."""
    tail = audit.tail(place.server.client, place.queue, audit.PER_CALL, MOST_BYTES)
    fresh = _behind(tail, last_id)
    if fresh and len(fresh) == audit.PER_CALL:
        tail = audit.tail(place.server.client, place.queue, MOST_NEWS, MOST_BYTES)
        fresh = _behind(tail, last_id)
    return tail, fresh


def _behind(tail: Tail, last_id: str) -> list[Entry]:
    last = audit.place(last_id)
    return [entry for entry in tail.entries if audit.place(entry.entry_id) > last]


def _missing(fresh: list[Entry], found: Page, job_id: str) -> list[Entry]:
    """Of the new entries those that name the job, and that were not copied since."""
    copied = {entry.stream_id for entry in found.entries}
    mine = (
        replace(entry, jobs=tuple(moved for moved in entry.jobs if moved.job_id == job_id))
        for entry in fresh
        if entry.entry_id not in copied
    )
    return [entry for entry in mine if entry.jobs]
