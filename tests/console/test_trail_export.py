"""The trail as files: exactly the entries of the look, safe in a sheet, whole for a program."""

from __future__ import annotations

import base64

import pytest
from django.db.models import QuerySet

from echomq_admin.console import files
from echomq_admin.ledger import trail
from echomq_admin.ledger.models import Kind, TrailEntry
from tests.console import downloads
from tests.console.downloads import read
from tests.console.scene import A, B
from tests.console.trails import NOON, entry, moved, note


def sheet(browser, query: str = "") -> list[dict[str, str]]:
    return downloads.sheet(browser, f"/trail.csv{query}")


def documents(browser, query: str = "") -> list[dict]:
    return downloads.documents(browser, f"/trail.ndjson{query}")


def test_a_sheet_has_a_row_for_each_entry(scene, browser):
    entry(moved(A), moved("JOB\udcff"), moved(B, "gone"), reason="mail is back, “again”\nand on")
    (row,) = sheet(browser)
    assert row == {
        "time": "2026-11-29T12:00:00.000Z",
        "at_ms": str(NOON),
        "kind": "moved",
        "server": "prod",
        "queue": "orders",
        "op": "requeue",
        "actor": "olena",
        "reason": "mail is back, “again”\nand on",
        "jobs": "3",
        "outcomes": "2 requeued; 1 row missing",
        "job_ids": f"{A} ~Sk9C_w {B}",
        "message": "",
        "op_id": "f" * 32,
        "fault": "",
        "stream_id": f"{NOON}-0",
    }


@pytest.mark.parametrize(
    "start",
    [
        *("=", "+", "-", "@", "\t", "\r", "\n=", " =", "\u200b=", "\xa0+", "\x07@", "\ufeff-"),
        *("\uff1d", "\uff0b", "\uff0d", "\uff20", "\ufe66", "\ufe62", "\ufe63", "\ufe6b", "\u2212"),
    ],
)
def test_no_cell_of_a_sheet_is_a_formula(scene, browser, start):
    bad = f"{start}HYPERLINK(1)"
    note(Kind.REFUSED, bad, bad, reason=bad, sentence=bad, op_id=bad, fault=bad, server=bad)
    entry(moved("JOB"), op=f"a{start}b")
    fine, row = sheet(browser)
    named = ("op", "actor", "reason", "message", "op_id", "fault", "server")
    assert {row[name] for name in named} == {f"'{bad}"}
    assert fine["op"] == f"a{start}b"


def test_a_document_keeps_every_byte(scene, browser):
    error = bytes(range(256))
    entry(
        moved("JOB\udcff", "requeued", 4, 2, 1.5, b"g\xfe", error, True),
        moved(A, "gone"),
        queue=b"b\xff",
        detail=b"\x81\xa5force\xc3",
        reason="so",
    )
    (row,) = documents(browser)
    assert base64.b64decode(row["queue"]["base64"]) == b"b\xff"
    odd, plain = row["jobs"]
    assert base64.b64decode(odd["id"]["base64"]) == b"JOB\xff"
    assert base64.b64decode(odd["group"]["base64"]) == b"g\xfe"
    assert base64.b64decode(odd["error"]["base64"]) == error
    assert (odd["attempts"], odd["stalled"], odd["deadline_ms"], odd["error_cut"]) == (
        *(4, 2, 1.5),
        True,
    )
    assert (plain["id"], plain["error"], plain["attempts"]) == ({"text": A}, None, None)
    assert row["detail"] == {"force": True}
    assert (row["kind"], row["reason"], row["n"]) == ("moved", "so", 2)


def test_what_anybody_may_have_written_to_a_stream_is_still_json(scene, browser):
    entry(jobs=b"\xc1", fault="t is no number")
    entry(
        moved(A, "gone", 1, 1, float("inf")),
        detail=b"\x82\xa1a\xcb\x7f\xf8\0\0\0\0\0\0\x01\x92\xc0\xa2\xff\xfe",
    )
    infinite, broken = documents(browser)
    assert infinite["jobs"][0]["deadline_ms"] == "inf"
    assert infinite["detail"] == {"a": "nan", "1": [None, {"base64": "//4="}]}
    assert broken["fault"] == "t is no number"


@pytest.mark.parametrize("cell", ["", " ", "a=1", "\n a", "12", "(=1)", "'=1"])
def test_what_is_no_formula_is_left_as_it_is(cell):
    assert files.safe(cell) == cell
    assert files.safe(-1) == -1


def test_a_null_before_a_formula_hides_it_from_nobody():
    assert files.safe("\0=1") == "'\0=1"


def test_what_lies_too_deep_for_a_document_is_kept_as_its_msgpack(scene, browser):
    nest = b"\x91" * 500 + b"\xa3end"
    entry(moved(A), detail=b"\x81\xa1a" + nest)
    assert browser("viewer").get("/trail").status_code == 200
    (row,) = documents(browser)
    found, depth = row["detail"]["a"], 0
    while isinstance(found, list):
        (found,), depth = found, depth + 1
    assert base64.b64decode(found["msgpack"]) == nest[depth:]


def test_a_file_has_exactly_the_entries_of_the_look(scene, browser, monkeypatch):
    monkeypatch.setattr(trail, "CHUNK", 4)
    for at in range(30):
        entry(moved(A), at_ms=NOON + at, actor="petro" if at % 3 else "olena", reason=f"n {at}")
    wanted = [f"n {at}" for at in reversed(range(30)) if at % 3 == 0]
    query = "?who=olena&rows=25&cursor=o1.1"
    assert [row["reason"] for row in sheet(browser, query)] == wanted
    assert [row["reason"] for row in documents(browser, query)] == wanted
    assert [row["reason"] for row in sheet(browser, "?q=n+7")] == ["n 7"]


def test_a_file_of_no_entry_is_empty_but_for_its_heading(scene, browser):
    assert sheet(browser, "?who=nobody") == []
    assert read(browser("viewer").get("/trail.ndjson?who=nobody")) == ""


def test_an_entry_is_read_when_its_turn_comes(scene, browser, django_assert_max_num_queries):
    for at in range(3):
        entry(moved(A), at_ms=NOON + at)
    answer = browser("viewer").get("/trail.ndjson")
    QuerySet(TrailEntry).filter(at_ms=NOON).delete()
    assert len(read(answer).splitlines()) == 2


@pytest.mark.parametrize("name", ["trail.csv", "trail.ndjson"])
def test_a_file_is_one_to_keep_and_its_head_has_no_body(scene, browser, name):
    entry(moved(A))
    for method in ("GET", "HEAD"):
        answer = browser("viewer").generic(method, f"/{name}")
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert "no-store" in answer["Cache-Control"]
    assert not answer.content


@pytest.mark.parametrize("name", ["trail.csv", "trail.ndjson"])
def test_no_file_is_made_when_a_time_cannot_be_read(scene, browser, name):
    answer = browser("viewer").get(f"/{name}?from=noonish")
    assert answer.status_code == 400
    assert "“noonish” is no time that can be read" in answer.content.decode()


@pytest.mark.parametrize("field", ["queue", "job"])
def test_a_name_beyond_all_measure_is_not_taken_for_none(scene, browser, field):
    asked = {field: "x" * 8_001}
    answer = browser("viewer").get("/trail.csv", asked)
    assert answer.status_code == 400
    assert f"The {field} is longer than the 8,000 characters" in answer.content.decode()
    assert "Nothing is shown" in browser("viewer").get("/trail", asked).content.decode()
