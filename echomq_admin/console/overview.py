"""The first page: every queue of every server, and what needs a person."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict

from echomq_admin.console.access import page
from echomq_admin.console.htmx import show
from echomq_admin.console.tables import QueueRow, QueueTable, queue_row
from echomq_admin.fleet.discovery import last_pass
from echomq_admin.fleet.models import Pass
from echomq_admin.fleet.servers import Server, read_only_reason, servers
from echomq_admin.fleet.snapshot import ServerSnapshot, snapshots

PER_PAGE = 100


@dataclass(frozen=True)
class ServerLine:
    """A server on the overview: its look, its last discovery, why it is read-only if it is."""

    look: ServerSnapshot
    target: str
    last: Pass | None
    read_only: str | None


@page
def overview(request: HttpRequest) -> HttpResponse:
    """All queues with their counts, filtered, sorted and cut as the address says."""
    lines = [_line(*pair) for pair in zip(servers(), snapshots(), strict=True)]
    chosen = request.GET.get("server", "")
    rows = [row for line in lines if chosen in ("", line.look.server) for row in _rows(line.look)]
    matching = _filtered(rows, request.GET.get("q", ""))
    table = QueueTable(matching, order_by=_order(request.GET))
    number, pages = _cut(request.GET, len(matching))
    context = {
        "lines": lines,
        "chosen": chosen,
        "query": request.GET.get("q", ""),
        "headings": table.headings(request.GET),
        "rows": table.records[(number - 1) * PER_PAGE : number * PER_PAGE],
        "first": (number - 1) * PER_PAGE + 1,
        "last": min(number * PER_PAGE, len(matching)),
        "found": len(rows),
        "matching": len(matching),
        "pages": pages,
        "earlier": _page_query(request.GET, number - 1) if number > 1 else "",
        "later": _page_query(request.GET, number + 1) if number < pages else "",
        "lapsed": [row for row in rows if row.counts.lapsed][:5],
        "age_s": max((line.look.age_s for line in lines), default=0),
    }
    return show(request, "console/overview.html", context)


def _line(server: Server, look: ServerSnapshot) -> ServerLine:
    reason = None if look.error else read_only_reason(server, facts=look.facts)
    return ServerLine(look, server.target, last_pass(server.name), reason)


def _rows(look: ServerSnapshot) -> list[QueueRow]:
    return [queue_row(look.server, counts, bool(look.error)) for counts in look.queues]


def _filtered(rows: list[QueueRow], text: str) -> list[QueueRow]:
    words = text.casefold().split()
    return [row for row in rows if all(word in _haystack(row) for word in words)]


def _haystack(row: QueueRow) -> str:
    paused = "paused" if row.counts.paused else ""
    return f"{row.name} {row.server} {paused}".casefold()


def _order(query: QueryDict) -> str:
    """The column to sort by. An unknown one is left aside by the table."""
    return query.get("sort", "name")


def _cut(query: QueryDict, count: int) -> tuple[int, int]:
    """The nearest real page to the one asked for, and the last one. Counted from 1."""
    last = max(1, -(-count // PER_PAGE))
    asked = query.get("page", "1")
    number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 10 else 1
    return min(max(number, 1), last), last


def _page_query(query: QueryDict, number: int) -> str:
    changed = query.copy()
    changed["page"] = str(number)
    return changed.urlencode()
