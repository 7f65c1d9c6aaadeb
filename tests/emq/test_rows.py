"""Rows of any bytes become records; a broken one breaks only itself."""

from __future__ import annotations

import pytest

from echomq_admin.emq import ids
from echomq_admin.emq.reads import dead_page
from echomq_admin.emq.rows import SHORT, Text
from tests.emq.reading import CountingClient, Q, add_job


def only_job(client):
    (job,) = dead_page(client, "orders").jobs
    return job


def test_a_row_is_read_with_its_mint_time_and_texts(client):
    job_id = ids.mint("JOB", 1_750_000_000_123)
    add_job(
        client, "dead", job_id, state="dead", attempts=3, stalled=1, payload="{}",
        last_error="timeout", group="G", parent="JOBx", progress="50",
    )  # fmt: skip
    job = only_job(client)
    assert (job.job_id, job.fault, job.state) == (job_id, None, b"dead")
    assert (job.attempts, job.stalled, job.group, job.parent) == (3, 1, "G", "JOBx")
    assert (job.payload, job.error) == (Text(2, b"{}"), Text(7, b"timeout"))
    assert (job.progress, job.score) == (Text(2, b"50"), 0)
    assert job.minted_ms == 1_750_000_000_123


def test_absent_counters_are_zero_and_absent_texts_are_none(client):
    add_job(client, "dead", "JOBx", state="dead")
    job = only_job(client)
    assert (job.attempts, job.stalled, job.group, job.minted_ms) == (0, 0, None, None)
    assert (job.payload, job.error, job.progress) == (None, None, None)


def test_an_empty_payload_is_a_payload(client):
    add_job(client, "dead", "JOBx", state="dead", payload="")
    assert only_job(client).payload == Text(0, b"")


def test_a_row_of_nothing_but_an_empty_payload_is_read(client):
    add_job(client, "dead", "JOBx", payload="")
    job = only_job(client)
    assert (job.fault, job.payload) == (None, Text(0, b""))


@pytest.mark.parametrize("name", ["payload", "last_error", "progress"])
def test_a_text_longer_than_a_list_reads_shows_only_its_size(client, name):
    add_job(client, "dead", "JOBx", **{"state": "dead", name: b"a" * (SHORT + 1)})
    add_job(client, "dead", "JOBy", **{"state": "dead", name: b"a" * SHORT})
    whole, cut = dead_page(client, "orders").jobs
    field = "error" if name == "last_error" else name
    assert getattr(cut, field) == Text(SHORT + 1, None)
    assert getattr(whole, field) == Text(SHORT, b"a" * SHORT)


def test_three_megabytes_in_any_field_are_never_fetched(client):
    for at, name in enumerate(
        ["state", "attempts", "stalled", "group", "parent", "payload", "last_error", "progress"]
    ):
        add_job(client, "dead", f"JOB{at}", **{"payload": "{}", name: b"a" * 3_000_000})
    before = client.info("stats")["total_net_output_bytes"]
    jobs = dead_page(client, "orders").jobs
    assert client.info("stats")["total_net_output_bytes"] - before < 50_000
    assert [job.odd for job in reversed(jobs)] == [
        "state is 3,000,000 bytes long",
        None,
        None,
        "group is 3,000,000 bytes long",
        "parent is 3,000,000 bytes long",
        None,
        None,
        None,
    ]
    assert [job.fault for job in reversed(jobs)] == [
        None,
        "unreadable row: attempts is no integer",
        None,
        None,
        None,
        None,
        None,
        None,
    ]


def test_a_group_name_of_4096_bytes_is_read(client):
    add_job(client, "dead", "JOBx", state="dead", group="g" * 4096)
    assert only_job(client).group == "g" * 4096


