"""Everything that is known of one job: bounded, in three round trips, whatever lies in its keys."""

from __future__ import annotations

import pytest
import redis

from echomq_admin.emq.detail import MOST_LANES, Dedup, Lock
from echomq_admin.emq.fields import MOST_BYTES, MOST_FIELDS, read_field
from echomq_admin.emq.flow import MOST_CHILDREN
from echomq_admin.emq.reads import job_look, log_page
from echomq_admin.emq.whereabouts import Held
from tests.emq.reading import CountingClient, Q, add_job

JOB = "JOBx"
ROW = Q + "job:JOBx"
ODD_IDS = [b"", b"..", b"a/b", b"%2F", b"a b", "ü".encode(), b"x" * 4096, b"JOB\xff\x00/"]


@pytest.fixture
def counting(client, server_port):
    with CountingClient(port=server_port) as made:
        yield made


def names(look) -> list[bytes]:
    return [field.name for field in look.fields]


def test_three_round_trips_whatever_there_is(client, counting):
    job_look(counting, "orders", JOB)
    assert counting.trips <= 3
    add_job(client, "dead", JOB, state="dead", group="A", parent="JOBp", dedup_id="d")
    counting.trips = 0
    job_look(counting, "orders", JOB, [f"lane-{n}" for n in range(1_000)])
    assert counting.trips == 3


def test_every_field_is_there_known_ones_first(client):
    fields = {b"odd\xff": b"\x00", b"attempts": b"2", b"": b"no name", b"state": b"dead"}
    client.hset(ROW, mapping=fields)
    look = job_look(client, "orders", JOB)
    assert {field.name: field.value for field in look.fields} == fields
    assert names(look) == [b"state", b"attempts", b"", b"odd\xff"]
    assert look.unlisted_fields == 0


def test_long_fields_are_read_up_to_a_budget_payload_first(client):
    sizes = {"zzz": 5_000_000, "payload": 6_000_000, "last_error": 3_000_000, "progress": 1_500_000}
    client.hset(ROW, mapping={name: "a" * size for name, size in sizes.items()})
    found = {field.name: field for field in job_look(client, "orders", JOB).fields}
    assert {name for name, field in found.items() if field.value is not None} == {
        b"payload",
        b"progress",
    }
    assert found[b"last_error"].size == 3_000_000
    assert sum(len(field.value or b"") for field in found.values()) <= MOST_BYTES


def test_what_the_reader_has_already_is_not_read_again_until_its_size_changes(client, counting):
    client.hset(ROW, mapping={"payload": "a" * 3_000_000})
    have = {b"payload": 3_000_000}
    (payload,) = job_look(counting, "orders", JOB, have=have).fields
    assert (payload.is_kept, payload.value, payload.size) == (True, None, 3_000_000)
    client.hset(ROW, "payload", "a" * 3_000_001)
    (payload,) = job_look(counting, "orders", JOB, have=have).fields
    assert (payload.is_kept, len(payload.value)) == (False, 3_000_001)


def test_a_short_field_is_read_even_when_the_reader_has_it(client):
    client.hset(ROW, mapping={"payload": "abc"})
    (payload,) = job_look(client, "orders", JOB, have={b"payload": 3}).fields
    assert (payload.value, payload.is_kept) == (b"abc", False)


def test_of_a_row_with_100_000_fields_the_known_ones_are_listed(client):
    client.hset(ROW, mapping={f"f{n}": n for n in range(100_000)} | {"state": "dead", "lock": "w"})
    look = job_look(client, "orders", JOB)
    assert names(look) == [b"state", b"lock"]
    assert look.unlisted_fields == 100_000
    client.delete(ROW)
    client.hset(ROW, mapping={f"f{n}": n for n in range(MOST_FIELDS)})
    look = job_look(client, "orders", JOB)
    assert (len(look.fields), look.unlisted_fields) == (MOST_FIELDS, 0)


def test_a_long_field_under_a_long_name_is_told_but_not_read(client):
    client.hset(ROW, mapping={"n" * 5_000: "v" * 5_000})
    (field,) = job_look(client, "orders", JOB).fields
    assert (field.size, field.value, field.is_kept) == (5_000, None, False)


