"""The reading verbs of `manage.py emq`."""

import re

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import discovery, servers
from tests.operations.conftest import dump
from tests.operations.scenes import A, B, C, G, P, Q, active, dead, pending
from tests.valkey import free_port


@pytest.mark.parametrize("words", [("counts",), ("counts", Q), ("jobs", Q, "dead"), ("job", Q, A)])
def test_a_reading_verb_asks_for_the_role_of_a_viewer(emq_command, client, member, words):
    dead(client)
    ran = emq_command(*words, "--as", member("nobody").username)
    assert (ran.code, ran.out) == (2, "")
    assert "role viewer" in ran.err


@pytest.mark.parametrize(
    "words", [("counts",), ("counts", Q), ("jobs", Q, "active"), ("job", Q, A)]
)
def test_reading_changes_nothing(emq_command, client, viewer, words):
    dead(client)
    before = dump(client)
    assert emq_command(*words, "--as", viewer).code == 0
    assert dump(client) == before


def test_counts_of_one_queue(emq_command, client, viewer):
    dead(client, A)
    active(client, B, 1)
    pending(client, C)
    ran = emq_command("counts", Q, "--as", viewer)
    head, row = ran.out.splitlines()
    numbers = dict(
        zip(head.replace("of these in lanes", "lanes").split(), row.split(), strict=True)
    )
    assert numbers["queue"] == "main/orders"
    assert [numbers[name] for name in ("pending", "active", "lapsed", "dead")] == ["1"] * 4
    assert numbers["paused"] == "no"


def test_counts_of_everything_that_discovery_knows(emq_command, client, viewer):
    pending(client, A, G)
    EchoMQ(client).enqueue("mails", A, b"")
    client.delete(P + b"ring")
    discovery.discover(servers.server("main"))
    for words in (("counts",), ("counts", "main/")):
        (server,) = emq_command(*words, "--as", viewer, "--json").document["servers"]
        found = {queue["queue"]: queue for queue in server["queues"]}
        assert sorted(found) == ["mails", "orders"]
        assert found["orders"]["lanes_pending"] == 1
        assert found["orders"]["pending"] == 1


def test_an_unreadable_count_is_a_question_mark_with_its_reason(emq_command, client, viewer):
    dead(client)
    client.set(P + b"pending", "x")
    ran = emq_command("counts", Q, "--as", viewer)
    assert "?" in ran.out.splitlines()[1]
    assert "pending" in ran.out.splitlines()[2]


def test_counts_without_a_known_queue_say_what_to_do(emq_command, viewer):
    ran = emq_command("counts", "--as", viewer)
    assert ran.code == 0
    assert "manage.py emq discover" in ran.out


def test_one_server_that_is_down_hides_no_other(emq_command, client, viewer, settings, server_url):
    settings.EMQ_SERVERS = f"down=redis://127.0.0.1:{free_port()} main={server_url}"
    pending(client)
    discovery.discover(servers.server("main"))
    ran = emq_command("counts", "--as", viewer)
    assert ran.code == 3
    assert "main/orders" in ran.out
    assert "down" in ran.err


def test_dead_jobs_are_listed_with_what_is_wrong_with_them(emq_command, client, viewer):
    dead(client, A, last_error="boom\nat line 1", stalled=1)
    client.zadd(P + b"dead", {B: 0})
    ran = emq_command("jobs", Q, "dead", "--as", viewer)
    newest, oldest, total = ran.out.splitlines()
    assert newest == f"{B} row missing"
    assert oldest == f"{A} attempts=3 stalled=1 error=boom"
    assert total == "2 of 2 dead"


def test_rows_go_on_behind_a_cursor(emq_command, client, viewer):
    ids = [f"JOB{number:011}" for number in range(250)]
    for job_id in ids:
        pending(client, job_id)
    page = emq_command("jobs", Q, "pending", "--limit", "150", "--as", viewer, "--json").document
    assert [row["job"] for row in page["jobs"]] == ids[:150]
    rest = emq_command(
        "jobs", Q, "pending", "--limit", "150", "--cursor", page["next"], "--as", viewer, "--json"
    ).document
    assert [row["job"] for row in rest["jobs"]] == ids[150:]
    assert (rest["total"], rest["next"]) == (250, None)


def test_the_lines_name_the_cursor_behind_them(emq_command, client, viewer):
    for job_id in (A, B):
        pending(client, job_id)
    ran = emq_command("jobs", Q, "pending", "--limit", "1", "--as", viewer)
    assert ran.out.splitlines()[1] == "1 of 2 pending"
    assert "--cursor" in ran.out.splitlines()[2]


def test_leases_are_listed_with_what_is_left_of_them(emq_command, client, viewer):
    active(client, A, 1)
    active(client, B, float("inf"))
    page = emq_command("jobs", Q, "active", "--as", viewer, "--json").document
    assert [row["lease"] for row in page["jobs"]] == ["lapsed", "live"]
    assert page["jobs"][0]["remaining_ms"] < 0
    assert page["jobs"][1]["remaining_ms"] == "inf"


def test_the_waiting_jobs_of_a_lane_are_listed(emq_command, client, viewer):
    pending(client, A, G)
    page = emq_command("jobs", Q, "pending", "--group", G, "--as", viewer, "--json").document
    assert [(row["job"], row["group"]) for row in page["jobs"]] == [(A, G)]


