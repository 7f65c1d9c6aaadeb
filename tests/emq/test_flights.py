"""Active sets and what is left of leases: four round trips, whatever the keys and rows hold."""

from __future__ import annotations

from functools import partial

import pytest

from echomq_admin.emq import EchoMQ, flights
from echomq_admin.emq import touches as reading
from echomq_admin.emq.flights import LONGEST_ERROR, active_sets, sights
from echomq_admin.emq.sights import Sight, Wanted, mark_of
from echomq_admin.emq.touches import UNTOLD, touches
from tests.emq.reading import CountingClient, Q, add_job

NASTY = (b"\xff\x00 \n", b"}:job:", b"x" * 300, b"x" * 9_000)


def look(client, **wanted):
    return sights(client, {"orders": Wanted(**wanted)}).of["orders"].sights


def test_active_sets_come_with_the_time_before_and_after(client):
    for raw in NASTY:
        add_job(client, "active", raw, 41.5)
    found = active_sets(client, ["orders", "none"])
    assert found.sets["orders"].deadlines == dict.fromkeys(NASTY, 41.5)
    assert found.sets["none"].deadlines == {}
    assert found.before_ms <= found.after_ms


def test_an_active_key_of_another_type_is_its_own_fault(client):
    client.set(Q + "active", "x")
    client.zadd("emq:{mails}:active", {"JOBa": 1})
    found = active_sets(client, ["orders", "mails"]).sets
    assert found["orders"].fault == "the key holds another type"
    assert found["mails"].deadlines == {b"JOBa": 1.0}


def test_of_a_huge_active_set_those_that_lapse_first_are_read(client, monkeypatch):
    monkeypatch.setattr(flights, "MOST", 3)
    for at in range(5):
        add_job(client, "active", f"JOB{at}", at)
    found = active_sets(client, ["orders"]).sets["orders"]
    assert (list(found.deadlines.values()), found.from_ms) == ([0, 1, 2], 3)


def test_a_new_lease_is_read_as_it_is(client):
    row = {"state": "active", "attempts": 7, "stalled": 2, "group": b"m\xff", "last_error": "boom"}
    add_job(client, "active", "JOBa", 900, **row)
    expected = Sight(True, b"active", 7, 2, "m\udcff", b"boom", 4, 900.0)
    assert look(client, fresh=[b"JOBa"]) == {b"JOBa": expected}


@pytest.mark.parametrize("raw", NASTY[:3])
def test_an_id_of_any_bytes_has_its_row(client, raw):
    add_job(client, "active", raw, 5, state="active", attempts=1)
    assert look(client, fresh=[raw])[raw].attempts == 1


def test_the_row_of_an_id_beyond_all_measure_is_not_read(client):
    add_job(client, "active", NASTY[3], 5, state="active", attempts=1)
    assert look(client, fresh=[NASTY[3]]) == {NASTY[3]: Sight(False)}


@pytest.mark.parametrize("value", ["many", "1.5", "-", "9" * 20, "9" * 1_000_000])
def test_attempts_that_are_no_number_are_none(client, value):
    add_job(client, "active", "JOBa", 5, state="active", attempts=value, stalled=value)
    found = look(client, fresh=[b"JOBa"])[b"JOBa"]
    assert (found.has_row, found.attempts, found.stalled) == (True, None, 0)


def test_without_a_row_or_with_one_that_is_no_hash_nothing_is_told(client):
    client.zadd(Q + "active", {"JOBa": 1, "JOBb": 2})
    client.set(Q + "job:JOBb", "x")
    known = {b"JOBa": (1, 0), b"JOBb": (1, 0)}
    nothing = dict.fromkeys(known, Sight(False))
    assert look(client, fresh=list(known)) == nothing
    assert look(client, known=known) == nothing
    assert look(client, gone=dict.fromkeys(known)) == nothing


def test_an_error_of_a_megabyte_is_not_read_but_its_size_tells_it_from_others(client):
    add_job(client, "dead", "JOBa", state="dead", attempts=1, last_error="x" * 1_000_000)
    add_job(client, "dead", "JOBb", state="dead", attempts=1, last_error="x" * LONGEST_ERROR)
    client.config_resetstat()
    found = look(client, gone={b"JOBa": None, b"JOBb": None})
    assert client.info()["total_net_output_bytes"] < 2 * LONGEST_ERROR
    assert (found[b"JOBa"].error, found[b"JOBa"].error_size) == (b"", 1_000_000)
    assert found[b"JOBa"].mark == mark_of(b"", 1_000_000)
    assert len(found[b"JOBb"].error) == LONGEST_ERROR


