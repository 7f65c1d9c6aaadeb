"""The newest audit entries, ten a call, cut by size, whatever was written there."""

from __future__ import annotations

import msgpack
import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.audit import tail
from echomq_admin.emq.reads import server_now_ms
from tests.emq.reading import CountingClient, Q, add_job

AUDIT = "emqadmin:{orders}:audit"


def write(client, **fields):
    entry = {"op": "requeue", "op_id": "x", "actor": "olena", "t": 5, "n": 0, "jobs": packed([])}
    return client.xadd(AUDIT, entry | fields)


def packed(value):
    return msgpack.packb(value)


def test_an_entry_of_a_script_is_read_whole(client):
    add_job(
        client, "dead", "JOBx", state="dead", attempts=3, stalled=1, last_error="boom", group="G"
    )
    before = server_now_ms(client)
    EchoMQ(client).requeue("orders", ["JOBx"], actor="olena", op_id="click-1", reset_stalls=True)
    found = tail(client, "orders")
    (entry,) = found.entries
    assert (entry.op, entry.op_id, entry.actor, entry.n) == ("requeue", "click-1", "olena", 1)
    assert before <= entry.at_ms <= server_now_ms(client)
    assert (entry.fault, found.cut, found.total, found.fault) == (None, False, 1, None)
    assert entry.detail == {"reset_stalls": True}
    (moved,) = entry.jobs
    assert (moved.job_id, moved.outcome, moved.attempts, moved.stalled) == (
        "JOBx",
        "requeued",
        3,
        1,
    )
    assert (moved.group, moved.error, moved.error_cut, moved.deadline_ms) == (
        "G",
        b"boom",
        False,
        None,
    )


def test_a_sweep_tells_the_deadline_and_the_new_stall_count(client):
    add_job(client, "active", "JOBx", 5, state="active", attempts=1)
    EchoMQ(client).sweep("orders", 1, 100, actor="olena", op_id="s")
    (entry,) = tail(client, "orders").entries
    assert entry.detail == {"max_stalled": 1, "limit": 100}
    (moved,) = entry.jobs
    assert (moved.outcome, moved.deadline_ms, moved.stalled) == ("dead", 5.0, 1)


def test_entries_come_newest_first_ten_a_call(client, server_port):
    for at in range(35):
        write(client, op_id=f"op-{at}")
    with CountingClient(port=server_port) as counting:
        found = tail(counting, "orders", 25)
        assert counting.trips == 3
    assert [entry.op_id for entry in found.entries] == [f"op-{at}" for at in range(34, 9, -1)]
    assert (found.total, found.cut) == (35, False)


def test_two_megabytes_end_the_reading_and_it_says_so(client):
    for _ in range(60):
        write(client, jobs=packed([["JOBx", "dead", 1, 1, 1, False, b"e" * 60_000, True]]))
    found = tail(client, "orders")
    assert found.cut
    assert 34 <= len(found.entries) <= 44
    assert not tail(client, "orders", 10).cut


def test_a_stream_that_fits_is_never_called_cut(client):
    for _ in range(3):
        write(client, jobs=packed(["x" * 900_000]))
    assert not tail(client, "orders").cut


def test_no_stream_is_no_entry_and_a_wrong_type_is_a_fault(client):
    assert tail(client, "orders").entries == ()
    client.set(AUDIT, "x")
    found = tail(client, "orders")
    assert (found.entries, found.total) == ((), None)
    assert found.fault == "the key holds another type"


def test_an_entry_of_strangers_is_shown_with_what_is_wrong_with_it(client):
    client.xadd(AUDIT, {"hello": b"\xff"})
    (entry,) = tail(client, "orders").entries
    assert (entry.op, entry.actor, entry.at_ms, entry.n, entry.jobs) == ("", "", 0, 0, ())
    assert entry.fault == "jobs is missing; t is no number; n is no number"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xc1",
        b"\x91" * 5000,
        b"\xdd\xff\xff\xff\xff",
        b"\x81\x90\x01",
        b"\xd7\xff" + b"\xff" * 8,
        b"\x92\x01",
    ],
)
def test_jobs_that_are_no_msgpack_fault_their_entry_only(client, raw):
    write(client, op_id="bad", jobs=raw, detail=raw)
    write(client, op_id="good")
    good, bad = tail(client, "orders").entries
    assert (good.op_id, good.fault) == ("good", None)
    assert (bad.op_id, bad.actor) == ("bad", "olena")
    assert bad.fault == "jobs cannot be read; detail cannot be read"


@pytest.mark.parametrize("value", [7, "text", None, {"a": 1}, True, 1.5])
def test_jobs_that_are_no_list_fault_the_entry(client, value):
    write(client, jobs=packed(value))
    (entry,) = tail(client, "orders").entries
    assert entry.jobs == ()
    assert entry.fault


def test_a_job_that_cannot_be_read_hides_no_other(client):
    rows = [
        ["JOBa", "dead"],
        [],
        ["JOBb"],
        7,
        [1, 2],
        ["JOBc", "recovered", 2, 1, 9, "G", "e", True],
    ]
    write(client, jobs=packed(rows), n=6)
    (entry,) = tail(client, "orders").entries
    assert [moved.job_id for moved in entry.jobs] == ["JOBa", "JOBc"]
    assert entry.fault == "4 of 6 jobs cannot be read"
    assert entry.jobs[1].error == b"e"
    assert entry.jobs[1].error_cut is True


@pytest.mark.parametrize("value", [b"\xff", "abc", 1.5, True, [1], {"a": 1}, float("inf")])
def test_numbers_that_are_none_are_absent(client, value):
    write(client, jobs=packed([["JOBa", "dead", value, value, "soon", 7, 7, 1]]))
    (moved,) = tail(client, "orders").entries[0].jobs
    assert (moved.attempts, moved.stalled, moved.deadline_ms) == (None, None, None)
    assert (moved.group, moved.error, moved.error_cut) == (None, None, False)


def test_names_of_any_bytes_ride_along(client):
    write(
        client,
        actor=b"\xff<b>",
        jobs=packed([[b"\x00\xfe", b"dead"]]),
        detail=packed({b"\xfd": b"\xfc"}),
    )
    (entry,) = tail(client, "orders").entries
    assert entry.actor == "\udcff<b>"
    assert entry.jobs[0].job_id == "\x00\udcfe"
    assert entry.detail == {"\udcfd": "\udcfc"}


def test_an_empty_table_of_lua_is_no_fault(client):
    write(client, jobs=packed({}), detail=packed([]))
    (entry,) = tail(client, "orders").entries
    assert (entry.jobs, entry.detail, entry.fault) == ((), {}, None)


@pytest.mark.parametrize("value", ["-5", "1.5", "", "9" * 40, b"\xb2"])
def test_a_time_that_is_none_is_said(client, value):
    write(client, t=value)
    (entry,) = tail(client, "orders").entries
    assert (entry.at_ms, entry.fault) == (0, "t is no number")
    assert client.exists(Q + "pending") == 0
