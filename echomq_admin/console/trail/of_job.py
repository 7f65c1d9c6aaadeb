"""What people did to one job: from the trail, and from the stream what is not copied yet."""

from __future__ import annotations

from collections.abc import Callable
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
from echomq_admin.emq.replies import Batch
from echomq_admin.ledger import trail
from echomq_admin.ledger.models import Copied
from echomq_admin.ledger.trail import Filter, Page

ROWS = 50
MOST_NEWS = 100
MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class News:
    """The newest entries of a queue's stream that are not copied, of any job.

    `is_whole` whether they are all that are not. `fault` says why the stream cannot be read.
    """

    entries: tuple[Entry, ...]
    is_whole: bool
    fault: str

    @property
    def waiting(self) -> int:
        return len(self.entries)


NONE = News((), True, "")


@dataclass(frozen=True)
class OfJob:
    """What is known of a job, newest first: those of the `fresh` entries that name it, as `news`,
    then `kept` from the trail. `has_more`: the trail names the job in older entries."""

    news: list[EntryLine]
    kept: list[TrailLine | GapLine]
    fresh: News
    has_more: bool
    url: str


def of_job(place: Place, job_id: str, user, now_ms: float) -> OfJob:
    """Read both, with what this user may undo; what is copied meanwhile is shown once. Raises
    redis-py's errors."""
    server, queue = place.server.name, place.queue
    fresh = news(place)
    wanted = Filter(server=server, queue=queue, job_id=job_id)
    found = trail.page(wanted, ROWS)
    undoing = Undoing(user, found.entries)
    return OfJob(
        news=[entries.line(entry) for entry in _missing(fresh.entries, found, job_id)],
        kept=lines.lines(found, trail.gaps(wanted, found), TrailLook(wanted), undoing, now_ms),
        fresh=fresh,
        has_more=found.next is not None,
        url=trail_url(server, queue, job_id),
    )


def news(place: Place, beside: Callable[[Batch], None] | None = None) -> News:
    """The end of the stream, of it what lies behind the id up to which it is copied: in one round
    trip, unless much is not copied. `beside` adds what else it asks. Raises redis-py's errors."""
    at = {"server": place.server.name, "queue": to_wire(place.queue)}
    mark = Copied.objects.filter(**at).first()
    last_id = mark.last_id if mark else "0-0"
    client = place.server.client
    tail = audit.tail(client, place.queue, audit.PER_CALL, MOST_BYTES, beside)
    fresh = _behind(tail, last_id)
    if fresh and len(fresh) == audit.PER_CALL:
        tail = audit.tail(client, place.queue, MOST_NEWS, MOST_BYTES)
        fresh = _behind(tail, last_id)
    is_whole = len(fresh) < len(tail.entries) or len(tail.entries) == tail.total
    return News(tuple(fresh), is_whole, tail.fault or "")


def _behind(tail: Tail, last_id: str) -> list[Entry]:
    last = audit.place(last_id)
    return [entry for entry in tail.entries if audit.place(entry.entry_id) > last]


def _missing(fresh: tuple[Entry, ...], found: Page, job_id: str) -> list[Entry]:
    """Of the new entries those that name the job, and that were not copied since."""
    copied = {entry.stream_id for entry in found.entries}
    mine = (
        replace(entry, jobs=tuple(moved for moved in entry.jobs if moved.job_id == job_id))
        for entry in fresh
        if entry.entry_id not in copied
    )
    return [entry for entry in mine if entry.jobs]
