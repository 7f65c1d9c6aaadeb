"""The rows of the trail as files: CSV for a sheet, NDJSON for a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from echomq_admin.console import files
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


@page
def trail_csv(request: HttpRequest) -> HttpResponseBase:
    """The entries of a look as CSV, names in their `~` form where they are not plain."""
    return _file(request, "trail.csv", lambda rows: files.sheet(COLUMNS, map(_cells, rows)))


@page
def trail_ndjson(request: HttpRequest) -> HttpResponseBase:
    """The same as one JSON document a line, with every byte of names and errors."""
    return _file(request, "trail.ndjson", lambda rows: files.documents(map(document, rows)))


def _file(
    request: HttpRequest, name: str, write: Callable[[Iterator[TrailEntry]], Iterator[str]]
) -> HttpResponseBase:
    look = TrailLook.read(request, timezone.now().timestamp() * 1_000)
    return files.answer(request, name, look, lambda: write(trail.every(look.wanted)))


def _cells(entry: TrailEntry) -> list[object]:
    read = told(entry)
    counted = Counter(word(moved.outcome, read.op) for moved in read.jobs)
    return [
        files.utc(entry.at_ms),
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
