"""The tables of the pages: columns, headings and sorting. The rows are drawn by row templates."""

from __future__ import annotations

from dataclasses import dataclass

import django_tables2 as tables
from django.http import QueryDict
from django.urls import reverse

from echomq_admin.console.rows import dom_id
from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet.names import shown

NUM = {"th": {"class": "num"}}
_TITLES = {
    "Attempts": "how often the job was claimed; the same number is the token that fences a claim",
    "Stalls": "how often its lease lapsed and a sweep took it back; hollow dots are those left",
    "Minted": "when the id was made; the instant is part of the id",
    "Lapsed": "leases whose deadline has passed and that no sweep has taken yet",
    "Scheduled": "jobs that wait for their time",
}


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue of the overview. Numbers are `None` when unknown; `stale` when its server is away."""

    server: str
    queue: str
    name: str
    counts: QueueCounts
    waiting: int | None
    stale: bool

    @property
    def faults(self) -> str:
        return "; ".join(self.counts.faults)

    @property
    def href(self) -> str:
        return self._tab("active")

    @property
    def pending_href(self) -> str:
        return self._tab("pending")

    @property
    def dead_href(self) -> str:
        return self._tab("dead")

    def _tab(self, name: str) -> str:
        return reverse(f"queue_{name}", args=[self.server, self.queue])

    @property
    def dom_id(self) -> str:
        return dom_id(f"{self.server}/{self.queue}")


def queue_row(server: str, counts: QueueCounts, stale: bool) -> QueueRow:
    """A queue's counts as a row; its waiting jobs are known when both parts are."""
    parts = (counts.pending, counts.lanes_pending)
    waiting = None if None in parts else sum(parts)
    return QueueRow(server, counts.queue, shown(counts.queue), counts, waiting, stale)


@dataclass(frozen=True, slots=True)
class Heading:
    """A column heading; `title` explains it, `href` sorts by it, `sorted_by` is the value of
    `aria-sort` or empty."""

    label: str
    css: str
    title: str
    href: str
    sorted_by: str


class Headed(tables.Table):
    """A table whose template draws headings from `headings` and rows from `records`."""

    class Meta:
        orderable = False

    def headings(self, query: QueryDict | None = None) -> list[Heading]:
        """The headings in order. A sortable one links to the page's own address, sorted by it."""
        return [_heading(column, query) for column in self.columns]

    @property
    def records(self) -> list:
        return self.data.data


def _heading(column, query: QueryDict | None) -> Heading:
    href = order = ""
    if column.orderable and query is not None:
        changed = query.copy()
        changed["sort"] = column.order_by_alias.next
        changed.pop("page", None)
        href = f"?{changed.urlencode()}"
        if column.is_ordered:
            order = "descending" if column.order_by_alias.is_descending else "ascending"
    css = column.attrs.get("th", {}).get("class", "")
    words = " ".join(word for word in css.split() if word != "orderable")
    return Heading(column.header, words, _TITLES.get(column.header, ""), href, order)


class QueueTable(Headed):
    """All queues of all servers."""

    name = tables.Column("Queue")
    server = tables.Column("Server")
    waiting = tables.Column("Pending", attrs=NUM, initial_sort_descending=True)
    active = tables.Column(
        "Active", accessor="counts__active", attrs=NUM, initial_sort_descending=True
    )
    lapsed = tables.Column(
        "Lapsed", accessor="counts__lapsed", attrs=NUM, initial_sort_descending=True
    )
    scheduled = tables.Column(
        "Scheduled", accessor="counts__scheduled", attrs=NUM, initial_sort_descending=True
    )
    dead = tables.Column("Dead", accessor="counts__dead", attrs=NUM, initial_sort_descending=True)
    completed = tables.Column(
        "Completed", accessor="counts__completed", attrs=NUM, initial_sort_descending=True
    )
    failed = tables.Column(
        "Failed", accessor="counts__failed", attrs=NUM, initial_sort_descending=True
    )

    class Meta(Headed.Meta):
        orderable = True
        order_by_field = "sort"


class LeaseTable(Headed):
    """Jobs in flight, soonest deadline first."""

    name = tables.Column("Job")
    phase = tables.Column("State")
    left = tables.Column("Lease")
    attempts = tables.Column("Attempts", attrs=NUM)
    stalls = tables.Column("Stalls")
    lane = tables.Column("Lane")
    fate = tables.Column("Next sweep")


class FateTable(Headed):
    """Lapsed leases and where a sweep would send them."""

    name = tables.Column("Job")
    left = tables.Column("Past deadline", attrs=NUM)
    attempts = tables.Column("Attempts", attrs=NUM)
    stalls = tables.Column("Stalls")
    fate = tables.Column("A sweep")


class PendingTable(Headed):
    """Waiting jobs, oldest first."""

    name = tables.Column("Job")
    minted_ms = tables.Column("Minted")
    attempts = tables.Column("Attempts", attrs=NUM)
    stalls = tables.Column("Stalls")
    lane = tables.Column("Lane")
    payload = tables.Column("Payload")


class DeadTable(Headed):
    """Dead jobs, newest minted first."""

    name = tables.Column("Job")
    error = tables.Column("Error")
    attempts = tables.Column("Attempts", attrs=NUM)
    stalls = tables.Column("Stalls")
    minted_ms = tables.Column("Minted")
    lane = tables.Column("Lane", attrs={"th": {"class": "hide-m"}})
    payload = tables.Column("Payload", attrs={"th": {"class": "hide-l"}})