def test_one_job_is_shown_with_every_field_and_every_set(emq_command, client, viewer):
    dead(client, A, strange="x\x1b", payload=b"\x80\xff")
    client.zadd(P + b"pending", {A: 0})
    client.rpush(P + b"job:" + A.encode() + b":logs", "one", "two")
    ran = emq_command("job", Q, A, "--as", viewer)
    assert "held by: pending, dead\n" in ran.out
    assert "log lines: 2" in ran.out
    assert "  strange: x\\x1b\n" in ran.out
    assert "  payload: \\x80\\xff\n" in ran.out
    document = emq_command("job", Q, A, "--as", viewer, "--json").document
    fields = {field["field"]: field for field in document["fields"]}
    assert fields["payload"]["base64"] == "gP8="
    assert fields["last_error"]["text"] == "boom"


def test_a_job_that_is_nowhere_ends_with_1(emq_command, client, viewer):
    dead(client, A)
    ran = emq_command("job", Q, B, "--as", viewer)
    assert ran.code == 1
    assert "row missing" in ran.out


def test_bytes_that_are_no_text_stay_exact(emq_command, client, viewer):
    dead(client, A, last_error=b"\x80\x04\x95\xff")
    for words in (("jobs", Q, "dead"), ("job", Q, A)):
        ran = emq_command(*words, "--as", viewer)
        assert "\\x80\\x04\\x95\\xff" in ran.out
    (row,) = emq_command("jobs", Q, "dead", "--as", viewer, "--json").document["jobs"]
    assert row["error"] == {"size": 4, "base64": "gASV/w=="}


def test_a_long_error_shows_its_size(emq_command, client, viewer):
    dead(client, A, last_error="x" * 50_000)
    assert "error=(50,000 bytes)" in emq_command("jobs", Q, "dead", "--as", viewer).out


def test_leases_are_told_in_words_on_a_terminal(emq_command, client, viewer):
    active(client, A, 1)
    active(client, B, float("inf"))
    first, second, total = emq_command("jobs", Q, "active", "--as", viewer).out.splitlines()
    assert first.startswith(f"{A} attempts=1 stalled=0 lapsed ")
    assert first.endswith(" ago")
    assert second == f"{B} attempts=1 stalled=0 live, no end"
    assert total == "2 of 2 active"


def test_scheduled_jobs_are_listed_with_their_due_time(emq_command, client, viewer, emq):
    emq.schedule(Q, B, b"{}", at_ms=10**13)
    emq.schedule(Q, A, b"{}", at_ms=10**13 + 1)
    ran = emq_command("jobs", Q, "scheduled", "--as", viewer)
    first, _, total = ran.out.splitlines()
    assert re.match(rf"{B} attempts=0 stalled=0 due in .+, 2286-11-20 17:46:40 UTC", first)
    assert total == "2 of 2 scheduled"
    rows = emq_command("jobs", Q, "scheduled", "--as", viewer, "--json").document["jobs"]
    assert [(row["job"], row["due_ms"]) for row in rows] == [(B, 1e13), (A, 1e13 + 1)]


def test_a_lane_is_listed_by_its_name(emq_command, client, viewer):
    pending(client, A, G)
    ran = emq_command("jobs", Q, "lane", "--group", G, "--as", viewer)
    assert ran.out == f"{A} attempts=0 stalled=0 group={G}\n1 of 1 in the lane\n"


@pytest.mark.parametrize(
    ("words", "said"), [(("lane",), "--group"), (("dead", "--group", G), "go with dead")]
)
def test_a_lane_that_is_missing_or_out_of_place_is_a_usage_error(
    emq_command, client, viewer, words, said
):
    dead(client)
    ran = emq_command("jobs", Q, *words, "--as", viewer)
    assert (ran.code, said in ran.err) == (2, True)


def test_one_job_tells_its_instants_in_words(emq_command, client, viewer, emq):
    active(client, A, 1)
    emq.schedule(Q, B, b"{}", at_ms=10**13)
    ran = emq_command("job", Q, A, "--as", viewer)
    assert re.search(r"^held by: active \(lapsed .+ ago\)$", ran.out, re.MULTILINE)
    minted = emq_command("job", Q, A, "--as", viewer, "--json").document["minted_ms"]
    assert re.search(rf"^minted: \d+-\d+-\d+ .+ UTC \({minted}\)$", ran.out, re.MULTILINE)
    ran = emq_command("job", Q, B, "--as", viewer)
    assert re.search(r"^held by: schedule \(due in .+\)$", ran.out, re.MULTILINE)


def test_sets_that_cannot_be_read_may_hold_the_job(emq_command, client, viewer):
    dead(client, B)
    client.set(P + b"pending", "x")
    ran = emq_command("job", Q, A, "--as", viewer)
    assert "held by: no set that could be read; pending could not be read (" in ran.out
    assert "Nothing of it is here" not in ran.out
    document = emq_command("job", Q, A, "--as", viewer, "--json").document
    assert document["unread"].keys() == {"pending"}


def test_a_job_that_is_nowhere_may_never_have_been(emq_command, client, viewer):
    dead(client, A)
    said = "it never was, or it has completed or was removed"
    assert said in emq_command("job", Q, B, "--as", viewer).out
    assert said not in emq_command("job", Q, A, "--as", viewer).out
