"""Endings as the page draws them, with what is missing between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from echomq_admin.console import endings, links
from echomq_admin.console.budget import Budget
from echomq_admin.console.endings import Look, lane_word
from echomq_admin.console.entries import called
from echomq_admin.console.payloads import Sight
from echomq_admin.console.stalls.clocks import Clocks
from echomq_admin.console.stalls.looks import StallsLook
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.ledger.endings.told import Told
from echomq_admin.ledger.endings.unseen import Span
from echomq_admin.ledger.endings.wording import late, within
from echomq_admin.ledger.models import Gap
from echomq_admin.ledger.trail import gap_ms

# What ended up to so long after the page was read is no future: clocks are read one by one.
_DRIFT_MS = 3_600_000
# A name that is longer in an address is not put into one once more, only shown.
LONGEST = 800
# So much of a name stands in a row.
_MOST = 60


@dataclass(frozen=True, slots=True)
class StallLine:
    """An ending. `href` leads to the job, `queue_href` to its queue, both empty where there is no
    way; `by_job`, `by_queue` and `by_lane` to the same look of only that, empty where it is so.
    `who` says what a person did that ended the lease, `who_href` leads to that call in the trail.
    `late` and `within` are words; whatever is not known is empty."""

    dom_id: str
    told: Told
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
    who: str
    who_href: str
    late: str
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

    def lines(self, told: Iterable[Told], spans: list[Span], gaps: list[Gap]) -> list[Line]:
        """What a page shows, newest first, with each span below what ended after it."""
        left = [(span.to_ms, _span(span)) for span in spans]
        left += [(gap_ms(gap), _gap(gap)) for gap in gaps]
        left.sort(key=lambda pair: -pair[0])
        drawn: list[Line] = []
        for one in told:
            while left and left[0][0] > one.ended_ms:
                drawn.append(left.pop(0)[1])
            drawn.append(self._line(one))
        return drawn + [line for _, line in left]

    def _line(self, told: Told) -> StallLine:
        is_known = told.server in self._known
        href = links.job_href(told.server, told.queue, told.job_id) if is_known else ""
        home = links.queue_url(told.server, told.queue) if is_known else ""
        return StallLine(
            dom_id=f"s{told.pk}",
            told=told,
            now_ms=self._now(told),
            within=within(told),
            name=brief(told.job_id, _MOST),
            href=self._budget.link(href),
            by_job=self._alone(told, job=told.job_id),
            target=_target(told.server, told.queue),
            queue_href=self._budget.link(home),
            by_queue=self._alone(told),
            lane=lane_word(told.lane, told.lane_cut),
            by_lane="" if told.lane_cut else self._alone(told, lane=told.lane),
            look=endings.LOOKS[told.kind],
            means=endings.MEANS[told.kind],
            source=endings.SOURCES[told.source],
            who=_who(told),
            who_href=self._budget.link(_call_href(told)),
            late=late(told),
            error=endings.error_of(told),
        )

    def _alone(self, told: Told, **names: str | None) -> str:
        """The address of the same look of only this queue, or only one of its jobs or lanes; empty
        where it is that already, or would be too long."""
        named = {"server": told.server, "queue": to_url(told.queue)}
        named |= {field: to_url(name) for field, name in names.items() if name is not None}
        is_so = named.items() <= self._look.values().items()
        is_none = None in names.values() or max(map(len, named.values())) > LONGEST
        return "" if is_so or is_none else self._budget.link(self._look.href(**named))

    def _now(self, told: Told) -> float:
        now_ms = self._clocks.now_ms(told.server)
        return told.ended_ms if 0 < told.ended_ms - now_ms < _DRIFT_MS else now_ms


def _who(told: Told) -> str:
    return f"{brief(called(told.op), 40)} by {brief(told.who, 60)}" if told.op else ""


def _call_href(told: Told) -> str:
    if not told.op_id or len(told.op_id) > LONGEST:
        return ""
    return f"{reverse('trail')}?{urlencode({'op_id': told.op_id})}"


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
