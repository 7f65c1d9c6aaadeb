"""`manage.py emq trail`: what people did, from the database of the console."""

from __future__ import annotations

import time

import msgpack
import pytest

from echomq_admin.ledger import trail
from echomq_admin.ledger.models import Copied, Gap, Kind, TrailEntry, TrailJob, job_key
from tests.operations.scenes import A, B

NOON = 1_795_953_600_000


def entry(at_ms: int = NOON, **fields: object) -> TrailEntry:
    given = {
        "kind": Kind.MOVED,
        "server": "main",
        "queue": b"orders",
        "op": "requeue",
        "op_id": "f" * 32,
        "actor": "olena",
    }
    return TrailEntry.objects.create(at_ms=at_ms, **(given | fields))


def with_job(job_id: bytes, **fields: object) -> TrailEntry:
    jobs = [[job_id, b"requeued", 3, 1, False, b"g\xff", b"\xffboom"]]
    made = entry(jobs=msgpack.packb(jobs, use_bin_type=False), n=1, **fields)
    name = job_id.decode("utf-8", "surrogateescape")
    TrailJob.objects.create(entry=made, job=job_key(name), at_ms=made.at_ms)
    return made


@pytest.fixture
def told(emq_command, viewer):
    """The lines of the answer."""

    def asked(*words: str) -> list[str]:
        ran = emq_command("trail", *words, "--as", viewer)
        assert (ran.code, ran.err) == (0, "")
        return ran.out.splitlines()

    return asked


def test_it_asks_for_the_role_of_a_viewer(emq_command, member):
    ran = emq_command("trail", "--as", member("nobody").username)
    assert (ran.code, ran.out) == (2, "")
    assert "role viewer" in ran.err


def test_a_line_says_who_did_what_when_where_and_why(told):
    with_job(A.encode(), reason="mail is back")
    assert told() == [
        f"2026-11-29 12:00:00 UTC ({NOON}) · requeue · by olena · on main/orders · "
        f"jobs: 1 (1 requeued) · reason: mail is back · op_id: {'f' * 32}"
    ]


def test_what_no_stream_told_says_what_it_is(told):
    entry(kind=Kind.SIGN_IN, op="sign-in failed", server="", queue=b"", op_id="", sentence="No.")
    entry(kind=Kind.REFUSED, op="remove", actor="", queue=b"\xff")
    refused, sign_in = told()
    assert "· refused: remove · by nobody named · on main/(base64) /w== ·" in refused
    assert sign_in.endswith("· sign-in: sign-in failed · by olena · sentence: No.")


def test_a_change_of_an_account_is_nobodys_and_nowhere(told):
    entry(
        kind=Kind.KEPT, op="account closed", actor="", server="", queue=b"", op_id="", sentence="S"
    )
    assert told() == [f"2026-11-29 12:00:00 UTC ({NOON}) · kept: account closed · sentence: S"]


def test_hostile_words_are_escaped(told):
    entry(op="\x1b[2J", actor="\u202e", reason="a\nb", server="x\x07")
    (line,) = told()
    assert "\\x1b[2J · by " in line
    assert "\\u202e" in line
    assert "a\\x0ab" in line


@pytest.mark.parametrize(
    "words",
    [
        ("--who", "petro"), ("--what", "remove"), ("--kind", "kept"), ("main/r",), ("r",),
        ("--job", B), ("--job", "~Sk9C_w"), ("--call", "abc"), ("--text", "LATE"),
        ("--from", "2026-11-29 12:00:01"), ("--from", "2026-11-29T17:45:01+05:45"),
        ("--from", str(NOON + 1)), ("--from", "1d", "--to", "0s"),
        ("--from", "1 d ago", "--to", "now"), ("--from", "2026-11-29 12:00:01Z"),
    ],
)  # fmt: skip
def test_each_option_leaves_only_the_entries_that_it_names(told, words):
    entry(NOON - 10**11)
    at_ms = (
        time.time_ns() // 1_000_000 - 3_600_000 if {"1d", "1 d ago"} & {*words} else NOON + 1_500
    )
    made = with_job(
        b"JOB\xff" if "~Sk9C_w" in words else B.encode(),
        at_ms=at_ms, actor="petro", op="remove", kind=Kind.KEPT, queue=b"r", op_id="abc.1",
        reason="late",
    )  # fmt: skip
    assert len(trail.page(trail.Filter(), 9).entries) == 2
    (line,) = told(*words)
    assert f"({made.at_ms})" in line


