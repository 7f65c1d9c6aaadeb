"""Exactly the endings of a look as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from echomq_admin.console import files
from echomq_admin.console.access import page
from echomq_admin.console.stalls.clocks import Clocks
from echomq_admin.console.stalls.looks import StallsLook
from echomq_admin.fleet.names import to_url
from echomq_admin.ledger.endings import queries
from echomq_admin.ledger.endings.told import Told, document

COLUMNS = (
    *("ended", "ended_ms", "within_ms", "kind", "source", "server", "queue", "job", "life"),
    *("attempts", "n", "lane", "lane_cut", "stalled", "deadline_ms", "late_ms", "renewals"),
    *("error", "error_size", "op", "actor", "op_id"),
)


@page
def stalls_csv(request: HttpRequest) -> HttpResponseBase:
    """The endings of a look as CSV, names in their `~` form where they are not plain."""
    return _file(request, "stalls.csv", lambda told: files.sheet(COLUMNS, map(_cells, told)))


@page
def stalls_ndjson(request: HttpRequest) -> HttpResponseBase:
    """The same as one JSON document a line, with every byte of names and errors."""
    return _file(request, "stalls.ndjson", lambda told: files.documents(map(document, told)))


def _file(
    request: HttpRequest, name: str, write: Callable[[Iterator[Told]], Iterator[str]]
) -> HttpResponseBase:
    look = StallsLook.read(request, Clocks().now_ms(request.GET.get("server", "")))
    return files.answer(request, name, look, lambda: write(queries.every(look.wanted)))


def _cells(told: Told) -> list[object]:
    """An absent number is an empty cell; bytes of an error that are no text are escaped."""
    kind, source = told.kind.name.lower(), told.source.name.lower()
    error = "" if told.error is None else told.error.decode("utf-8", "backslashreplace")
    lease = (told.attempts, told.n, _name(told.lane), "yes" if told.lane_cut else "")
    times = (told.deadline_ms, told.late_ms, told.renewals)
    values = (
        *(files.utc(told.ended_ms), told.ended_ms, told.within_ms, kind, source, told.server),
        *(_name(told.queue), _name(told.job_id), told.life, *lease, told.stalled, *times),
        *(error, told.error_size, told.op, told.actor, told.op_id),
    )
    return ["" if value is None else value for value in values]


def _name(name: str | None) -> str:
    return "" if name is None else to_url(name)
