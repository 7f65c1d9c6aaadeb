"""What people did to one job, from the trail and from entries that are not copied into it yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from echomq_admin.emq.audit import Entry, Moved
from echomq_admin.ledger import trail
from echomq_admin.ledger.endings.told import NOBODY
from echomq_admin.ledger.models import Gap, Kind, TrailEntry, TrailJob, job_key
from echomq_admin.ledger.told import told
from echomq_admin.ledger.trail import Filter

MOST = 200
# Verbs that take a lease away: the ending that such an entry is the source of says it already.
_ENDS = {"sweep", "recover_now", "reap", "reap_group", "bury", "remove", "obliterate", "retry"}
# What happens only to a job that no worker holds, where the entry has no lease of it.
_WAITED = {"requeued", "returned", "promoted", "restored", "buried", "removed"}
# What comes of a job where a verb does just what it says.
_PLAIN = {
    "requeue": "requeued",
    "bury": "buried",
    "remove": "removed",
    "restore": "restored",
    "promote": "promoted",
    "extend": "extended",
    "enqueue": "enqueued",
    "schedule": "scheduled",
}
# Verbs after which a job of this id is there again.
_BEGINS = {"enqueue", "schedule"}


@dataclass(frozen=True)
class Act:
    """A call of a person that names the job, by the server's clock; that of a refused one is the
    console's.

    `told` is its entry with nothing but this job; `entry` the trail's, `None` while only the
    stream has it.
    """

    at_ms: int
    told: Entry
    entry: TrailEntry | None = None

    @property
    def op(self) -> str:
        return self.told.op

    @property
    def actor(self) -> str:
        return self.told.actor

    @property
    def who(self) -> str:
        """The actor in words."""
        return self.actor or NOBODY

    @property
    def reason(self) -> str:
        return self.entry.reason if self.entry else ""

    @property
    def pk(self) -> int | None:
        return self.entry.pk if self.entry else None

    @property
    def moved(self) -> Moved | None:
        """What it says of the job; `None` where it moved nothing."""
        return self.told.jobs[0] if self.told.jobs else None

    @property
    def outcome(self) -> str:
        return self.moved.outcome if self.moved else ""

    @property
    def is_plain(self) -> bool:
        """Whether the outcome says what the verb does, and no more."""
        return _PLAIN.get(self.op) == self.outcome

    @property
    def attempts(self) -> int | None:
        """What the job had then."""
        return self.moved.attempts if self.moved else None

    @property
    def is_refused(self) -> bool:
        return self.entry is not None and self.entry.kind == Kind.REFUSED

    @property
    def ends_leases(self) -> bool:
        return self.op in _ENDS

    @property
    def finds_ended(self) -> bool:
        """Whether the lease of the attempts that the job had was over by then."""
        moved = self.moved
        return moved is not None and moved.outcome in _WAITED and moved.deadline_ms is None

    @property
    def restores(self) -> bool:
        """Whether it put the job back out of the trash, with the attempts it had."""
        return self.op == "restore" and self.outcome == "restored"

    @property
    def begins(self) -> bool:
        return self.op in _BEGINS and not self.is_refused


@dataclass(frozen=True)
class Acts:
    """The newest `MOST` at most, oldest first. `has_more`: the trail names the job in older
    entries. `gaps` are entries of the queue's stream that are missing between them."""

    acts: tuple[Act, ...]
    has_more: bool
    gaps: tuple[Gap, ...]


def acts(server: str, queue: str, job_id: str, news: Iterable[Entry] = ()) -> Acts:
    """`news` are entries of the stream; those of them that were copied since are told once."""
    wanted = Filter(server=server, queue=queue, job_id=job_id)
    found = trail.page(wanted, MOST)
    known = [Act(entry.at_ms, _only(told(entry), job_id), entry) for entry in found.entries]
    copied = {entry.stream_id for entry in found.entries}
    late = [_only(entry, job_id) for entry in news if entry.entry_id not in copied]
    fresh = [Act(entry.at_ms, entry) for entry in late if entry.jobs]
    ordered = sorted(known[::-1] + fresh, key=lambda one: one.at_ms)
    return Acts(tuple(ordered), found.next is not None, tuple(trail.gaps(wanted, found)))


def named(job_id: str) -> int:
    """How many entries of the trail name a job of this id, on any server, so that a change of it
    shows cheaply."""
    return TrailJob.objects.filter(job=job_key(job_id)).count()


def _only(entry: Entry, job_id: str) -> Entry:
    return replace(entry, jobs=tuple(moved for moved in entry.jobs if moved.job_id == job_id))