def test_the_errors_of_one_look_are_bounded_together_and_are_told_apart_all_the_same(
    client, monkeypatch
):
    monkeypatch.setattr(flights, "MOST_ERRORS", 9_000)
    ids = [f"JOB{at}".encode() for at in range(3)]
    for raw in ids:
        add_job(client, "dead", raw, state="dead", attempts=1, last_error="x" * 4_000)
    found = look(client, gone=dict.fromkeys(ids))
    assert [len(found[raw].error) for raw in ids] == [4_000, 4_000, 0]
    assert len({found[raw].mark for raw in ids}) == 1


def test_of_the_errors_of_new_leases_only_short_ones_are_read(client):
    add_job(client, "active", "JOBa", 5, state="active", attempts=2, last_error="x" * 1_024)
    add_job(client, "active", "JOBb", 5, state="active", attempts=2, last_error="x" * 1_025)
    found = look(client, fresh=[b"JOBa", b"JOBb"])
    assert (len(found[b"JOBa"].error), found[b"JOBb"].error) == (1_024, b"")
    again = look(client, known={b"JOBb": None})[b"JOBb"]
    assert (len(again.error), again.mark) == (1_025, found[b"JOBb"].mark)


def test_the_count_of_deaths_is_read_before_and_after_the_rows(client, server_port):
    add_job(client, "active", "JOBa", 5, state="active", attempts=1)
    assert active_sets(client, ["orders"], ["orders"]).sets["orders"].failed == 0
    client.hset(Q + "metrics:failed", "count", 7)
    with CountingClient(port=server_port) as counting:
        counting.before_trip = lambda trip: (
            trip == 3 and client.hset(Q + "metrics:failed", "count", 8)
        )
        found = sights(counting, {"orders": Wanted(gone={b"JOBa": None})}).of["orders"]
    assert (found.before, found.failed) == (7, 8)
    assert active_sets(client, ["orders"], ["orders"]).sets["orders"].failed == 8
    assert active_sets(client, ["orders"]).sets["orders"].failed is None


@pytest.mark.parametrize("value", ["x", "9" * 1_000_000])
def test_a_count_of_deaths_that_is_no_number_is_none(client, value):
    client.hset(Q + "metrics:failed", "count", value)
    client.config_resetstat()
    found = sights(client, {"orders": Wanted(gone={b"JOBa": None})}).of["orders"]
    assert (found.before, found.failed) == (None, None)
    assert client.info()["total_net_output_bytes"] < 10_000


def test_an_empty_error_is_an_error(client):
    add_job(client, "dead", "JOBa", state="dead", attempts=1, last_error="")
    add_job(client, "dead", "JOBb", state="dead", attempts=1)
    found = look(client, gone={b"JOBa": None, b"JOBb": None})
    assert found[b"JOBa"].mark is not None
    assert found[b"JOBb"].mark is None


def test_a_known_lease_with_its_counters_is_not_looked_at_any_further(client):
    add_job(client, "active", "JOBa", 5, state="active", attempts=3, stalled=1)
    assert look(client, known={b"JOBa": (3, 1)})[b"JOBa"].is_unchanged
    for other in ((2, 1), (3, 0), None):
        found = look(client, known={b"JOBa": other})[b"JOBa"]
        assert (found.is_unchanged, found.attempts, found.deadline_ms) == (False, 3, 5.0)


def test_where_a_job_stands_that_left_active_is_told(client):
    client.zadd(Q + "g:a:pending", {"JOBa": 0})
    client.zadd(Q + "schedule", {"JOBa": 77})
    client.zadd(Q + "dead", {"JOBa": 0})
    client.hset(Q + "job:JOBa", mapping={"state": "scheduled", "attempts": 1, "group": "a"})
    found = look(client, gone={b"JOBa": "a"})[b"JOBa"]
    assert (found.waits, found.is_dead, found.run_at_ms, found.deadline_ms) == (
        True,
        True,
        77,
        None,
    )
    client.delete(Q + "g:a:pending", Q + "dead")
    client.set(Q + "pending", "no set")
    found = look(client, gone={b"JOBa": "a"})[b"JOBa"]
    assert (found.waits, found.is_dead) == (False, False)


