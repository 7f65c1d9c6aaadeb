"""Everything that is known of one job: how its leases ended, and what people did to it.

It is told from the database, also of a job that is long gone from its server. Where a job is now
is for the caller to read (`emq/present.py`) and to hand in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, Max, Q, QuerySet, Sum

from echomq_admin.emq import ids
from echomq_admin.emq.audit import Entry
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.present import Present
from echomq_admin.ledger import trail
from echomq_admin.ledger.endings import acts as doings
from echomq_admin.ledger.endings import queries
from echomq_admin.ledger.endings.acts import Acts
from echomq_admin.ledger.endings.lineage import lineage
from echomq_admin.ledger.endings.lives import Flight, Lease, Life, Unseen, late_ms, lives
from echomq_admin.ledger.endings.models import Ending, Place
from echomq_admin.ledger.endings.names import find_place, job_ref
from echomq_admin.ledger.endings.told import Told
from echomq_admin.ledger.observing import flights
from echomq_admin.ledger.observing.models import Blind, Watched

# So many endings of a job are told.
MOST = 500
MOST_BLIND = 50


@dataclass(frozen=True)
class History:
    """A job's lives, the oldest first, and `lineage`, the same in one line of words.

    `endings` counts the leases with an ending that are told, the newest ones, of `total`; `is_cut`
    when there are older ones, `has_more_acts` when the trail names the job in older entries,
    `has_more_blind` when more spans were not watched than are told. `watched_ms` is since when its
    queue is watched, by the server's clock, `None` when it never was. `is_known`: an ending or the
    trail names it.
    """

    lives: tuple[Life, ...]
    lineage: str
    endings: int
    total: int
    is_cut: bool
    has_more_acts: bool
    has_more_blind: bool
    watched_ms: int | None
    is_known: bool

    @property
    def leases(self) -> list[Lease]:
        return [item for life in self.lives for item in life.items if isinstance(item, Lease)]


def history(
    server: str,
    queue: str,
    job_id: str,
    present: Present | None = None,
    news: Iterable[Entry] = (),
    is_in_trash: bool = False,
) -> History:
    """`present` is where the job is now, `None` when that is not known; `news` are entries of the
    queue's stream that the trail may not have yet; `is_in_trash`: the console keeps it removed."""
    place = find_place(server, queue)
    told = queries.of_job(server, queue, job_id) if place else []
    did = doings.acts(server, queue, job_id, news)
    watched = Watched.objects.filter(place=place).defer("flights").first() if place else None
    reach = _reach(job_id, told, did, present)
    blind = _blind(server, place, *reach) if reach else []
    unseen = sorted([*blind[:MOST_BLIND], *_gaps(did, reach)], key=lambda one: one.from_ms)
    is_cut, told = len(told) > MOST, told[-MOST:]
    found = lives(told, did.acts, unseen, flight(place, job_id, present), present, is_cut)
    return History(
        lives=tuple(found),
        lineage=lineage(found, present, is_in_trash),
        endings=len(told),
        total=_endings(server, queue, job_id).count() if is_cut else len(told),
        is_cut=is_cut,
        has_more_acts=did.has_more,
        has_more_blind=len(blind) > MOST_BLIND,
        watched_ms=watched.since_ms if watched else None,
        is_known=bool(told or did.acts),
    )


def has_ending(server: str, queue: str, job_id: str) -> bool:
    """Whether the ledger has an ending of this job."""
    return _endings(server, queue, job_id).exists()


def endings_mark(server: str, queue: str, job_id: str) -> Iterable[object]:
    """What changes when an ending of this job is entered or becomes more exact."""
    marks = Count("pk"), Max("ended_ms"), Sum("kind"), Sum("source")
    return _endings(server, queue, job_id).aggregate(*marks).values()


def _endings(server: str, queue: str, job_id: str) -> QuerySet[Ending]:
    where = {"place__server": server, "place__queue": to_wire(queue)}
    return Ending.objects.filter(**where, job=job_ref(job_id))


def flight(place: Place | None, job_id: str, present: Present | None) -> Flight | None:
    """The lease that a worker holds now, with what the observer saw of it."""
    if present is None or not present.is_active:
        return None
    now = Flight(present.attempts, present.deadline_ms, late_ms(present))
    seen = flights.of(place, [job_id])[1].get(job_id)
    if seen is None or seen.attempts is None or seen.attempts != present.attempts:
        return now
    return replace(
        now,
        renewals=seen.renewals,
        first_ms=seen.first_ms,
        renewed_ms=seen.renewed_ms,
        is_revived=seen.is_revived,
        is_whole=seen.is_whole,
    )


def _reach(
    job_id: str, told: Sequence[Told], did: Acts, present: Present | None
) -> tuple[int, int] | None:
    """From when to when the job is known to have been there, server ms; `None` for never."""
    instants = [one.ended_ms for one in told]
    instants += [act.at_ms for act in did.acts if not act.is_refused]
    if present is not None and present.is_here:
        instants.append(present.now_ms)
    if not instants:
        return None
    mint = ids.parse(job_id)
    first = min(instants)
    if mint and 0 < mint.minted_ms < first:
        first = int(mint.minted_ms)
    return first, max(instants)


def _blind(server: str, place: Place | None, since_ms: int, until_ms: int) -> list[Unseen]:
    """The newest spans that were not watched, one more than `MOST_BLIND` at most."""
    whose = Q(place=None) if place is None else Q(place=None) | Q(place=place)
    rows = Blind.objects.filter(whose, server=server, to_ms__gt=since_ms, from_ms__lt=until_ms)
    newest = rows.order_by("-to_ms", "-pk")[: MOST_BLIND + 1]
    return [Unseen(row.from_ms, row.to_ms, row.why) for row in newest]


def _gaps(did: Acts, reach: tuple[int, int] | None) -> list[Unseen]:
    """What the trail lacks while the job was there."""
    if reach is None:
        return []
    found = [(trail.gap_ms(gap), gap.sentence) for gap in did.gaps]
    return [
        Unseen(at_ms, at_ms, why, True) for at_ms, why in found if reach[0] <= at_ms <= reach[1]
    ]
