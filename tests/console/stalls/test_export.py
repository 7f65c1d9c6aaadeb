"""The endings as files: exactly those of the look, safe in a sheet, whole for a program."""

from __future__ import annotations

import base64

import pytest

from echomq_admin.ledger.endings import queries
from echomq_admin.ledger.endings.models import Ending, EndingKind, Source
from echomq_admin.ledger.models import Kind, TrailEntry
from tests.console import downloads
from tests.console.downloads import read
from tests.console.scene import A
from tests.ledger.endings.made import NOON, ending

FILES = ["stalls.csv", "stalls.ndjson"]


def sheet(browser, query: str = "") -> list[dict[str, str]]:
    return downloads.sheet(browser, f"/stalls.csv{query}")


def documents(browser, query: str = "") -> list[dict]:
    return downloads.documents(browser, f"/stalls.ndjson{query}")


def test_a_sheet_has_a_row_for_each_ending(scene, browser):
    ending(
        "JOB\udcff", EndingKind.FAILED, lane="room", error=b"no \xff room", attempts=3, life=1, n=2,
        stalled=0, renewals=4, source=Source.SCRIPT, within_ms=0,
    )  # fmt: skip
    (row,) = sheet(browser)
    assert row == {
        "ended": "2026-11-29T12:00:00.000Z",
        "ended_ms": str(NOON),
        "within_ms": "0",
        "kind": "failed",
        "source": "script",
        "server": "prod",
        "queue": "orders",
        "job": "~Sk9C_w",
        "life": "1",
        "attempts": "3",
        "n": "2",
        "lane": "room",
        "lane_cut": "",
        "stalled": "0",
        "deadline_ms": str(NOON - 400),
        "late_ms": "400",
        "renewals": "4",
        "error": "no \\xff room",
        "error_size": "9",
        "op": "",
        "actor": "",
        "op_id": "",
    }


def test_what_is_not_known_is_an_empty_cell(scene, browser):
    ending(A, attempts=-1, deadline_ms=None)
    (row,) = sheet(browser)
    empty = {name for name, cell in row.items() if not cell}
    assert empty == {
        *("attempts", "lane", "lane_cut", "stalled", "deadline_ms", "late_ms", "renewals"),
        *("error", "error_size", "op", "actor", "op_id"),
    }


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n=", "\uff1d"])
def test_no_cell_of_a_sheet_is_a_formula(scene, browser, start):
    bad = f"{start}HYPERLINK(1)"
    ending(A, EndingKind.FAILED, error=bad.encode(), server=bad)
    (row,) = sheet(browser)
    assert (row["error"], row["server"]) == (f"'{bad}", f"'{bad}")


def test_a_document_keeps_every_byte(scene, browser):
    error = bytes(range(256))
    ending("JOB\udcff", EndingKind.DEAD, queue="b\udcff", lane="l\udcfe", error=error)
    (row,) = documents(browser)
    for name, raw in {
        "job": b"JOB\xff",
        "queue": b"b\xff",
        "lane": b"l\xfe",
        "error": error,
    }.items():
        assert base64.b64decode(row[name]["base64"]) == raw
    assert (row["kind"], row["source"], row["stalled"]) == ("dead", "observer", None)


@pytest.mark.parametrize("read_file", [sheet, documents])
def test_a_file_has_exactly_the_endings_of_the_look(scene, browser, monkeypatch, read_file):
    monkeypatch.setattr(queries, "CHUNK", 4)
    for at in range(30):
        kind = EndingKind.FAILED if at % 3 else EndingKind.DEAD
        ending(f"J{at}", kind, at_ms=NOON + at, error=b"boom %d" % at)
    times = [NOON + at for at in reversed(range(30)) if at % 3 == 0]
    found = read_file(browser, "?kind=dead&rows=25&cursor=o1.1")
    assert [int(row["ended_ms"]) for row in found] == times
    assert [int(row["ended_ms"]) for row in read_file(browser, "?q=BOOM+7")] == [NOON + 7]


def test_a_file_of_no_ending_is_empty_but_for_its_heading(scene, browser):
    assert sheet(browser, "?server=none") == []
    assert read(browser("viewer").get("/stalls.ndjson?server=none")) == ""


def test_an_ending_is_read_when_its_turn_comes(scene, browser):
    for at in range(3):
        ending(f"J{at}", at_ms=NOON + at)
    answer = browser("viewer").get("/stalls.ndjson")
    Ending.objects.filter(ended_ms=NOON).delete()
    assert len(read(answer).splitlines()) == 2


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_one_to_keep_and_its_head_has_no_body(scene, browser, name):
    ending(A)
    for method in ("GET", "HEAD"):
        answer = browser("viewer").generic(method, f"/{name}")
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert "no-store" in answer["Cache-Control"]
    assert not answer.content


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("from=noonish", "“noonish” is no time that can be read"),
        ("from=1h&to=2h", "To is before From."),
        ("kind=sad", "“sad” is no kind of ending"),
    ],
)
def test_no_file_is_made_of_a_filter_that_cannot_be_meant(scene, browser, name, query, why):
    answer = browser("viewer").get(f"/{name}?{query}")
    assert answer.status_code == 400
    assert why in answer.content.decode()


@pytest.mark.parametrize("read_file", [sheet, documents])
def test_who_ended_a_lease_is_in_the_file(scene, browser, read_file):
    entry = TrailEntry.objects.create(
        kind=Kind.MOVED, at_ms=NOON, server="prod", queue=b"orders", op="sweep", actor="olena",
        op_id="abc", n=1,
    )  # fmt: skip
    ending(A, source=Source.SCRIPT, entry=entry.pk)
    ending("B", source=Source.SCRIPT, entry=entry.pk + 1, at_ms=NOON - 1)
    known, pruned = read_file(browser)
    assert (known["op"], known["actor"], known["op_id"]) == ("sweep", "olena", "abc")
    assert {pruned["op"], pruned["actor"], pruned["op_id"]} <= {"", None}
