"""`manage.py emq stalls`: how leases ended, from the ledger."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from echomq_admin.ledger import trail
from echomq_admin.ledger.endings import queries, unseen
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.models import Gap, Kind, TrailEntry
from echomq_admin.ledger.observing.models import Blind, Lead, Watched
from tests.ledger.endings.made import NOON, ending
from tests.operations.scenes import A, B, Q


def ended(job_id: str = A, kind: EndingKind = EndingKind.RECOVERED, at_ms: int = NOON, **fields):
    return ending(job_id, kind, at_ms, **({"server": "main", "queue": Q} | fields))


@pytest.fixture
def told(emq_command, viewer):
    """The lines of the answer."""

    def asked(*words: str) -> list[str]:
        ran = emq_command("stalls", *words, "--as", viewer)
        assert (ran.code, ran.err) == (0, "")
        return ran.out.splitlines()

    return asked


def test_it_asks_for_the_role_of_a_viewer(emq_command, member):
    ran = emq_command("stalls", "--as", member("nobody").username)
    assert (ran.code, ran.out) == (2, "")


def test_a_line_says_which_lease_ended_when_how_and_how_late(told):
    ended(kind=EndingKind.DEAD, attempts=3, life=1, stalled=2, error=b"stalled", lane="room-1")
    assert told() == [
        f"2026-11-29 12:00:00 UTC ({NOON}) · main/{Q} {A}, life 2 · lease 3: stalled, dead · "
        "or up to 0.2 s earlier · 0.2 s to 0.4 s past its deadline · stalls 2 · lane room-1 · "
        "observed · error: stalled"
    ]


def test_what_is_not_known_is_left_out(told):
    ended(attempts=-1, kind=EndingKind.UNCERTAIN, deadline_ms=None, within_ms=0)
    (line,) = told()
    assert line.endswith(f"{A} · lease ?: uncertain · observed")


@pytest.mark.parametrize(
    "words",
    [
        ("--kind", "dead"), ("--source", "found"), ("--lane", "room-2"), ("--job", B),
        ("--text", "LATE"), ("main/r",), ("--from", "2026-11-29 12:00:01"),
        ("--from", "2026-11-29T17:45:01+05:45"),
        ("--from", str(NOON + 1), "--to", str(NOON + 2_000)),
    ],
)  # fmt: skip
def test_each_option_leaves_only_the_endings_that_it_names(told, words):
    ended(at_ms=NOON - 10**11, lane="room-1", error=b"early")
    made = ended(
        B, EndingKind.DEAD, NOON + 1_500, queue="r", lane="room-2", error=b"too late",
        source=Source.FOUND,
    )  # fmt: skip
    assert len(told()) == 2
    (line,) = told(*words)
    assert f"({made.ended_ms})" in line


def test_a_span_of_time_is_counted_by_the_clock_of_the_server(told, client):
    seconds, micros = client.time()
    now_ms = seconds * 1_000 + micros // 1_000
    ended(at_ms=now_ms - 30 * 60_000)
    ended(B, at_ms=now_ms - 90 * 60_000)
    assert len(told("--from", "1h", "--to", "now")) == 1
    assert len(told("--from", "2h", "main/")) == 2


def test_a_time_can_be_given_while_no_server_answers(told, settings):
    ended()
    settings.EMQ_SERVERS = "main=redis://127.0.0.1:1/0?connect_ms=100"
    assert len(told("--to", "2026-11-29 12:00:01")) == 1


def test_pages_go_on_by_their_cursor(told):
    for at in range(5):
        ended(at_ms=NOON + at, attempts=at)
    *first, more = told("--limit", "2")
    second = told("--limit", "9", "--cursor", more.removeprefix("more: --cursor "))
    ended_at = [line.partition("(")[2].partition(")")[0] for line in first + second]
    assert ended_at == [str(NOON + at) for at in (4, 3, 2, 1, 0)]


def test_a_search_says_how_far_it_went(told, monkeypatch):
    monkeypatch.setattr(queries, "WINDOW", 2)
    for at in range(5):
        ended(at_ms=NOON + at, attempts=at, error=b"boom")
    searched, more = told("--text", "nowhere")
    assert searched == f"searched back to 2026-11-29 12:00:00 UTC ({NOON + 3})"
    assert more.startswith("more: --cursor o")


def test_what_was_not_watched_is_told_among_the_endings(told, emq_command, viewer):
    made = ended(at_ms=NOON)
    Lead.objects.create(server="main")
    Blind.objects.create(server="main", from_ms=NOON + 1, to_ms=NOON + 5_000, why="Away\x1b.")
    Blind.objects.create(
        server="main", place=made.place, from_ms=NOON - 9, to_ms=NOON - 5, why="Too many."
    )
    Gap.objects.create(
        server="main", queue=Q.encode(), after_id="1-0", before_id=f"{NOON + 2}-0",
        found_at_ms=NOON, sentence="7 were gone.",
    )  # fmt: skip
    server, gap, ending_line, queue = told()
    assert server.endswith(
        f"NOT WATCHED until 2026-11-29 12:00:05 UTC ({NOON + 5_000}) on main: Away\\x1b."
    )
    assert gap.endswith(f"GAP on main/{Q}: 7 were gone.")
    assert A in ending_line
    assert f"on main/{Q}: Too many." in queue
    document = emq_command("stalls", "--as", viewer, "--json").document
    assert [one["why"] for one in document["unseen"]] == ["Away\x1b.", "Too many."]
    assert [one["sentence"] for one in document["gaps"]] == ["7 were gone."]


def test_more_that_is_missing_than_is_told_is_said(told, emq_command, viewer, monkeypatch):
    monkeypatch.setattr(unseen, "MOST_SPANS", 1)
    monkeypatch.setattr(trail, "MOST_GAPS", 0)
    ended()
    document = emq_command("stalls", "--as", viewer, "--json").document
    assert (document["more_unseen"], document["more_gaps"]) == (False, False)
    Lead.objects.create(server="main")
    for at in range(2):
        Blind.objects.create(server="main", from_ms=NOON - at, to_ms=NOON + at, why="Away.")
    Gap.objects.create(server="main", queue=Q.encode(), after_id="1-0", found_at_ms=1)
    *_, spans, gaps = told()
    assert spans == "more was not watched than is told: ask for a shorter time, or for one queue"
    assert gaps == "there are more gaps: ask for one server or one queue to see its own"
    document = emq_command("stalls", "--as", viewer, "--json").document
    assert (document["more_unseen"], document["more_gaps"]) == (True, True)
    assert not emq_command("stalls", "--source", "found", "--as", viewer, "--json").document[
        "more_gaps"
    ]


def test_that_nobody_watches_now_is_said_first(told, emq_command, viewer):
    made = ended()
    Watched.objects.create(place=made.place, since_ms=1, seen_ms=NOON)
    first, *_ = told()
    assert first.startswith("NOT WATCHED NOW: no agent has looked at main since 2026-11-29 12:00")
    document = emq_command("stalls", "--as", viewer, "--json").document
    assert document["unwatched"] == [{"server": "main", "seen_ms": NOON}]


def test_who_ended_a_lease_is_told(told):
    entry = TrailEntry.objects.create(
        kind=Kind.MOVED, at_ms=NOON, server="main", queue=Q.encode(), op="sweep", actor="olena",
        op_id="abc", n=1,
    )  # fmt: skip
    ended(source=Source.SCRIPT, entry=entry.pk)
    (line,) = told()
    assert line.endswith(" · exact · sweep by olena")


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("nosuch", "Server main has no queue nosuch."),
        ("nosuch/q", "There is no server nosuch, and server main has no queue nosuch/q."),
        ("main", "Did you mean main/, all its queues?"),
    ],
)
def test_a_queue_that_nobody_knows_is_refused(emq_command, viewer, place, why):
    ran = emq_command("stalls", place, "--as", viewer)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err


def test_a_queue_that_is_only_on_record_is_known(told):
    ended(queue="past")
    assert len(told("main/past")) == 1
    assert told("main/past", "--kind", "dead") == ["no ending"]


def test_the_words_for_kinds_and_sources_stand_beside_those_of_the_pages(capsys):
    with pytest.raises(SystemExit):
        call_command("emq", "stalls", "--help")
    said = " ".join(capsys.readouterr().out.split())
    assert "failed (dead by attempts)" in said
    assert "script (exact), observer (observed), found (found dead)" in said


def test_nothing_is_said_in_words(told):
    assert told("--job", "nobody") == ["no ending"]


def test_hostile_words_are_escaped(told):
    ended("\x1b[2J", error=b"\x1b]0;x\xff\nmore", lane="\u202e")
    (line,) = told()
    assert not {"\x1b", "\u202e"} & set(line)
    assert "error: \\x1b]0;x\\xff" in line
    assert "more" not in line


def test_a_document_keeps_every_byte(emq_command, viewer):
    ended("JOB\udcff", error=b"\xff", lane="g\udcff")
    document = emq_command("stalls", "--as", viewer, "--json").document
    (one,) = document["endings"]
    assert (one["job"], one["error"]) == ({"base64": "Sk9C/w=="}, {"base64": "/w=="})
    assert (one["kind"], one["source"], document["next"]) == ("recovered", "observer", None)


@pytest.mark.parametrize(
    "words", [("--from", "noonish"), ("--to", ""), ("--limit", "0"), ("--from", "1h", "--to", "2h")]
)
def test_what_cannot_be_meant_is_said(emq_command, viewer, words):
    ran = emq_command("stalls", *words, "--as", viewer)
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize("words", [("--kind", "sad"), ("--source", "me")])
def test_a_kind_or_a_source_is_one_of_those_that_there_are(emq_command, viewer, words):
    with pytest.raises(CommandError, match="invalid choice"):
        emq_command("stalls", *words, "--as", viewer)
