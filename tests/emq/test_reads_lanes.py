"""How each lane stands, judged as the scripts judge, whatever its keys hold."""

from __future__ import annotations

import pytest

from echomq_admin.emq.keyspace import Keyspace
from echomq_admin.emq.lanes import TOO_LONG, Lanes, LaneState
from echomq_admin.emq.replies import Batch
from tests.emq.orders import A, B, G, Orders

KEYS = Keyspace("orders")


def state(client, group: str = G, **options) -> LaneState:
    batch = Batch(client)
    lanes = Lanes(KEYS, [group], batch, **options)
    batch.run()
    (found,) = lanes.states()
    return found


def test_a_served_lane_tells_its_numbers(client, orders: Orders):
    orders.put("lane", A, B, group=G)
    orders.serve(G)
    client.hset(KEYS.gactive, G, 2)
    client.hset(KEYS.glimit, G, 5)
    client.hset(KEYS.gweight, G, 3)
    assert state(client) == LaneState(G, 2, 2, 5, 3, False, "on ring")


def test_a_lane_with_jobs_that_the_ring_misses_is_off_the_ring(client, orders: Orders):
    orders.put("lane", A, group=G)
    assert state(client) == LaneState(G, 1, 0, None, None, False, "off ring")


def test_the_reasons_to_wait_outside_of_the_ring(client, orders: Orders):
    assert state(client).rota == "empty"
    orders.put("lane", A, group=G)
    client.hset(KEYS.glimit, G, 1)
    client.hset(KEYS.gactive, G, 1)
    assert state(client).rota == "at limit"
    client.sadd(KEYS.paused, G)
    assert state(client).rota == "paused"


def test_a_lane_on_the_ring_without_need_and_one_that_is_there_twice(client, orders: Orders):
    orders.serve(G)
    assert state(client).rota == "needless"
    orders.put("lane", A, group=G)
    assert state(client).rota == "on ring"
    orders.serve(G, G)
    assert state(client).rota == "twice"


@pytest.mark.parametrize("verb", ["resume_lane", "pause then resume"])
def test_resuming_a_lane_puts_it_where_it_belongs(client, orders: Orders, emq, verb):
    orders.put("lane", A, group=G)
    orders.serve("other", "other")
    if verb == "pause then resume":
        emq.pause_lane("orders", G)
    emq.resume_lane("orders", G)
    emq.resume_lane("orders", "other")
    assert state(client).rota == "on ring"
    assert state(client, "other").rota == "empty"


@pytest.mark.parametrize(
    ("key", "cell"),
    [("gactive", "in_flight"), ("glimit", "limit"), ("gweight", "weight"), ("paused", "paused")],
)
def test_a_key_of_the_wrong_type_breaks_only_what_it_tells(client, orders: Orders, key, cell):
    orders.put("lane", A, group=G)
    orders.serve(G)
    client.set(orders.key(key), "x")
    found = state(client)
    assert getattr(found, cell) is None
    assert found.depth == 1
    assert found.fault == f"{key}: the key holds another type"
    assert found.rota == ("on ring" if key == "gweight" else "?")


def test_a_lane_of_the_wrong_type_leaves_its_neighbours_alone(client, orders: Orders):
    client.set(KEYS.lane("bad"), "x")
    orders.put("lane", A, group=G)
    batch = Batch(client)
    lanes = Lanes(KEYS, ["bad", G], batch)
    batch.run()
    bad, good = lanes.states()
    assert (bad.depth, bad.rota, bad.in_flight) == (None, "?", 0)
    assert bad.fault == "the lane: the key holds another type"
    assert (good.depth, good.rota, good.fault) == (1, "off ring", None)


def test_counters_that_are_no_integers_are_taken_as_the_scripts_take_them(client, orders, emq):
    orders.put("lane", A, group=G)
    client.hset(KEYS.gactive, G, "x")
    client.hset(KEYS.glimit, G, "many")
    client.hset(KEYS.gweight, G, "1e3")
    found = state(client)
    assert (found.in_flight, found.limit, found.weight) == (None, None, None)
    assert found.rota == "off ring"
    assert "gactive holds no integer here: taken as none in flight" in found.fault
    assert "glimit holds no integer here: taken as no limit" in found.fault
    emq.resume_lane("orders", G)
    assert state(client).rota == "on ring"


def test_a_limit_of_zero_holds_a_lane_back_as_it_does_in_the_scripts(client, orders, emq):
    orders.put("lane", A, group=G)
    client.hset(KEYS.glimit, G, 0)
    assert state(client).rota == "at limit"
    emq.resume_lane("orders", G)
    assert not client.exists(KEYS.ring)


def test_what_lies_behind_the_look_at_a_long_ring_is_not_guessed(client, orders: Orders):
    orders.put("lane", A, group=G)
    orders.serve("a", "b", G)
    assert state(client, ring_look=2).rota == "?"
    assert state(client, ring_look=4).rota == "on ring"


def test_values_that_are_too_long_are_not_read(client, orders: Orders):
    orders.put("lane", A, group=G)
    client.hset(KEYS.gactive, G, 1)
    found = state(client, too_long=("gactive",))
    assert found.in_flight is None
    assert found.fault == f"gactive: {TOO_LONG}"


def test_no_lane_at_all_is_no_state(client):
    batch = Batch(client)
    lanes = Lanes(KEYS, [], batch)
    batch.run()
    assert lanes.states() == ()
