"""Rows of the ledger as files: CSV for a sheet, NDJSON for a program, streamed as they are read."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol
from unicodedata import category, normalize

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from echomq_admin.console import times

# By the ending of a file's name.
_KINDS = {"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson"}
# A sheet would take what begins so for a formula, also in their wide and small forms.
_FORMULA = "=+-@\N{MINUS SIGN}"
# Before them a sheet passes over white space and control characters; some begin a formula too.
_PASSED_OVER = ("C", "Z")


class Asked(Protocol):
    """A filter as it was asked for, and what cannot be read of it."""

    @property
    def errors(self) -> Mapping[str, str]: ...


def answer(
    request: HttpRequest, name: str, asked: Asked, lines: Callable[[], Iterator[str]]
) -> HttpResponseBase:
    """A file to keep, of lines that are made as they are sent, of HEAD none; or, when the filter
    cannot be read, its sentences."""
    if asked.errors:
        context = {"title": "No file was made", "sentence": " ".join(asked.errors.values())}
        return render(request, "console/message.html", context, status=400)
    is_head = request.method == "HEAD"
    made = HttpResponse() if is_head else StreamingHttpResponse(lines())
    made["Content-Type"] = _KINDS[name.rpartition(".")[2]]
    made["Content-Disposition"] = f'attachment; filename="{name}"'
    made["X-Content-Type-Options"] = "nosniff"
    return made


class _Line:
    """What `csv` writes a row to, which hands it back."""

    def write(self, line: str) -> str:
        return line


def sheet(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The lines of a CSV file; no cell of it is run."""
    writer = csv.writer(_Line())
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([safe(cell) for cell in row])


def documents(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """The lines of an NDJSON file."""
    for row in rows:
        yield json.dumps(row) + "\n"


def safe(cell: object) -> object:
    """A cell that no sheet runs: a text that would be a formula has a quote in front."""
    return f"'{cell}" if isinstance(cell, str) and _may_run(cell) else cell


def _may_run(cell: str) -> bool:
    first = next((sign for sign in cell if not category(sign).startswith(_PASSED_OVER)), "")
    is_formula = bool(first) and normalize("NFKC", first)[0] in _FORMULA
    return is_formula or cell.startswith(("\t", "\r"))


def utc(at_ms: int) -> str:
    """In UTC, to the millisecond; empty for what is no date."""
    moment = times.instant(at_ms)
    return "" if moment is None else f"{moment.isoformat(timespec='milliseconds')[:-6]}Z"
