"""`manage.py emq history`: the leases of one job and what people did, also of one long gone."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.keyspace import Keyspace
from echomq_admin.emq.reads import server_now_ms
from echomq_admin.fleet.names import to_url
from echomq_admin.ledger.endings.models import EndingKind, Place, Source
from echomq_admin.ledger.observing import flights
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.models import Blind, Watched
from tests.console.trails import entry, moved
from tests.ledger.endings.made import NOON, ending
from tests.operations.scenes import A, B, Q

SEC = 1_000


def ended(job_id: str = A, kind: EndingKind = EndingKind.RECOVERED, at_ms: int = NOON, **fields):
    return ending(job_id, kind, at_ms, **({"server": "main", "queue": Q} | fields))


@pytest.fixture
def ask(emq_command, viewer):
    """Runs the verb on the queue of the scenes."""
    return lambda job_id=A, *more, place=f"main/{Q}": emq_command(
        "history", place, job_id, *more, "--as", viewer
    )


def test_it_asks_for_the_role_of_a_viewer(emq_command, member):
    ran = emq_command("history", f"main/{Q}", A, "--as", member("nobody").username)
    assert (ran.code, ran.out) == (2, "")


def test_a_line_a_lease_and_a_call_in_order_under_the_lineage(ask):
    ended(attempts=1, stalled=1, renewals=2, lane="room-1")
    Blind.objects.create(server="main", from_ms=NOON + 1, to_ms=NOON + 2 * SEC, why="No agent ran.")
    ended(A, EndingKind.FAILED, NOON + 20 * SEC, attempts=3, error=b"boom\nat line 7", within_ms=0)
    entry(moved(A, "requeued", 3), at_ms=NOON + 30 * SEC, server="main", queue=Q.encode())
    ran = ask()
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        A,
        "in short: stalled, 1 lease without an ending on record, died, requeued by olena; "
        "now gone: completed, or removed without the console",
        f"2026-11-29 12:00:00 UTC ({NOON}) · lease 1: stalled, recovered · or up to 0.2 s earlier "
        "· 0.2 s to 0.4 s past its deadline · stalls 1 · renewals 2 · lane room-1 · observed",
        f"2026-11-29 12:00:00 UTC ({NOON + 1}) NOT WATCHED until 2026-11-29 12:00:02 UTC "
        f"({NOON + 2 * SEC}): No agent ran.",
        "lease 2: no ending on record (failed and rescheduled, or not watched, or no longer kept)",
        f"2026-11-29 12:00:20 UTC ({NOON + 20 * SEC}) · lease 3: dead by attempts · 0.4 s past its "
        "deadline · observed · error: boom",
        f"2026-11-29 12:00:30 UTC ({NOON + 30 * SEC}) · requeue by olena",
    ]


def test_where_it_is_now_is_asked_of_the_server(ask, client):
    queue = EchoMQ(client)
    queue.enqueue(Q, A, "{}")
    queue.claim(Q, 60_000)
    ran = ask()
    assert ran.code == 0
    assert "in short: now in flight" in ran.out
    assert "lease 1 is in flight, deadline " in ran.out


def test_lives_are_told_apart(ask):
    ended(attempts=1)
    ended(attempts=1, life=1, at_ms=NOON + SEC)
    said = ask().out.splitlines()
    assert [line for line in said if line.startswith("life")] == ["life 1", "life 2"]


def test_who_ended_a_lease_and_why_stand_in_its_line(ask):
    buried = entry(
        moved(A, "buried", 1, 0, NOON), at_ms=NOON, op="bury", actor="petro", reason="poison",
        server="main", queue=Q.encode(),
    )  # fmt: skip
    ended(A, EndingKind.OPERATOR, entry=buried.pk, source=Source.SCRIPT, within_ms=0)
    assert ask().out.splitlines()[-1].endswith("· exact · bury by petro · reason: poison")


def test_of_a_job_that_nobody_knows_nothing_is_told(ask):
    ended(B)
    ran = ask()
    assert (ran.code, ran.out.splitlines()) == (1, [A, "nothing is on record of it"])
    assert ask(B, place="main/others").code == 1


def test_a_server_that_is_none_is_refused(ask):
    ran = ask(A, place="nosuch/orders")
    assert (ran.code, ran.out) == (2, "")
    assert "There is no server nosuch; EMQ_SERVERS names: main." in ran.err


def test_a_lapsed_lease_and_renewals_that_were_not_seen_from_the_beginning_say_so(ask, client):
    queue = EchoMQ(client)
    queue.enqueue(Q, A, "{}")
    queue.claim(Q, 1)
    now = server_now_ms(client)
    held = Lease(1, 0, float(now), None, None, NOON, renewals=2, renewed_ms=NOON)
    place = Place.objects.create(server="main", queue=Q.encode())
    packed = flights.pack({A.encode(): held})
    Watched.objects.create(place=place, since_ms=1, seen_ms=now, flights=packed)
    client.zadd(Keyspace(Q).active, {A: now - 40_000})
    ran = ask()
    assert "in short: now in flight, lapsed 40 s ago" in ran.out
    assert "lapsed 40 s ago, renewed at least 2 times since 2026-11-29 12:00:00 UTC" in ran.out


def test_a_server_out_of_reach_leaves_the_ledger(ask, settings):
    ended()
    settings.EMQ_SERVERS = "main=redis://127.0.0.1:1/0?connect_ms=100"
    ran = ask()
    assert ran.code == 0
    assert "lease 1: stalled, recovered" in ran.out
    assert "where it is now is not known: " in ran.out
    document = ask(A, "--json").document
    assert document["now"] is None
    assert document["trouble"]


def test_hostile_ids_errors_and_lanes_are_escaped(ask):
    hostile = "JOB\udcff\x1b[2J"
    ended(hostile, lane="\u202e\x07", error=b"\xff\x1b[31m<b>", within_ms=0)
    entry(moved(hostile, "\x1b", 1), op="\x1b[2J", actor="\u202e", at_ms=NOON + 1, server="main",
          queue=Q.encode())  # fmt: skip
    ran = ask(to_url(hostile))
    assert ran.code == 0
    assert not {"\x1b", "\u202e", "\x07", "\udcff"} & set(ran.out)
    assert "error: \\xff\\x1b[31m<b>" in ran.out


def test_a_document_has_every_item_of_every_life(ask):
    other = moved(B, "requeued", 9)
    ended(attempts=1)
    entry(other, moved(A, "requeued", 2), at_ms=NOON + SEC, server="main", queue=Q.encode())
    ended(attempts=3, error=b"\xff", at_ms=NOON + 2 * SEC)
    document = ask(A, "--json").document
    (life,) = document["lives"]
    assert [item["what"] for item in life["items"]] == ["ending", "missing", "call", "ending"]
    assert life["items"][1] == {"what": "missing", "first": 2, "last": 2, "is_last": False}
    assert [job["attempts"] for job in life["items"][2]["jobs"]] == [2]
    assert life["items"][3]["error"] == {"base64": "/w=="}
    assert document["is_known"]