@pytest.mark.parametrize("raw", ODD_IDS)
def test_an_id_of_any_bytes_is_looked_at(client, raw):
    add_job(client, "dead", raw, state="dead", attempts=1)
    look = job_look(client, "orders", raw.decode("utf-8", "surrogateescape"))
    assert [held.place for held in look.held] == ["dead"]
    assert (look.job.state, look.job.fault) == (b"dead", None)


def test_every_set_and_known_lane_that_holds_the_id_is_named(client):
    for held_in, score in {"pending": 0, "active": 5, "schedule": 7, "dead": 0}.items():
        add_job(client, held_in, JOB, score)
    add_job(client, "g:A:pending", JOB, 0, state="dead", group="A")
    add_job(client, "g:B:pending", JOB, 3)
    look = job_look(client, "orders", JOB, ["B", "C"])
    assert set(look.held) == {
        Held("pending", 0), Held("active", 5), Held("schedule", 7), Held("dead", 0),
        Held("lane", 0, "A"), Held("lane", 3, "B"),
    }  # fmt: skip
    assert look.is_settled


def test_only_so_many_known_lanes_are_asked(client):
    add_job(client, "g:last:pending", JOB)
    look = job_look(client, "orders", JOB, [*(f"l{n}" for n in range(MOST_LANES)), "last"])
    assert (look.lanes_asked, look.lanes_known, look.held) == (MOST_LANES, MOST_LANES + 1, ())
    assert (look.is_gone, look.is_unknown) == (False, True)
    look = job_look(client, "orders", JOB, [f"l{n}" for n in range(MOST_LANES)])
    assert (look.is_gone, look.is_unknown) == (True, False)


def test_a_job_that_moves_between_the_looks_is_not_settled(client, counting):
    add_job(client, "pending", JOB, 0, state="pending", attempts=0)

    def claim(trip: int) -> None:
        if trip == 3:
            client.zrem(Q + "pending", JOB)
            client.zadd(Q + "active", {JOB: 9})

    counting.before_trip = claim
    look = job_look(counting, "orders", JOB)
    assert (look.held, look.is_settled) == ((Held("active", 9),), False)


def test_nothing_at_all_is_gone_and_an_orphan_is_not(client):
    assert job_look(client, "orders", JOB).is_gone
    add_job(client, "dead", JOB)
    look = job_look(client, "orders", JOB)
    assert (look.is_gone, look.job.fault) == (False, "row missing")


def test_the_lock_marker_says_how_long_it_stands_and_is_read_only_so_far(client):
    client.hset(ROW, "state", "active")
    assert job_look(client, "orders", JOB).lock is None
    client.set(ROW + ":lock", "w" * 100_000, px=60_000)
    lock = job_look(client, "orders", JOB).lock
    assert (len(lock.value), lock.size) == (200, 100_000)
    assert 0 < lock.left_ms <= 60_000
    client.set(ROW + ":lock", "w1")
    assert job_look(client, "orders", JOB).lock == Lock(None, b"w1", 2)


@pytest.mark.parametrize(("kept", "holds"), [(JOB, True), (JOB + "2", False), (None, None)])
def test_a_dedup_key_is_held_against_the_id(client, kept, holds):
    client.hset(ROW, mapping={"state": "dead", "dedup_id": "order-7"})
    if kept:
        client.set(Q + "de:order-7", kept)
    assert job_look(client, "orders", JOB).dedup == Dedup(b"dedup_id", "order-7", holds)


def test_the_group_comes_with_the_state_of_its_lane(client):
    add_job(client, "g:A:pending", JOB, 0, state="pending", group="A")
    look = job_look(client, "orders", JOB)
    assert (look.lane.group, look.lane.depth, look.lane.rota) == ("A", 1, "off ring")


def test_a_parent_says_what_is_still_out_and_what_ended_how(client):
    client.hset(ROW, mapping={"state": "awaiting_children", "attempts": 0})
    client.set(ROW + ":dependencies", 3)
    client.hset(ROW + ":processed", mapping={"c2": "x" * 1_000_000, "c1": "y"})
    client.hset(ROW + ":failed", mapping={f"f{n}": "" for n in range(MOST_CHILDREN + 1)})
    flow = job_look(client, "orders", JOB).flow
    assert (flow.out, flow.has_children, flow.parent) == (3, True, None)
    assert [(kind.outcome, kind.count, kind.ids) for kind in flow.ended] == [
        ("processed", 2, ("c1", "c2")),
        ("failed", MOST_CHILDREN + 1, ()),
        ("unsuccessful", 0, ()),
    ]


