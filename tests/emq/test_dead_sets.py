"""Dead sets are looked through a little at a time, whatever lies in them."""

from __future__ import annotations

import pytest

from echomq_admin.emq import dead_sets as reads
from echomq_admin.emq.dead_sets import DeadRow, DeadSet, Stretch
from echomq_admin.emq.lean import LONGEST_ERROR
from tests.emq.orders import Orders
from tests.emq.reading import CountingClient


def walk(client, count, cursor=b""):
    """The ids of one pass over the dead jobs of `orders`, stretch by stretch."""
    parts = []
    while True:
        (found,) = reads.dead_ids(client, [Stretch("orders", cursor, count)])
        parts.append(list(found.ids))
        cursor = found.cursor
        if not cursor:
            return parts


def test_sizes_and_failures_of_all_queues_take_two_trips(orders, server_port):
    orders.put("dead", "a", "b")
    orders.client.hset(orders.key("metrics:failed"), "count", 7)
    with CountingClient(port=server_port) as client:
        now, found = reads.dead_sets(client, ["orders", "empty"])
        assert client.trips == 2
    assert found == [DeadSet("orders", 2, 7), DeadSet("empty", 0, 0)]
    assert now > 0


@pytest.mark.parametrize("count", ["many", "1" * 40, "007", ""])
def test_a_counter_that_is_no_number_is_not_known(orders, count):
    orders.client.hset(orders.key("metrics:failed"), "count", count)
    _, found = reads.dead_sets(orders.client, ["orders"])
    assert found == [DeadSet("orders", 0, None)]


def test_keys_of_another_type_are_not_known(orders):
    orders.client.set(orders.key("dead"), "x")
    orders.client.set(orders.key("metrics:failed"), "x")
    _, found = reads.dead_sets(orders.client, ["orders"])
    assert found == [DeadSet("orders", None, None)]
    assert walk(orders.client, 2) == [[]]


def test_a_set_is_gone_through_in_the_order_of_its_ids(orders):
    orders.only_id("dead", "d", "b", "a", "c", "\udcff")
    assert walk(orders.client, 2) == [["a", "b"], ["c", "d"], ["\udcff"]]


def test_what_is_taken_out_meanwhile_makes_no_id_be_skipped(orders):
    orders.only_id("dead", *"abcdef")
    (first,) = reads.dead_ids(orders.client, [Stretch("orders", b"", 3)])
    orders.client.zrem(orders.key("dead"), "a", "b", "c")
    assert walk(orders.client, 3, first.cursor) == [["d", "e", "f"], []]


def test_a_set_whose_scores_differ_is_gone_through_all_the_same(orders):
    for at, job in enumerate("cabed"):
        orders.only_id("dead", job, score=at)
    assert walk(orders.client, 2) == [["c", "a"], ["b", "e"], ["d"]]


def test_the_tail_are_the_last_ids(orders):
    orders.only_id("dead", *"abcdef")
    (found,) = reads.dead_ids(orders.client, [Stretch("orders", b"", 2, is_tail=True)])
    assert (found.ids, found.cursor) == (("e", "f"), b"")


def test_many_sets_are_read_in_the_same_trips(orders, server_port):
    other = Orders(orders.client, "other")
    orders.only_id("dead", "a")
    other.only_id("dead", "b")
    with CountingClient(port=server_port) as client:
        stretches = [Stretch(queue, b"", 5) for queue in ("orders", "other")]
        found = reads.dead_ids(client, stretches)
        assert client.trips == 1
    assert [part.ids for part in found] == [("a",), ("b",)]


def test_attempts_are_told_of_the_rows_that_have_them(orders):
    orders.put("dead", "a", attempts=3)
    orders.put("dead", "word", attempts="three")
    orders.put("dead", "long", attempts="9" * 50)
    orders.only_id("dead", "orphan")
    orders.client.set(orders.row_key("text"), "x")
    jobs = {"orders": ["a", "word", "long", "orphan", "text", "x" * 9_000]}
    assert reads.dead_attempts(orders.client, jobs) == {("orders", "a"): 3}


def rows(orders, *ids):
    return reads.dead_rows(orders.client, "orders", ids)[1]


def test_a_row_tells_of_the_death(orders):
    orders.put("dead", "a", attempts=3, stalled=2, group="vip", last_error=b"boom\xff")
    assert rows(orders, "a") == [DeadRow("a", 3, 2, "vip", b"boom\xff", 5)]


def test_what_a_row_does_not_say_is_absent(orders):
    orders.put("dead", "a")
    assert rows(orders, "a") == [DeadRow("a", 1, 0, None, None, None)]


def test_counters_and_lanes_of_any_bytes_are_read_as_far_as_they_can_be(orders):
    orders.put("dead", "a", stalled="x", group=b"\xff")
    orders.put("dead", "b", stalled="1" * 99, group="g" * 9_000)
    assert rows(orders, "a", "b") == [
        DeadRow("a", 1, None, "\udcff", None, None),
        DeadRow("b", 1, None, None, None, None),
    ]


@pytest.mark.parametrize("fields", [{"attempts": ""}, {"attempts": "x"}, {"state": "active"}])
def test_a_row_that_tells_no_death_is_left_out(orders, fields):
    orders.put("dead", "a", **fields)
    assert rows(orders, "a") == []


def test_a_job_that_is_not_dead_any_more_is_left_out(orders, server_port):
    orders.put("dead", "a", "b")
    with CountingClient(port=server_port) as client:
        client.before_trip = lambda trip: trip == 2 and orders.client.zrem(orders.key("dead"), "a")
        _, found = reads.dead_rows(client, "orders", ["a", "b"])
        assert client.trips == 2
    assert [row.job_id for row in found] == ["b"]


def test_a_long_error_is_only_measured(orders):
    orders.put("dead", "a", last_error="x" * (LONGEST_ERROR + 1))
    orders.put("dead", "b", last_error="x" * LONGEST_ERROR)
    first, second = rows(orders, "a", "b")
    assert (first.error, first.error_size) == (None, LONGEST_ERROR + 1)
    assert (len(second.error), second.error_size) == (LONGEST_ERROR, LONGEST_ERROR)


def test_the_errors_of_one_call_are_bounded_together(orders, monkeypatch):
    monkeypatch.setattr(reads, "MOST_ERRORS", 25)
    orders.put("dead", "a", "b", "c", last_error="x" * 10)
    assert [row.error and len(row.error) for row in rows(orders, "a", "b", "c")] == [10, 10, None]
