"""The rows of the trail as files: CSV for a sheet, NDJSON for a program."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from unicodedata import category, normalize

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from echomq_admin.console import times
from echomq_admin.console.access import page
from echomq_admin.console.entries import word
from echomq_admin.console.trail.looks import TrailLook
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet.names import to_url
from echomq_admin.ledger import trail
from echomq_admin.ledger.documents import document
from echomq_admin.ledger.models import TrailEntry
from echomq_admin.ledger.told import told

COLUMNS = (
    *("time", "at_ms", "kind", "server", "queue", "op", "actor", "reason", "jobs", "outcomes"),
    *("job_ids", "message", "op_id", "fault", "stream_id"),
)
# A sheet would take what begins so for a formula, also in their wide and small forms.
_FORMULA = "=+-@\N{MINUS SIGN}"
# Before them a sheet passes over white space and control characters; some begin a formula too.
_PASSED_OVER = ("C", "Z")
Write = Callable[[Iterator[TrailEntry]], Iterator[str]]


@page
def trail_csv(request: HttpRequest) -> HttpResponseBase:
    """The entries of a look as CSV, names in their `~` form where they are not plain."""
    return _file(request, "trail.csv", "text/csv; charset=utf-8", _csv)


@page
def trail_ndjson(request: HttpRequest) -> HttpResponseBase:
    """The same as one JSON document a line, with every byte of names and errors."""
    return _file(request, "trail.ndjson", "application/x-ndjson", _ndjson)


def _file(request: HttpRequest, name: str, kind: str, write: Write) -> HttpResponseBase:
    look = TrailLook.read(request, timezone.now().timestamp() * 1_000)
    if look.errors:
        context = {"title": "No file was made", "sentence": " ".join(look.errors.values())}
        return render(request, "console/message.html", context, status=400)
    is_head = request.method == "HEAD"
    answer = HttpResponse() if is_head else StreamingHttpResponse(write(trail.every(look.wanted)))
    answer["Content-Type"] = kind
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


class _Line:
    """What `csv` writes a row to, which hands it back."""

    def write(self, line: str) -> str:
        return line


def _csv(entries: Iterator[TrailEntry]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(COLUMNS)
    for entry in entries:
        yield writer.writerow([safe(cell) for cell in _cells(entry)])


def safe(cell: object) -> object:
    """A cell that no sheet runs: a text that would be a formula has a quote in front."""
    return f"'{cell}" if isinstance(cell, str) and _may_run(cell) else cell


def _may_run(cell: str) -> bool:
    first = next((sign for sign in cell if not category(sign).startswith(_PASSED_OVER)), "")
    is_formula = bool(first) and normalize("NFKC", first)[0] in _FORMULA
    return is_formula or cell.startswith(("\t", "\r"))


def _cells(entry: TrailEntry) -> list[object]:
    read = told(entry)
    counted = Counter(word(moved.outcome, read.op) for moved in read.jobs)
    return [
        _time(entry.at_ms),
        entry.at_ms,
        str(entry.kind),
        entry.server,
        _queue(entry),
        entry.op,
        entry.actor,
        entry.reason,
        entry.n,
        "; ".join(f"{count} {outcome}" for outcome, count in counted.items()),
        " ".join(to_url(moved.job_id) for moved in read.jobs),
        entry.sentence,
        entry.op_id,
        read.fault or "",
        entry.stream_id or "",
    ]


def _queue(entry: TrailEntry) -> str:
    return to_url(from_wire(bytes(entry.queue))) if entry.queue else ""


def _time(at_ms: int) -> str:
    """In UTC, to the millisecond; empty for what is no date."""
    moment = times.instant(at_ms)
    return "" if moment is None else f"{moment.isoformat(timespec='milliseconds')[:-6]}Z"


def _ndjson(entries: Iterator[TrailEntry]) -> Iterator[str]:
    for entry in entries:
        yield json.dumps(document(entry)) + "\n"
