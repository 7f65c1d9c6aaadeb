"""The first page: every queue of every server, and what needs a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict

from echomq_admin.console.access import may_keep, page
from echomq_admin.console.forms import text_of
from echomq_admin.console.htmx import show
from echomq_admin.console.queue_table import Entry, QueueRow, QueueTable, ordered, queue_row
from echomq_admin.console.sparks import sparks
from echomq_admin.console.strip import MOST_LINES, strip
from echomq_admin.fleet.attention import Need, Why, needs
from echomq_admin.fleet.discovery import added_queues, last_failure, last_pass, under_way
from echomq_admin.fleet.models import Failure, Pass
from echomq_admin.fleet.names import brief
from echomq_admin.fleet.preferences import QueueSettings, all_settings, defaults
from echomq_admin.fleet.servers import Server, console_read_only, servers
from echomq_admin.fleet.snapshot import ServerSnapshot, lives, snapshots
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.checks import needs_reason

PER_PAGE = 100
# What the filter leaves as it is in the address.
_KEPT = ("server", "sort", "history", "hidden")
# Below this the others are not worth a word of their own.
_NOTABLE_S = 2.0


@dataclass(frozen=True)
class ServerLine:
    """A server on the overview: its look, its last discovery, how many keys the one under way has
    looked at, what people set for its queues."""

    server: Server
    look: ServerSnapshot
    last: Pass | None
    walked: int | None
    failure: Failure | None
    own: dict[str, QueueSettings]

    def entries(self) -> Iterator[Entry]:
        added = added_queues(self.server.name)
        for counts in self.look.queues:
            queue = counts.queue
            yield Entry(self.look, counts, self.own.get(queue), queue in added)

    @property
    def needs(self) -> Iterator[Need]:
        return needs(self.look, {queue for queue, own in self.own.items() if own.hidden})


@dataclass(frozen=True)
class Sifted:
    """The queues that the address leaves: `found` before the filter, `history` of them and
    `hidden` beside them that a link can show or hide."""

    entries: list[Entry]
    found: int
    history: int
    hidden: int

    @classmethod
    def by(cls, query: QueryDict, entries: list[Entry]) -> Sifted:
        words = text_of(query, "q").casefold().split()
        hidden = [entry for entry in entries if entry.hidden]
        if query.get("hidden") != "show" and "hidden" not in words:
            entries = [entry for entry in entries if not entry.hidden]
        history = [entry for entry in entries if entry.is_history]
        if query.get("history") == "hide":
            entries = [entry for entry in entries if not entry.is_history]
        matching = [entry for entry in entries if not words or _matches(entry.words, words)]
        return cls(matching, len(entries), len(history), len(hidden))


@page
def overview(request: HttpRequest) -> HttpResponse:
    """All queues with their counts, filtered, sorted and cut as the address says."""
    query, chosen = request.GET, text_of(request.GET, "server")
    lines = [_line(*pair) for pair in zip(servers(), snapshots(), strict=True)]
    about = [line for line in lines if chosen in ("", line.look.server)]
    sifted = Sifted.by(query, [entry for line in about for entry in line.entries()])
    entries = ordered(sifted.entries, _order(query))
    number, pages = _cut(query, len(entries))
    rows, age_s = _live(about, entries[(number - 1) * PER_PAGE : number * PER_PAGE])
    others_s = _oldest_s(about)
    context = {
        "lines": lines,
        "chosen": chosen if about else "",
        "rows": rows,
        "sifted": sifted,
        "is_failing": any(line.failure for line in about),
        "unread": sum(line.look.unread for line in about),
        "age_s": age_s,
        "others_s": others_s if others_s > age_s + _NOTABLE_S else 0,
        "read_only": console_read_only(),
        # Where a reason is asked for, the settings page has the field for it.
        "may_unhide": may_keep(request, "unhide_queue")
        and not needs_reason(ACTIONS["unhide_queue"]),
        "may_add": may_keep(request, "add_queue"),
        **_address(query),
        **_pager(query, number, pages, len(entries)),
        **_needs(lines, chosen),
    }
    return show(request, "console/overview.html", context)


def _address(query: QueryDict) -> dict[str, object]:
    """What the controls of the page make of its address."""
    kept = [(name, text_of(query, name)) for name in _KEPT if query.get(name)]
    sought, server = text_of(query, "q"), text_of(query, "server")
    headings = QueueTable([], order_by=_order(query)).headings(query)
    return {
        "query": sought,
        "sought": brief(sought),
        "asked": brief(server) if server else "",
        "kept": kept,
        "headings": headings[:-1],
        "sorts": [heading for heading in headings if heading.href],
        "history": _switch(query, "history", "hide"),
        "hides_history": query.get("history") == "hide",
        "hidden": _switch(query, "hidden", "show"),
        "shows_hidden": query.get("hidden") == "show",
    }


def _pager(query: QueryDict, number: int, pages: int, count: int) -> dict[str, object]:
    return {
        "pages": pages,
        "matching": count,
        "first": (number - 1) * PER_PAGE + 1,
        "last": min(number * PER_PAGE, count),
        "earlier": _page_query(query, number - 1) if number > 1 else "",
        "later": _page_query(query, number + 1) if number < pages else "",
    }


def _order(query: QueryDict) -> str:
    """The column to sort by; an unknown one is left aside."""
    return text_of(query, "sort") or "name"


def _line(server: Server, look: ServerSnapshot) -> ServerLine:
    name = server.name
    found = last_pass(name), under_way(name), last_failure(name)
    return ServerLine(server, look, *found, all_settings(name))


def _matches(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def _live(about: list[ServerLine], entries: list[Entry]) -> tuple[list[QueueRow], float]:
    """These entries as rows with what is read of them now, and the age of the oldest in s."""
    wanted: dict[str, list[str]] = {}
    for entry in entries:
        wanted.setdefault(entry.look.server, []).append(entry.counts.queue)
    shown = {line.server: wanted[line.look.server] for line in about if line.look.server in wanted}
    pairs = list(zip(shown, lives(shown), strict=True))
    looks = {look.server: look for _, look in pairs}
    sizes = {name: {x.queue: x for x in look.queues} for name, look in looks.items()}
    drawn = {look.server: sparks(server, shown[server], look.now_ms) for server, look in pairs}
    rows, ages = [], [0.0]
    for entry in entries:
        look = looks[entry.look.server]
        counts = sizes[look.server].get(entry.counts.queue, entry.counts)
        rows.append(queue_row(entry, look, counts, drawn[look.server][counts.queue]))
        ages.append(look.age_of(counts))
    return rows, max(ages)


def _oldest_s(about: list[ServerLine]) -> float:
    """How long ago the queue was read whose turn is the longest ago, in s."""
    ages = (line.look.age_of(counts) for line in about for counts in line.look.queues)
    return max(ages, default=0.0)


def _needs(lines: list[ServerLine], chosen: str) -> dict[str, object]:
    """What the strip says: trouble of any server, and the queues of those the page is about."""
    found = [need for line in lines for need in line.needs]
    away = [need.look for need in found if need.why is Why.AWAY]
    closed = [need.look for need in found if need.why is Why.READ_ONLY]
    return {
        "away": away[:MOST_LINES],
        "away_count": len(away),
        "more_away": max(0, len(away) - MOST_LINES),
        "closed": closed[:MOST_LINES],
        "more_closed": max(0, len(closed) - MOST_LINES),
        "notes": strip(
            (need for need in found if chosen in ("", need.server)), _max_stalled(lines), chosen
        ),
    }


def _max_stalled(lines: list[ServerLine]) -> Callable[[Need], int]:
    """What a sweep starts with, of settings that were read for the page."""
    own = {line.look.server: line.own for line in lines}

    def of(need: Need) -> int:
        queue = need.counts.queue if need.counts else ""
        return (own[need.server].get(queue) or defaults(queue)).max_stalled

    return of


def _cut(query: QueryDict, count: int) -> tuple[int, int]:
    """The nearest real page to the one asked for, and the last one. Counted from 1."""
    last = max(1, -(-count // PER_PAGE))
    asked = query.get("page", "1")
    if not (asked.isascii() and asked.isdecimal()):
        return 1, last
    # A number of so many digits is behind the last page, and need not be worked out.
    number = int(asked) if len(asked) < 10 else last
    return min(max(number, 1), last), last


def _switch(query: QueryDict, name: str, value: str) -> str:
    """The query with a switch turned round."""
    changed = query.copy()
    changed.pop("page", None)
    if changed.pop(name, [""])[-1] != value:
        changed[name] = value
    return changed.urlencode()


def _page_query(query: QueryDict, number: int) -> str:
    changed = query.copy()
    changed["page"] = str(number)
    return changed.urlencode()