def test_the_deadline_is_newer_than_the_row(client, server_port):
    add_job(client, "active", "JOBa", 5, state="active", attempts=1)

    def extend(trip):
        if trip == 2:
            client.zadd(Q + "active", {"JOBa": 6})

    with CountingClient(port=server_port) as counting:
        counting.before_trip = extend
        assert look(counting, fresh=[b"JOBa"])[b"JOBa"].deadline_ms == 6


def test_thousands_of_leases_are_four_round_trips(client, server_port):
    ids = [f"JOB{at:05}".encode() for at in range(900)]
    for raw in ids:
        add_job(client, "active", raw, 5, state="active", attempts=1)
    with CountingClient(port=server_port) as counting:
        active_sets(counting, ["orders"])
        wanted = {
            "fresh": ids[:300], "known": dict.fromkeys(ids[300:600]),
            "gone": dict.fromkeys(ids[600:]),
        }  # fmt: skip
        found = look(counting, **wanted)
    assert (len(found), counting.trips) == (900, 4)


def test_the_audit_names_the_jobs_that_an_operator_moved(client):
    emq = EchoMQ(client)
    emq.enqueue("orders", "JOB0KHTOWnGLuA", "{}")
    emq.bury("orders", ["JOB0KHTOWnGLuA"], "poison", actor="olena")
    emq.requeue("orders", ["JOB0KHTOWnGLuA"], actor="olena")
    seconds, _ = client.time()
    now = seconds * 1000
    named = {key: ["JOB0KHTOWnGLuA", "JOBother"] for key in ("orders", "late")}
    found = touches(client, {"orders": now - 9_000, "late": 0}, named)
    assert found["orders"].verbs("JOB0KHTOWnGLuA", now - 9_000) == {"bury", "requeue"}
    assert found["orders"].verbs("JOB0KHTOWnGLuA", now + 9_000) == set()
    assert found["orders"].verbs("JOBother", 0) == found["late"].verbs("JOBother", 0) == set()
    later = touches(client, {"orders": now + 9_000}, named)
    assert later["orders"].verbs("JOB0KHTOWnGLuA", 0) == set()


def test_an_audit_that_cannot_be_read_may_name_any_job(client):
    client.set("emqadmin:{broken}:audit", "x")
    client.xadd("emqadmin:{odd}:audit", {"op": "bury"})
    queues = ("broken", "odd")
    found = touches(client, dict.fromkeys(queues, 0), {key: ["JOBa"] for key in queues})
    assert {UNTOLD} == found["broken"].verbs("JOBa", 0) == found["odd"].verbs("JOBa", 0)


def test_an_audit_is_read_page_by_page_and_not_without_end(client, monkeypatch):
    emq = EchoMQ(client)
    emq.enqueue("orders", "JOB0KHTOWnGLuA", "{}")
    emq.bury("orders", ["JOB0KHTOWnGLuA"], "poison", actor="olena")
    for at in range(25):
        emq.pause_lane("orders", f"lane {at}", actor="olena")
    read = partial(touches, client, {"orders": 0}, {"orders": ["JOB0KHTOWnGLuA"]})
    assert read()["orders"].verbs("JOB0KHTOWnGLuA", 0) == {"bury"}
    monkeypatch.setattr(reading, "_MOST_PAGES", 2)
    assert read()["orders"].verbs("JOB0KHTOWnGLuA", 0) == {UNTOLD}


def test_the_newest_of_the_dead_are_read_where_they_are_asked_for(client, monkeypatch):
    monkeypatch.setattr(flights, "NEWEST", 2)
    client.hset("emq:{orders}:metrics:failed", "count", 3)
    client.zadd("emq:{orders}:dead", {"JOBb": 0, "JOBa": 0, "JOBc": 0})
    client.set("emq:{odd}:dead", "x")
    wanted = {"orders": Wanted(with_dead=True), "odd": Wanted(with_dead=True), "idle": Wanted()}
    rows = sights(client, wanted).of
    assert (rows["orders"].dead, rows["orders"].failed) == ([(b"JOBb", 0.0), (b"JOBc", 0.0)], 3)
    assert rows["odd"].dead is None
    assert rows["idle"].dead is None


def test_who_is_dead_is_read_beside_the_row_of_a_lease_that_has_ended(client):
    add_job(client, "pending", "JOBa", attempts=1)
    client.zadd("emq:{orders}:dead", {"JOBb": 0})
    assert sights(client, {"orders": Wanted(gone={b"JOBa": None})}).of["orders"].dead == [
        (b"JOBb", 0.0)
    ]
    assert sights(client, {"orders": Wanted(gone={b"JOBgone": None})}).of["orders"].dead is None
