"""The tables of the pages: columns, headings and sorting. The rows are drawn by row templates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import django_tables2 as tables
from django.http import QueryDict

from echomq_admin.fleet.preferences import QueueSettings

NUM = {"th": {"class": "num"}}
_TITLES = {
    "Attempts": "how often the job was claimed; a worker with an earlier number is refused",
    "Stalls": "how often its lease lapsed and a sweep took it back; hollow dots are those left",
    "Minted": "when the id was made; the instant is part of the id",
    "Last sign": "when it was claimed or its lease was last renewed: its deadline less the lease "
    "length in the settings of this queue",
    "Due": "when the job goes to pending; its score in the schedule, on the server's clock",
    "Deadline": "when the lease ends; its score in the active set, on the server's clock",
    "Row’s state": "a copy that can lag: the list that holds an id is the truth",
    "Oldest minted": "how long ago the oldest waiting job was minted, in pending or in a lane",
    "Lapsed": "leases whose deadline has passed and that no sweep has taken yet",
    "Scheduled": "jobs that wait for their time",
    "Died": "when the lease ended that killed the job, as the ledger knows it, on the server's "
    "clock",
    "Last hour": "waiting jobs as a line from 0 up; dead jobs as a broken one where they changed; "
    "where no sample was taken there is a gap",
    "Renewals": "how often the lease was renewed since the agent first saw it, and the last time",
}


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
    css = column.attrs.get("th", {}).get("class") or ""
    words = " ".join(word for word in css.split() if word != "orderable")
    return Heading(column.header, words, _TITLES.get(column.header, ""), href, order)


class ListTable(Headed):
    """A list of jobs. It is sorted by `sorts` in either direction, as `orders` says in words
    (ascending, descending), and opens at instants of `told_by`, which `opened` says; those mostly
    lie `ahead` or behind. `rare` columns are shown to those who choose them."""

    tab = ""
    sorts = ""
    ordered_by = "id"
    orders = ("oldest minted first", "newest minted first")
    told_by = "Minted"
    opened = "opened at the jobs minted"
    ahead = False
    pager = ("Older", "Newer")
    descends = False
    rare: frozenset[str] = frozenset()

    @classmethod
    def of(cls, _settings: QueueSettings) -> type[ListTable]:
        """The table for a queue of these settings."""
        return cls

    @classmethod
    def offered(cls) -> dict[str, str]:
        """The columns that a person may hide or show, with their headings."""
        columns = cls.base_columns.items()
        return {name: str(column.verbose_name) for name, column in columns if name != "name"}

    def list_headings(self, href: str, descending: bool) -> list[Heading]:
        """The headings; `href` is the address of the other direction, empty where the list is
        not in the order of the column it is sorted by."""
        order = "descending" if descending else "ascending"
        names = [column.name for column in self.columns]
        return [
            replace(heading, href=href, sorted_by=order if href else "")
            if name == self.sorts
            else heading
            for name, heading in zip(names, self.headings(), strict=True)
        ]


class LeaseTable(ListTable):
    """Jobs in flight, soonest deadline first."""

    tab, sorts, told_by, pager = "active", "left", "Deadline", ("Sooner", "Later")
    orders = ("soonest deadline first", "latest deadline first")
    opened, ahead = "opened at the leases that end", True
    rare = frozenset({"deadline", "minted", "error", "payload", "progress", "parent", "state"})

    name = tables.Column("Job")
    phase = tables.Column("Phase")
    left = tables.Column("Lease")
    renewals = tables.Column("Renewals")
    deadline = tables.Column("Deadline")
    attempts = tables.Column("Attempts", attrs=NUM)
    stalls = tables.Column("Stalls")
    lane = tables.Column("Lane")
    minted = tables.Column("Minted")
    error = tables.Column("Last error")
    payload = tables.Column("Payload")
    progress = tables.Column("Progress")
    parent = tables.Column("Parent")
    state = tables.Column("Row’s state")
    fate = tables.Column("Next sweep")

    @classmethod
    def of(cls, settings: QueueSettings) -> type[ListTable]:
        return SignedLeaseTable if settings.lease_ms else cls


class SignedLeaseTable(LeaseTable):
    """The same where the length of leases is known, which tells when each was last renewed."""

    sign = tables.Column("Last sign")

    class Meta:
        sequence = ("name", "phase", "left", "renewals", "sign", "...")


class FateTable(Headed):
    """Lapsed leases and where a sweep would send them."""

    name = tables.Column("Job")
    left = tables.Column("Past deadline", attrs=NUM)
    attempts = tables.Column("Attempts", attrs=NUM)
    stalls = tables.Column("Stalls")
    fate = tables.Column("A sweep")


class PendingTable(ListTable):
    """Waiting jobs, oldest first."""

    tab, sorts = "pending", "minted"
    rare = frozenset({"error", "progress", "parent", "state"})

    name = tables.Column("Job")
    minted = tables.Column("Minted")
    attempts = tables.Column("Attempts", attrs=NUM)
    stalls = tables.Column("Stalls")
    lane = tables.Column("Lane")
    error = tables.Column("Last error")
    payload = tables.Column("Payload")
    progress = tables.Column("Progress")
    parent = tables.Column("Parent")
    state = tables.Column("Row’s state")


class ScheduledTable(ListTable):
    """Jobs that wait for their time, the next one due first."""

    tab, sorts, told_by, pager = "scheduled", "due", "Due", ("Sooner", "Later")
    ordered_by = "score"
    orders = ("soonest due first", "last due first")
    opened, ahead = "opened at the jobs due", True
    rare = frozenset({"progress", "parent", "state"})

    name = tables.Column("Job")
    due = tables.Column("Due")
    error = tables.Column("Last error")
    attempts = tables.Column("Attempts", attrs=NUM)
    stalls = tables.Column("Stalls")
    minted = tables.Column("Minted")
    lane = tables.Column("Lane")
    payload = tables.Column("Payload")
    progress = tables.Column("Progress")
    parent = tables.Column("Parent")
    state = tables.Column("Row’s state")


class DeadTable(ListTable):
    """Dead jobs, newest minted first."""

    tab, sorts, descends = "dead", "minted", True
    rare = frozenset({"progress", "parent", "state"})

    name = tables.Column("Job")
    error = tables.Column("Error")
    died = tables.Column("Died")
    attempts = tables.Column("Attempts", attrs=NUM)
    stalls = tables.Column("Stalls")
    minted = tables.Column("Minted")
    lane = tables.Column("Lane")
    payload = tables.Column("Payload")
    progress = tables.Column("Progress")
    parent = tables.Column("Parent")
    state = tables.Column("Row’s state")


class DiedTable(DeadTable):
    """The same, those that died last first."""

    sorts, ordered_by = "died", "given"
    orders = ("first died first", "recently died first")
    told_by, opened = "Died", "opened at the jobs that died by"


class LaneTable(ListTable):
    """The lanes of a queue. Their page says itself how they are sorted."""

    tab = "lanes"

    name = tables.Column("Lane")
    ring = tables.Column("Ring")
    depth = tables.Column("Waiting", attrs=NUM)
    oldest = tables.Column("Oldest minted")
    in_flight = tables.Column("In flight", attrs=NUM)
    limit = tables.Column("Limit", attrs=NUM)
    weight = tables.Column("Weight", attrs=NUM)


LISTS: dict[str, type[ListTable]] = {
    table.tab: table
    for table in (PendingTable, SignedLeaseTable, ScheduledTable, DeadTable, LaneTable)
}