def test_a_server_alone_means_all_that_was_done_there(told):
    entry()
    entry(server="other")
    assert len(told()) == 2
    assert len(told("main/")) == 1


def test_pages_go_on_by_their_cursor(told):
    for at in range(5):
        entry(NOON + at)
    *_, more = first = told("--limit", "2")
    assert len(first) == 3
    second = told("--limit", "9", "--cursor", more.removeprefix("more: --cursor "))
    assert [f"({NOON + at})" in line for at, line in zip((2, 1, 0), second, strict=True)] == [
        True
    ] * 3


def test_a_search_says_how_far_it_went(told, monkeypatch):
    monkeypatch.setattr(trail, "WINDOW", 2)
    for at in range(5):
        entry(NOON + at)
    keys = dict(TrailEntry.objects.values_list("at_ms", "pk"))
    assert told("--text", "nowhere") == [
        f"searched back to 2026-11-29 12:00:00 UTC ({NOON + 3})",
        f"more: --cursor o{NOON + 3}.{keys[NOON + 3]}",
    ]


def test_a_gap_stands_at_its_place(told):
    entry(NOON)
    entry(NOON + 9)
    Gap.objects.create(
        server="main", queue=b"orders", after_id="1-0", before_id=f"{NOON + 5}-0",
        found_at_ms=1, sentence="7 entries are lost.",
    )  # fmt: skip
    assert [" GAP on main/orders: 7 entries are lost." in line for line in told()] == [
        *(False, True, False)
    ]


def test_what_the_trail_lacks_is_said(told, emq_command, viewer, monkeypatch):
    monkeypatch.setattr(trail, "MOST_GAPS", 0)
    Gap.objects.create(server="main", queue=b"orders", after_id="1-0", found_at_ms=1)
    Copied.objects.create(server="main", queue=b"orders", fault="the key holds another type")
    lines = told("main/orders")
    assert lines[0] == "NOT COPIED: main/orders: the key holds another type"
    assert lines[1] == "there are more gaps: ask for one server or one queue to see its own"
    document = emq_command("trail", "--as", viewer, "--json").document
    assert (document["more_gaps"], len(document["not_copied"])) == (True, 1)


def test_nothing_is_said_in_words(told):
    assert told("--who", "nobody") == ["no entry"]


def test_a_document_keeps_every_byte(emq_command, viewer):
    with_job(b"JOB\xff", queue=b"orders")
    document = emq_command("trail", "--as", viewer, "--json").document
    (made,) = document["entries"]
    assert made["jobs"] == [
        {
            "id": {"base64": "Sk9C/w=="}, "outcome": "requeued", "attempts": 3, "stalled": 1,
            "deadline_ms": None, "group": {"base64": "Z/8="}, "error": {"base64": "/2Jvb20="},
            "error_cut": False,
        }
    ]  # fmt: skip
    assert (made["queue"], document["next"], document["gaps"]) == ({"text": "orders"}, None, [])


@pytest.mark.parametrize(
    "words",
    [
        ("--from", "noonish"),
        ("--to", ""),
        ("--limit", "0"),
        ("--limit", "x"),
        ("nowhere/q/",),
        ("--from", "1h", "--to", "2h"),
    ],
)
def test_what_cannot_be_meant_is_said(emq_command, viewer, words):
    ran = emq_command("trail", *words, "--as", viewer)
    assert (ran.code, ran.out) == ((0, "no entry\n") if words == ("nowhere/q/",) else (2, ""))


def test_no_server_is_asked(emq_command, viewer, settings):
    entry()
    settings.EMQ_SERVERS = "main=redis://127.0.0.1:1/0?connect_ms=100"
    assert emq_command("trail", "main/orders", "--as", viewer).code == 0
