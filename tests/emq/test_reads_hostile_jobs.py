"""One look at a job whose keys hold too much, or may not be read: bounded, and never taken for
nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis

from echomq_admin.emq.detail import MOST_LANE_BYTES
from echomq_admin.emq.fields import MOST_FIELDS, MOST_NAMES, MOST_OTHERS, read_field
from echomq_admin.emq.flow import MOST_LISTED
from echomq_admin.emq.reads import dead_page, job_look
from tests.emq.reading import CountingClient, Q, add_job

JOB = "JOBx"
ROW = Q + "job:JOBx"
LITTLE = 100_000


@pytest.fixture
def counting(client, server_port):
    with CountingClient(port=server_port) as made:
        yield made


@pytest.fixture
def lacking(client, server_port):
    """A client of a user who may do all but some commands."""

    @contextmanager
    def login(*commands: str) -> Iterator[redis.Redis]:
        denied = [f"-{command}" for command in commands]
        client.acl_setuser("lacking", enabled=True, passwords=["+pw"], keys=["*"],
                           commands=["+@all", *denied])  # fmt: skip
        try:
            with redis.Redis(port=server_port, username="lacking", password="pw") as poor:
                yield poor
        finally:
            client.acl_deluser("lacking")

    return login


def traffic(client) -> int:
    found = client.info("stats")
    return found["total_net_output_bytes"] + found["total_net_input_bytes"]


def names(look) -> list[bytes]:
    return [field.name for field in look.fields]


def test_names_of_fields_that_are_long_together_are_not_asked_for(client):
    client.hset(ROW, mapping={"state": "dead", "payload": "{}"})
    client.hset(ROW, mapping={f"{n:03}" + "x" * 20_000: "v" for n in range(MOST_FIELDS - 10)})
    before = traffic(client)
    look = job_look(client, "orders", JOB)
    assert traffic(client) - before < LITTLE
    assert (names(look), look.unlisted_fields) == ([b"state", b"payload"], MOST_FIELDS - 10)
    assert look.row_bytes > MOST_OTHERS
    assert look.faults == {}


def test_of_long_names_so_many_are_sent_back_as_fit_the_shortest_first(client):
    client.hset(ROW, mapping={f"{n:02}" + "x" * 20_000: "v" for n in range(50)} | {"short": "v"})
    before = traffic(client)
    look = job_look(client, "orders", JOB)
    assert traffic(client) - before < MOST_OTHERS
    assert b"short" in names(look)
    assert sum(map(len, names(look))) <= MOST_NAMES
    assert len(look.fields) + look.unlisted_fields == 51


def test_a_custom_field_beside_a_long_payload_is_read(client, counting):
    fields = {b"payload": b"p" * 6_000_000, b"custom": b"c" * 1_000_000, b"other": b"x"}
    client.hset(ROW, mapping=fields)
    look = job_look(counting, "orders", JOB)
    assert {field.name: field.value for field in look.fields} == fields
    assert (counting.trips, look.unlisted_fields) == (3, 0)


def test_a_custom_field_that_the_reader_has_is_not_read_again(client):
    client.hset(ROW, mapping={"custom": "c" * 1_000_000, "other": "x"})
    before = traffic(client)
    look = job_look(client, "orders", JOB, have={b"custom": 1_000_000})
    assert traffic(client) - before < LITTLE
    assert [(field.name, field.is_kept) for field in look.fields] == [
        (b"custom", True),
        (b"other", False),
    ]


@pytest.mark.parametrize(("size", "grown"), [(10, 5_000_000), (10_000, 5_000_000)])
def test_a_field_that_grows_while_it_is_looked_at_is_told_by_its_size(
    client, counting, size, grown
):
    client.hset(ROW, mapping={"state": "active", "payload": "a" * size})
    counting.before_trip = lambda trip: trip == 3 and client.hset(ROW, "payload", "a" * grown)
    look = job_look(counting, "orders", JOB)
    payload = next(field for field in look.fields if field.name == b"payload")
    assert (payload.size, payload.value, payload.is_kept) == (grown, None, False)


@pytest.mark.parametrize("trip", [2, 3])
def test_a_row_that_turns_into_another_type_between_two_trips_is_unreadable(client, counting, trip):
    add_job(client, "dead", JOB, state="dead", attempts=1, parent="p", dedup_id="d")

    def turn(now: int) -> None:
        if now == trip:
            client.delete(ROW)
            client.set(ROW, "text")

    counting.before_trip = turn
    look = job_look(counting, "orders", JOB)
    assert [held.place for held in look.held] == ["dead"]


@pytest.mark.parametrize("command", ["hstrlen", "hmget", "hrandfield", "hlen"])
def test_fields_that_may_not_be_read_are_a_fault_and_no_absence(client, lacking, command):
    add_job(client, "dead", JOB, state="dead", attempts=1, custom="x", payload="{}")
    with lacking(command) as poor:
        look = job_look(poor, "orders", JOB)
    assert command in look.faults["fields"]
    assert ("parent" in look.faults) == (command in {"hmget", "hlen"})
    assert not look.is_gone
    if command in {"hstrlen", "hmget", "hlen"}:
        assert command in look.job.fault


def test_a_row_is_shown_also_where_lengths_may_not_be_asked(client, lacking):
    add_job(client, "dead", JOB, state="dead", custom="x")
    client.hset(ROW + "2", mapping={"state": "dead", "payload": "a" * 5_000_000})
    with lacking("hstrlen") as poor:
        look = job_look(poor, "orders", JOB)
        before = traffic(client)
        large = job_look(poor, "orders", JOB + "2")
        assert traffic(client) - before < LITTLE
    assert {field.name: field.value for field in look.fields} == {
        b"state": b"dead",
        b"custom": b"x",
    }
    assert (large.fields, large.unlisted_fields) == ((), 2)


def test_where_sizes_of_keys_may_not_be_asked_other_fields_and_children_are_counted(
    client, lacking
):
    add_job(client, "dead", JOB, state="dead", custom="x")
    client.hset(ROW + ":processed", "c1", "x")
    with lacking("memory|usage") as poor:
        look = job_look(poor, "orders", JOB)
        assert "memory" in look.faults["fields"]
        client.hdel(ROW, "custom")
        assert job_look(poor, "orders", JOB).faults == {}
    assert (names(look), look.unlisted_fields) == ([b"state"], 1)
    assert (look.flow.ended[0].count, look.flow.ended[0].ids) == (1, ())


def test_a_parent_whose_name_is_too_long_is_not_taken_for_none(client):
    client.hset(ROW, mapping={"state": "dead", "parent": "p" * 9_000})
    look = job_look(client, "orders", JOB)
    assert (look.flow.parent, look.faults) == (None, {"parent": "it is 9,000 bytes long"})


@pytest.mark.parametrize("command", ["hstrlen", "hget"])
def test_a_field_that_may_not_be_read_is_not_taken_for_none(client, lacking, command):
    client.hset(ROW, "payload", "{}")
    with lacking(command) as poor:
        assert command in read_field(poor, "orders", JOB, b"payload", 999).fault


def test_sets_that_may_not_be_read_leave_it_open_whether_the_job_is_gone(client, lacking):
    with lacking("zscore") as poor:
        look = job_look(poor, "orders", JOB)
    assert (look.is_gone, look.is_unknown) == (False, True)
    assert look.unread_sets == ("pending", "active", "schedule", "dead")
    client.set(Q + "g:A:pending", "x")
    look = job_look(client, "orders", JOB, ["A"])
    assert (look.is_gone, look.is_unknown, look.unread_sets) == (False, True, ("lanes",))


@pytest.mark.parametrize("command", ["pttl", "strlen"])
def test_a_lock_that_may_not_be_read_is_a_fault_and_not_none(client, lacking, command):
    client.set(ROW + ":lock", "w1")
    with lacking(command) as poor:
        assert command in job_look(poor, "orders", JOB).faults["lock"]


def test_lanes_are_asked_until_their_names_are_too_long_together(client):
    lanes = [f"{n:03}" + "x" * 100_000 for n in range(20)] + ["short"]
    add_job(client, "g:short:pending", JOB)
    before = traffic(client)
    look = job_look(client, "orders", JOB, lanes)
    assert traffic(client) - before < MOST_LANE_BYTES + LITTLE
    assert (look.lanes_asked, look.lanes_known) == (3, 21)
    assert [held.group for held in look.held] == ["short"]


def test_children_under_long_ids_are_listed_as_far_as_they_fit(client):
    client.hset(ROW + ":processed", mapping={f"{n:02}" + "x" * 7_900: "" for n in range(90)})
    client.hset(ROW + ":failed", mapping={f"{n:02}" + "x" * 200_000: "" for n in range(90)})
    client.hset(ROW + ":unsuccessful", mapping={"a" * 200_000: "", "short": ""})
    before = traffic(client)
    processed, failed, unsuccessful = job_look(client, "orders", JOB).flow.ended
    assert traffic(client) - before < 1_500_000
    assert sum(map(len, processed.ids)) <= MOST_LISTED
    assert (processed.count, len(processed.ids) + processed.unlisted) == (90, 90)
    assert (failed.count, failed.ids, failed.unlisted) == (90, (), 90)
    assert (unsuccessful.ids, unsuccessful.unlisted) == (("short",), 1)


def test_rows_of_jobs_whose_ids_end_like_side_keys_are_no_side_keys(client):
    sides = ("lock", "logs", "dependencies", "processed", "failed", "unsuccessful")
    add_job(client, "dead", JOB, state="dead")
    for side in sides:
        add_job(client, "dead", f"{JOB}:{side}", state="dead", attempts=3, last_error="boom")
    look = job_look(client, "orders", JOB)
    assert (look.lock, look.log_lines, look.faults) == (None, 0, {})
    assert not look.flow.has_children
    assert look.flow.out_fault is None


def test_a_lock_that_is_a_hash_but_no_row_stands(client):
    client.hset(ROW + ":lock", "owner", "w1")
    look = job_look(client, "orders", JOB)
    assert look.lock is not None
    assert "lock" in look.faults


@pytest.mark.parametrize("command", ["zcard", "zrange"])
def test_a_set_that_may_be_counted_and_not_read_is_not_told_to_be_empty(client, lacking, command):
    add_job(client, JOB, "dead")
    with lacking(command) as poor:
        page = dead_page(poor, "orders", 25)
    assert (page.total, page.jobs) == (None, ())
    assert command in page.fault
