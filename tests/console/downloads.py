"""The files that pages offer as their tests read them."""

from __future__ import annotations

import csv
import io
import json


def read(answer) -> str:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


def sheet(browser, address: str) -> list[dict[str, str]]:
    """The rows of a CSV file by the names of its columns."""
    lines = io.StringIO(read(browser("viewer").get(address)), newline="")
    return list(csv.DictReader(lines))


def documents(browser, address: str) -> list[dict]:
    """The documents of an NDJSON file."""
    return [json.loads(line) for line in read(browser("viewer").get(address)).splitlines()]