@pytest.mark.parametrize(
    "text", ["abc", "", "1.0", "01", "+1", " 1", "1 ", "0x1", "1e3", "-0", "9" * 16, b"\xff", "١"]
)
def test_attempts_that_are_no_integer_make_the_row_unreadable(client, text):
    add_job(client, "dead", "JOBx", state="dead", attempts=text, stalled=text)
    job = only_job(client)
    assert job.fault == "unreadable row: attempts is no integer"
    assert (job.attempts, job.stalled, job.state) == (None, None, b"dead")


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("-1", -1), ("9" * 15, 10**15 - 1)])
def test_attempts_are_read_as_the_scripts_read_them(client, text, number):
    add_job(client, "dead", "JOBx", state="dead", attempts=text)
    assert (only_job(client).attempts, only_job(client).fault) == (number, None)


def test_an_id_without_a_row_is_said_to_be_missing(client):
    add_job(client, "dead", "JOBx")
    job = only_job(client)
    assert (job.fault, job.attempts, job.state) == ("row missing", None, None)


def test_a_row_of_another_library_is_unreadable_with_its_reason(client):
    add_job(client, "dead", "JOBx", data="{}", atm=1)
    assert only_job(client).fault == ("unreadable row: it has none of state, attempts, payload")


def test_a_row_that_is_no_hash_is_unreadable_and_the_others_are_read(client):
    for job_id in ("JOBa", "JOBb", "JOBc"):
        add_job(client, "dead", job_id, state="dead")
    client.delete(Q + "job:JOBb")
    client.set(Q + "job:JOBb", "x")
    assert [job.fault for job in dead_page(client, "orders").jobs] == [
        None,
        "unreadable row: the key holds another type",
        None,
    ]


def test_bytes_that_are_no_text_ride_along(client):
    raw = b"JOB\xff\x00/"
    add_job(client, "dead", raw, state=b"\x80", payload=b"\x80\x04\x95\xff", group=b"\xfe")
    job = only_job(client)
    assert job.job_id.encode("utf-8", "surrogateescape") == raw
    assert (job.state, job.group) == (b"\x80", "\udcfe")
    assert job.payload == Text(4, b"\x80\x04\x95\xff")


def test_every_id_that_a_set_can_hold_is_listed(client):
    odd = ["", "user/234", "a%2Fb", "a b", "ü", "..", "?x=1#y", "x" * 4096]
    for job_id in odd:
        add_job(client, "dead", job_id, state="dead", payload="{}")
    jobs = dead_page(client, "orders").jobs
    assert {job.job_id for job in jobs} == set(odd)
    assert {job.fault for job in jobs} == {None}


def test_a_row_deleted_between_the_two_readings_is_missing(client, server_port):
    add_job(client, "dead", "JOBx", state="dead", payload="{}")
    with CountingClient(port=server_port) as late:
        late.before_trip = lambda trip: trip == 3 and client.delete(Q + "job:JOBx")
        assert only_job(late).fault == "row missing"


def test_a_row_with_any_field_of_ours_is_one_that_the_scripts_move(client):
    add_job(client, "dead", "JOBx", last_error="boom", stalled=1)
    job = only_job(client)
    assert (job.fault, job.is_movable, job.stalled, job.attempts) == (None, True, 1, 0)


def test_a_text_that_grew_between_the_two_readings_is_told_by_its_size(client, server_port):
    add_job(client, "dead", "JOBx", state="dead", payload="{}")
    with CountingClient(port=server_port) as late:
        late.before_trip = lambda trip: (
            trip == 3 and client.hset(Q + "job:JOBx", "payload", b"a" * 5_000_000)
        )
        assert only_job(late).payload == Text(5_000_000, None)


def test_the_rows_of_huge_ids_are_not_read_and_the_others_are(client):
    add_job(client, "dead", "JOBx", state="dead")
    for at in range(25):
        add_job(client, "dead", b"%02d" % at + b"x" * 1_000_000, state="dead")
    before = client.info("stats")["total_net_input_bytes"]
    first, *others = dead_page(client, "orders", 26).jobs
    assert client.info("stats")["total_net_input_bytes"] - before < 100_000
    assert (first.is_read, first.state) == (True, b"dead")
    assert {job.fault for job in others} == {"id of 1,000,002 bytes: its row is not read in a list"}
    assert not any(job.is_read or job.is_movable for job in others)
