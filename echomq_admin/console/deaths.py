"""The dead with the time of their death, and the order in which they died."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from echomq_admin.console import rows, times
from echomq_admin.console.drawn import JobRow
from echomq_admin.console.forms import DIED
from echomq_admin.console.lists import Asked
from echomq_admin.console.rows import Listing
from echomq_admin.console.words import counted
from echomq_admin.emq import picked
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.picked import StillDead
from echomq_admin.emq.reads import JobPage
from echomq_admin.emq.rows import Job
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.endings import deaths
from echomq_admin.ledger.endings.buried import buried
from echomq_admin.ledger.endings.deaths import Death, Start, Walk
from echomq_admin.ledger.endings.models import Place, Source
from echomq_admin.ledger.keysets import cursor_of

# A time that is so uncertain says it beside, ms; one that is less uncertain where it is explained.
_NOTABLE_MS = 2_000
_NO_PLACE = "Dead jobs whose time of death is not known, or not yet, have no place in this order."
_UNKNOWN = "no death of this job is in the ledger: it died unseen, or before the ledger began"


@dataclass(frozen=True, slots=True)
class Died:
    """When a job died: `ms` is `None` when that is not known. `lead` stands before the time, `more`
    behind it, `why` explains it."""

    ms: int | None
    why: str
    lead: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class DeadRow:
    """A row of the dead tab."""

    job: JobRow
    died: Died


@dataclass(frozen=True)
class InOrder:
    """A page of the order of deaths: its jobs with the deaths that put them there. `lacking` says
    how many of the dead are not in this order, as a sentence, empty for none; `reached_ms` is how
    far back was looked when that was not far enough to fill the page."""

    found: JobPage
    deaths: dict[str, Death]
    lacking: str = ""
    reached_ms: int | None = None


def dead_rows(
    jobs: Iterable[Job], listing: Listing, known: dict[str, Death] | None = None
) -> list[DeadRow]:
    """The rows of a page with when each job died; `known` are its deaths where they were read
    already."""
    found, place = list(jobs), listing.place
    ids = [job.job_id for job in found if job.is_read]
    where = place.server.name, place.queue
    last = deaths.of_jobs(*where, ids) if known is None else known
    burials = buried(Place(server=place.server.name, queue=to_wire(place.queue)), ids)
    return [
        DeadRow(
            rows.job_row(job, listing),
            died(job, last.get(job.job_id), burials.get((job.job_id, job.attempts), ())),
        )
        for job in found
    ]


def died(job: Job, death: Death | None, burials: Sequence[int]) -> Died:
    """When a dead job died, of the last death that is known and of when it was buried with the
    attempts that it has."""
    buried_ms = max(burials, default=None)
    if buried_ms is not None and (death is None or buried_ms > death.ended_ms):
        return Died(buried_ms, "the script that buried it says so", lead="buried")
    if death is None:
        return Died(None, _UNKNOWN)
    if job.attempts is not None and death.attempts != job.attempts:
        was = "unreadable" if death.attempts is None else f"{death.attempts:,}"
        at = times.exact(death.ended_ms)
        why = f"its last known death was of attempt {was}, at {at}; how this one ended is not known"
        return Died(None, why)
    return _of(death)


def _of(death: Death) -> Died:
    if death.source == Source.FOUND:
        why = "it was found in the dead set then, so it died at that time or before"
        return Died(death.ended_ms, why, lead="found")
    if death.source == Source.SCRIPT:
        return Died(death.ended_ms, "exact: the script that killed it says so")
    within = span(max(1_000, death.within_ms))
    why = f"seen by the agent: it died at this time, or up to {within} earlier"
    more = f"up to {within} earlier" if death.within_ms >= _NOTABLE_MS else ""
    return Died(death.ended_ms, why, more=more)


def in_order(asked: Asked) -> InOrder:
    """The dead whose death is known, the last one first: three round trips."""
    where = asked.place.server.name, asked.place.queue
    start = Start.read(asked.look.cursor, asked.jump.at.ms if asked.jump.at else None)
    newest = deaths.walk(*where, Start())
    walked = deaths.walk(*where, start) if start.key else newest
    asked_for = {death.job_id: None for one in (walked, newest) for death in one.deaths}
    still = picked.still_dead(asked.client, asked.place.queue, list(asked_for))
    cut = _Cut(start, walked, still.held, asked.look.rows)
    if start.is_newer and cut.is_first:
        cut = _Cut(Start(), newest, still.held, asked.look.rows)
    return InOrder(
        found=_page(asked, still, cut),
        deaths={death.job_id: death for death in cut.shown},
        lacking=_lacking(still.total or 0, newest, still.held),
        reached_ms=cut.reached_ms,
    )


class _Cut:
    """The page that is cut out of a walk: the deaths `shown`, the last one first, and the cursors
    of the pages beside it."""

    def __init__(self, start: Start, walked: Walk, held: dict[str, float], most: int) -> None:
        dead = [death for death in walked.deaths if death.job_id in held]
        self._start, self._is_full = start, len(dead) > most
        self._edge = None if self._is_full else walked.edge
        kept = dead[:most]
        self.shown = kept[::-1] if start.is_newer else kept

    @property
    def is_first(self) -> bool:
        """Whether nothing lies beyond a page that was walked to upwards."""
        return not (self._is_full or self._edge)

    @property
    def next(self) -> str | None:
        if self._start.is_newer:
            last = self.shown[-1].key if self.shown else self._start.key
            return cursor_of("o", last)
        end = self.shown[-1].key if self._is_full else self._edge
        return cursor_of("o", end)

    @property
    def previous(self) -> str | None:
        if self._start.is_newer:
            end = self.shown[0].key if self._is_full else self._edge
            return cursor_of("n", end)
        first = self.shown[0].key if self.shown else self._start.key
        return cursor_of("n", first) if self._start.key else None

    @property
    def reached_ms(self) -> int | None:
        return self._edge[0] if self._edge else None


def _page(asked: Asked, still: StillDead, cut: _Cut) -> JobPage:
    held = [(death.job_id, still.held[death.job_id]) for death in cut.shown]
    return JobPage(
        now_ms=still.now_ms,
        total=still.total,
        jobs=picked.rows_of(asked.client, asked.place.queue, held),
        previous=cut.previous,
        next=cut.next,
        ordered_by="given",
        fault=still.fault,
        at=asked.jump.at,
    )


def _lacking(total: int, newest: Walk, held: dict[str, float]) -> str:
    """How many of the dead have no known death, where all deaths of the queue were held against the
    dead set."""
    if newest.edge:
        return _NO_PLACE
    missing = total - sum(death.job_id in held for death in newest.deaths)
    if missing <= 0:
        return ""
    verb = "has" if missing == 1 else "have"
    jobs = counted(missing, "dead job")
    return f"{jobs} {verb} no known time of death, or none yet, and so no place in this order."


def context(asked: Asked, order: InOrder | None, made: dict) -> dict:
    """What the dead tab shows beside every list: both orders, and what the one by death leaves
    out."""
    look = {"cursor": "", "at": "", "in": ""}
    minted, by_death = asked.look.query(order="", **look), asked.look.query(order=DIED, **look)
    return {
        "orders": (
            ("by mint time", minted, order is None),
            ("recently died", by_death, order is not None),
        ),
        "headings": _headings(made["table"], made["headings"], minted, by_death, order is not None),
        "lacking": order.lacking if order else "",
        "minted_order": minted,
        "reached_ms": order.reached_ms if order else None,
        "is_by_death": order is not None,
        "has_found": any(row.died.lead == "found" for row in made["table"].records),
    }


def _headings(table, headings: list, minted: str, by_death: str, is_by_death: bool) -> list:
    """The headings of both orders, each a link to its own."""
    died = {"href": f"?{by_death}", "sorted_by": "descending" if is_by_death else ""}
    changes = {"died": died} | ({"minted": {"href": f"?{minted}"}} if is_by_death else {})
    pairs = zip(table.columns, headings, strict=True)
    return [replace(heading, **changes.get(column.name, {})) for column, heading in pairs]
