"""What all lists of jobs have in common: how one is asked for, and what is shown around it."""

from __future__ import annotations

from collections.abc import Iterator
from types import EllipsisType
from typing import Protocol

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from echomq_admin.console import links, offers, outcomes, tools
from echomq_admin.console.budget import Budget
from echomq_admin.console.columns import columns_of
from echomq_admin.console.forms import ORDERS, SIZES, PageLook, SweepForm, new_op_id
from echomq_admin.console.places import Place
from echomq_admin.console.rows import Listing
from echomq_admin.console.tables import ListTable
from echomq_admin.console.tabs import tabs
from echomq_admin.emq.reads import ActivePage, Job, JobPage


class Asked:
    """One list as it was asked for: how it is looked at, and what its page shares with others."""

    def __init__(self, request: HttpRequest, place: Place, table: type[ListTable]) -> None:
        self.request = request
        self.place = place
        self.settings = place.settings
        self.table = table = table.of(self.settings)
        self.look = PageLook.read(request.GET)
        self.jump = tools.jump(self.look, place, table.ahead)
        self.columns = columns_of(request.user, table)
        self.bar = offers.bar(place, request.user, table.tab)
        self.outcome = outcomes.kept(request)
        self.client = place.server.client
        self.start = (self.look.rows, self.look.cursor)
        is_turned = self.look.order in ORDERS
        self.descending = self.look.order == "desc" if is_turned else table.descends
        self.way = {"descending": self.descending, "at": self.jump.at}

    @property
    def moves(self) -> bool:
        """Whether the address would mean another instant at the next look at it."""
        return bool(self.jump.settled)

    def settle(self) -> HttpResponse:
        """To the address that keeps meaning the instant that this one means now."""
        query = self.look.query(at=self.jump.settled, zone="")
        return redirect(f"{self.request.path}?{query}")

    def listing(
        self, found: JobPage | ActivePage, state: str, lane: str | EllipsisType | None = ...
    ) -> Listing:
        form = SweepForm.read(self.request.GET, self.settings.max_stalled)
        is_valid = form.is_valid()
        most = form.cleaned_data["max_stalled"] if is_valid else self.settings.max_stalled
        shown = frozenset(name for name, is_shown in self.columns.shown.items() if is_shown)
        budget = Budget(links.job_href(*self._queue, job.job_id) for job in jobs_of(found))
        return Listing(
            self.place,
            state,
            found.now_ms,
            most,
            lane,
            shown,
            budget,
            self.settings.lease_ms,
            self.bar,
            self.outcome.refusals if self.outcome else {},
            bool(self.outcome and self.outcome.ticks),
        )

    @property
    def _queue(self) -> tuple[str, str]:
        return self.place.server.name, self.place.queue

    def context(self, found: JobPage | ActivePage, drawn: list, total: int | None) -> dict:
        """What every list shows: the frame of its tab, its tools, its table and its foot."""
        table, look, columns = self.table, self.look, self.columns
        made = table(drawn, exclude=columns.hidden)
        is_by_score = isinstance(found, JobPage) and found.ordered_by != table.ordered_by
        turned = look.query(order="asc" if self.descending else "desc", cursor="")
        words = table.pager[::-1] if self.descending else table.pager
        return around(self.request, self.place, table.tab, look, total) | {
            "found": found,
            "now_ms": found.now_ms,
            "table": made,
            "headings": made.list_headings("" if is_by_score else f"?{turned}", self.descending),
            "show": columns.shown,
            "bar": self.bar,
            "op_id": new_op_id(),
            **outcomes.context(self.request, self.place, self.outcome),
            "back": f"queue_{table.tab}",
            "tools": tools.tools(self.request, look, found, self.jump, table, columns),
            "turned": "" if is_by_score else turned,
            "order": "" if is_by_score else table.orders[self.descending],
            "is_by_score": is_by_score,
            "back_word": words[0],
            "forth_word": words[1],
            **turns(look, found),
        }


def jobs_of(found: JobPage | ActivePage) -> Iterator[Job]:
    """The jobs of a page, in flight or not."""
    if isinstance(found, JobPage):
        yield from found.jobs
    else:
        yield from (lease.job for lease in found.leases)


class Look(Protocol):
    """How a page is looked at: so many rows, and the address of the same look but for changes."""

    @property
    def rows(self) -> int: ...

    def query(self, **changes: str) -> str: ...


class Cut(Protocol):
    """A page of something longer: the cursors of the pages beside it, `None` at an end."""

    @property
    def previous(self) -> str | None: ...

    @property
    def next(self) -> str | None: ...


def turns(look: Look, found: Cut) -> dict:
    """The addresses of the page before and of the one behind; empty where there is none."""
    return {
        "before": look.query(cursor=found.previous) if found.previous else "",
        "after": look.query(cursor=found.next) if found.next else "",
    }


def around(
    request: HttpRequest, place: Place, tab: str, look: Look, total: int | None
) -> dict[str, object]:
    """What stands around every list of a queue; `total` is what its page read of the tab."""
    return {
        "place": place,
        "tabs": tabs(place, tab, total),
        "look": look.query(),
        "sizes": [(size, look.query(rows=str(size), cursor="")) for size in SIZES],
        "rows_now": look.rows,
        "may_sweep": place.may(request.user, "sweep"),
    }
