"""The table of the overview: one row a queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import django_tables2 as tables
from django.urls import get_script_prefix, reverse

from echomq_admin.console import times
from echomq_admin.console.links import queue_url
from echomq_admin.console.rows import dom_id
from echomq_admin.console.sparks import Spark
from echomq_admin.console.tables import NUM, Headed
from echomq_admin.console.words import counted
from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.preferences import QueueSettings
from echomq_admin.fleet.snapshot import ServerSnapshot

BARE = "nothing in it yet"
_LOST = "no id that waits first in pending or in a lane says when it was minted"


@dataclass(frozen=True, slots=True)
class Entry:
    """A queue as lists are sorted and filtered by it; one is made for every queue of a page."""

    look: ServerSnapshot
    counts: QueueCounts
    settings: QueueSettings | None
    added: bool = False

    @property
    def name(self) -> str:
        return _name(self.counts.queue)

    @property
    def hidden(self) -> bool:
        return self.settings is not None and self.settings.hidden

    @property
    def is_history(self) -> bool:
        return self.look.is_history(self.counts)

    @property
    def is_bare(self) -> bool:
        return self.added and self.counts.is_bare

    @property
    def note(self) -> str:
        return self.settings.note if self.settings else ""

    @property
    def words(self) -> str:
        """What a filter looks into."""
        counts = self.counts
        said = (
            (counts.paused, "paused"),
            (counts.lapsed, "lapsed"),
            (counts.dead, "dead"),
            (counts.off_ring, "off the ring"),
            (self.is_history, "no jobs listed"),
            (self.is_bare, BARE),
            (self.hidden, "hidden"),
        )
        marks = " ".join(word for is_said, word in said if is_said)
        return f"{self.name} {self.look.server} {self.note} {marks}".casefold()


@lru_cache(maxsize=4096)
def _name(queue: str) -> str:
    return brief(queue)


def _oldest(entry: Entry) -> int | None:
    minted = entry.counts.oldest_ms
    return None if minted is None else entry.counts.now_ms - minted


_KEYS: dict[str, Callable[[Entry], object]] = {
    "server": lambda entry: entry.look.server,
    "waiting": lambda entry: entry.counts.waiting,
    "oldest": _oldest,
    "active": lambda entry: entry.counts.active,
    "lapsed": lambda entry: entry.counts.lapsed,
    "scheduled": lambda entry: entry.counts.scheduled,
    "dead": lambda entry: entry.counts.dead,
    "completed": lambda entry: entry.counts.completed,
    "failed": lambda entry: entry.counts.failed,
    "paused": lambda entry: entry.counts.paused,
}


def ordered(entries: Iterable[Entry], order: str) -> list[Entry]:
    """The entries by a column, `-` before it turns it round; what is unknown comes last.

    Where the column says nothing, or is none, they stand by name.
    """
    by_name = sorted(entries, key=lambda entry: (entry.name, entry.look.server))
    column, is_turned = order.removeprefix("-"), order.startswith("-")
    if column not in _KEYS:
        return by_name[::-1] if order == "-name" else by_name
    keyed = [(_KEYS[column](entry), entry) for entry in by_name]
    told = [pair for pair in keyed if pair[0] is not None]
    told.sort(key=lambda pair: pair[0], reverse=is_turned)
    return [entry for _, entry in told] + [entry for key, entry in keyed if key is None]


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue of the overview. Numbers are `None` when unknown; `stale` when its server is away;
    `bare` when it is only listed because somebody added it; `spark` is its last hour."""

    server: str
    name: str
    counts: QueueCounts
    stale: bool
    note: str
    hidden: bool
    history: bool
    bare: bool
    spark: Spark

    @property
    def faults(self) -> str:
        return "; ".join(self.counts.faults)

    @property
    def where(self) -> str:
        """How the waiting jobs lie."""
        counts = self.counts
        if not counts.lanes or counts.lanes_pending is None or counts.pending is None:
            return ""
        lanes = counted(counts.lanes, "lane")
        return f"{counts.pending:,} outside of lanes, {counts.lanes_pending:,} in {lanes}"

    @property
    def oldest(self) -> str:
        """How long ago the oldest waiting job was minted: `4 min`; a dash when none waits."""
        counts = self.counts
        if counts.oldest_ms is None:
            return "–" if counts.waiting == 0 else ""
        return times.ago(counts.oldest_ms, counts.now_ms).removesuffix(" ago")

    @property
    def minted(self) -> str:
        return times.exact(self.counts.oldest_ms) if self.counts.oldest_ms is not None else _LOST

    @property
    def href(self) -> str:
        return self._tab("active")

    @property
    def pending_href(self) -> str:
        return self._tab("pending")

    @property
    def scheduled_href(self) -> str:
        return self._tab("scheduled")

    @property
    def dead_href(self) -> str:
        return self._tab("dead")

    @property
    def died_href(self) -> str:
        return f"{self._tab('dead')}?order=died"

    @property
    def chart_href(self) -> str:
        return self._tab("chart")

    @property
    def server_href(self) -> str:
        return _server_url(get_script_prefix(), self.server)

    @property
    def lanes_href(self) -> str:
        return self._tab("lanes")

    @property
    def hide_href(self) -> str:
        return self._tab("hide")

    def _tab(self, name: str) -> str:
        return queue_url(self.server, self.counts.queue, name)

    @property
    def dom_id(self) -> str:
        return dom_id(f"{self.server}/{self.counts.queue}")


@lru_cache(maxsize=64)
def _server_url(_prefix: str, server: str) -> str:
    # The prefix is a part of what `reverse` answers, so it is a part of what is kept.
    return reverse("server", args=[server])


def queue_row(entry: Entry, look: ServerSnapshot, counts: QueueCounts, spark: Spark) -> QueueRow:
    """An entry as it is drawn, with what `look` has told last, and its last hour."""
    return QueueRow(
        server=look.server,
        name=entry.name,
        counts=counts,
        stale=look.error is not None,
        note=entry.note,
        hidden=entry.hidden,
        history=look.is_history(counts),
        bare=entry.added and counts.is_bare,
        spark=spark,
    )


class QueueTable(Headed):
    """What all queues of all servers are sorted by, as `ordered` does; paused ones are marked at
    their name."""

    name = tables.Column("Queue")
    server = tables.Column("Server")
    trend = tables.Column("Last hour", orderable=False)
    waiting = tables.Column("Pending", attrs=NUM, initial_sort_descending=True)
    oldest = tables.Column("Oldest minted", attrs=NUM, initial_sort_descending=True)
    active = tables.Column("Active", attrs=NUM, initial_sort_descending=True)
    lapsed = tables.Column("Lapsed", attrs=NUM, initial_sort_descending=True)
    scheduled = tables.Column("Scheduled", attrs=NUM, initial_sort_descending=True)
    dead = tables.Column("Dead", attrs=NUM, initial_sort_descending=True)
    completed = tables.Column("Completed", attrs=NUM, initial_sort_descending=True)
    failed = tables.Column("Failed", attrs=NUM, initial_sort_descending=True)
    paused = tables.Column("Paused", initial_sort_descending=True)

    class Meta(Headed.Meta):
        orderable = True
        order_by_field = "sort"