@pytest.mark.parametrize(
    ("held_in", "state", "where"),
    [
        ("pending", "pending", "pending"),
        ("dead", "dead", "dead"),
        (None, "awaiting_children", "awaiting_children"),
        (None, "active", "no set"),
        (None, None, "gone"),
    ],
)
@pytest.mark.parametrize("queue", ["orders", "else/where"])
def test_the_parent_is_found_in_its_queue(client, held_in, state, where, queue):
    there = f"emq:{{{queue}}}:"
    client.hset(ROW, mapping={"state": "dead", "parent": "JOBp", "parent_queue": queue})
    if state:
        client.hset(there + "job:JOBp", "state", state)
    if held_in:
        client.zadd(there + held_in, {"JOBp": 0})
    parent = job_look(client, "orders", JOB).flow.parent
    assert (parent.job_id, parent.queue, parent.where) == ("JOBp", queue, where)


def test_wrong_types_at_every_key_hide_nothing_else(client):
    client.hset(ROW, mapping={"state": "dead", "group": "A", "parent": "p", "dedup_id": "d"})
    client.zadd(Q + "dead", {JOB: 0})
    for name in ("pending", "active", "schedule", "g:A:pending", "g:B:pending", "job:p"):
        client.set(Q + name, "x")
    for name in ("logs", "processed", "failed", "unsuccessful"):
        client.set(f"{ROW}:{name}", "x")
    for name in ("lock", "dependencies"):
        client.rpush(f"{ROW}:{name}", "x")
    client.rpush(Q + "de:d", "x")
    client.set("emqadmin:{orders}:audit", "x")
    look = job_look(client, "orders", JOB, ["B"])
    assert look.held == (Held("dead", 0),)
    assert set(look.faults) == {"pending", "active", "schedule", "lanes", "lock", "logs", "audit"}
    assert (look.log_lines, look.audited, look.lock.value) == (None, None, b"")
    assert (look.flow.out, bool(look.flow.out_fault)) == (None, True)
    assert [kind.count for kind in look.flow.ended] == [None, None, None]
    assert (look.flow.parent.where, look.dedup.holds, look.lane.depth) == ("?", None, None)
    assert look.dedup.fault
    assert look.job.fault is None


def test_a_row_that_is_no_hash_leaves_the_rest(client):
    client.set(ROW, "text")
    client.zadd(Q + "dead", {JOB: 0})
    client.rpush(ROW + ":logs", "a")
    look = job_look(client, "orders", JOB)
    assert look.job.fault.startswith("unreadable row")
    assert (look.fields, look.unlisted_fields, look.log_lines) == ((), 0, 1)
    assert look.held == (Held("dead", 0),)


def test_names_in_a_row_that_are_too_long_are_not_followed(client):
    client.hset(ROW, mapping={"state": "dead", "parent": "p" * 9_000, "dedup_id": "d" * 9_000})
    look = job_look(client, "orders", JOB)
    assert (look.flow.parent, look.dedup) == (None, None)


def test_one_field_is_read_whole_or_told_to_be_too_long(client):
    client.hset(ROW, mapping={b"\xff": b"\x00" * 1_000, "empty": ""})
    assert read_field(client, "orders", JOB, b"\xff", 1_000).value == b"\x00" * 1_000
    found = read_field(client, "orders", JOB, b"\xff", 999)
    assert (found.size, found.value) == (1_000, None)
    assert read_field(client, "orders", JOB, b"empty", 999).value == b""
    assert read_field(client, "orders", JOB, b"none", 999) is None
    client.set(Q + "job:JOBs", "text")
    assert read_field(client, "orders", "JOBs", b"payload", 999).fault


def test_a_user_who_may_only_read_sees_all_of_it(client, server_port):
    add_job(client, "dead", JOB, state="dead", group="A", parent="p", dedup_id="d", payload="{}")
    client.acl_setuser("looker", enabled=True, passwords=["+pw"], keys=["*"],
                       categories=["+@read"], commands=["+time", "+ping", "+client"])  # fmt: skip
    try:
        with redis.Redis(port=server_port, username="looker", password="pw") as poor:
            look = job_look(poor, "orders", JOB, ["B"])
            assert (look.faults, look.flow.out_fault, look.lane.fault) == ({}, None, None)
            assert log_page(poor, "orders", JOB).fault is None
    finally:
        client.acl_deluser("looker")
