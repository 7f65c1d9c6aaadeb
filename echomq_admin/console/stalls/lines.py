"""Endings as the page draws them, with what is missing between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from echomq_admin.console import links
from echomq_admin.console.budget import Budget
from echomq_admin.console.history import kinds
from echomq_admin.console.history.kinds import Look
from echomq_admin.console.history.lines import error_of
from echomq_admin.console.payloads import Sight
from echomq_admin.console.stalls.clocks import Clocks
from echomq_admin.console.stalls.looks import StallsLook
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.told import Told
from echomq_admin.ledger.endings.unseen import Span
from echomq_admin.ledger.models import Gap
from echomq_admin.ledger.trail import gap_ms

# What ended up to so long after the page was read is no future: clocks are read one by one.
_DRIFT_MS = 3_600_000
# A name that is longer is not put into an address once more, only shown.
_LONGEST = 400
# So much of a name stands in a row.
_MOST = 60


@dataclass(frozen=True, slots=True)
class StallLine:
    """An ending. `href` leads to the job, `queue_href` to its queue, both empty where there is no
    way; `by_job`, `by_queue` and `by_lane` to the same look of only that, empty where it is so.
    `late` and `within` are words, empty for what is not known; absent numbers are `None`."""

    dom_id: str
    ended_ms: int
    now_ms: float
    within: str
    name: str
    href: str
    by_job: str
    target: str
    queue_href: str
    by_queue: str
    lane: str
    by_lane: str
    look: Look
    means: str
    source: tuple[str, str]
    attempts: int | None
    stalled: int | None
    late: str
    renewals: int | None
    error: Sight | None


@dataclass(frozen=True, slots=True)
class UnseenLine:
    """A span that was not watched, or with `is_gap` entries that the trail lacks, at their place
    among the others."""

    is_gap: bool
    target: str
    from_ms: int
    to_ms: int
    why: str


Line = StallLine | UnseenLine


class Drawing:
    """Draws the endings of one look."""

    def __init__(self, look: StallsLook, clocks: Clocks) -> None:
        self._look = look
        self._clocks = clocks
        self._known = {one.name for one in servers.servers()}
        self._budget = Budget()

    def lines(self, endings: Iterable[Told], spans: list[Span], gaps: list[Gap]) -> list[Line]:
        """What a page shows, newest first, with each span below what ended after it."""
        left = [(span.to_ms, _span(span)) for span in spans]
        left += [(gap_ms(gap), _gap(gap)) for gap in gaps]
        left.sort(key=lambda pair: -pair[0])
        drawn: list[Line] = []
        for told in endings:
            while left and left[0][0] > told.ended_ms:
                drawn.append(left.pop(0)[1])
            drawn.append(self._line(told))
        return drawn + [line for _, line in left]

    def _line(self, told: Told) -> StallLine:
        kind, wanted = EndingKind(told.kind), self._look.wanted
        is_known = told.server in self._known
        job_href = links.job_href(told.server, told.queue, told.job_id) if is_known else ""
        is_here = wanted.server == told.server and wanted.queue == told.queue
        queue = {"server": told.server, "queue": to_url(told.queue)}
        return StallLine(
            dom_id=f"s{told.pk}",
            ended_ms=told.ended_ms,
            now_ms=self._now(told),
            within=kinds.within(told),
            name=brief(told.job_id, _MOST),
            href=self._budget.link(job_href),
            by_job="" if wanted.job_id == told.job_id else self._alone("job", told.job_id),
            target=_target(told.server, told.queue),
            queue_href=self._budget.link(_queue_href(told)) if is_known else "",
            by_queue="" if is_here else self._budget.link(self._look.href(**queue)),
            lane=lane_word(told.lane, told.lane_cut),
            by_lane=self._by_lane(told),
            look=kinds.LOOKS[kind],
            means=kinds.MEANS[kind],
            source=kinds.SOURCES[Source(told.source)],
            attempts=told.attempts,
            stalled=told.stalled,
            late=kinds.late(told),
            renewals=told.renewals,
            error=error_of(told),
        )

    def _by_lane(self, told: Told) -> str:
        if told.lane is None or told.lane_cut or told.lane == self._look.wanted.lane:
            return ""
        return self._alone("lane", told.lane)

    def _alone(self, field: str, name: str) -> str:
        """The address of the same look with one name more."""
        if len(name) > _LONGEST:
            return ""
        return self._budget.link(self._look.href(**{field: to_url(name)}))

    def _now(self, told: Told) -> float:
        now_ms = self._clocks.now_ms(told.server)
        return told.ended_ms if 0 < told.ended_ms - now_ms < _DRIFT_MS else now_ms


def lane_word(lane: str | None, is_cut: bool) -> str:
    """The name of a lane as a list shows it; empty for none."""
    if lane is None:
        return ""
    return f"{brief(lane, _MOST)}…" if is_cut else brief(lane, _MOST)


def _queue_href(told: Told) -> str:
    return links.queue_url(told.server, told.queue)


def _span(span: Span) -> UnseenLine:
    target = _target(span.server, span.queue)
    return UnseenLine(False, target, span.from_ms, span.to_ms, brief(span.why, 1_000))


def _gap(gap: Gap) -> UnseenLine:
    at_ms = gap_ms(gap)
    target = _target(gap.server, from_wire(bytes(gap.queue)))
    return UnseenLine(True, target, at_ms, at_ms, gap.sentence)


def _target(server: str, queue: str | None) -> str:
    name = brief(server, _MOST)
    return name if queue is None else f"{name}/{brief(queue, _MOST)}"
