"""Finding an id among the queues of a server."""

from __future__ import annotations

import pytest
import redis

from echomq_admin.emq import find as search
from echomq_admin.emq.find import Found, Wanted, find
from tests.console.scene import A, B, C, G, Scene, dump
from tests.emq.reading import CountingClient


def look(client: redis.Redis, *wanted: Wanted, queue: str = "orders", **lanes: tuple) -> Found:
    return find(client, lanes or {"orders": ()}, wanted, queue)


def whole(client: redis.Redis, job_id: str, **lanes: tuple) -> dict[str, tuple]:
    found = look(client, Wanted(job_id), **lanes)
    return {hit.queue: hit.places for hit in found.exact}


def beginnings(client: redis.Redis, text: str, **lanes: tuple) -> dict[str, tuple]:
    found = look(client, Wanted(text, starts=True), **lanes)
    return {hit.job_id: hit.places for hit in found.starting}


def test_a_job_is_found_in_every_queue_with_the_sets_that_hold_it(client):
    Scene(client, "a").pending(A)
    Scene(client, "b").dead(A)
    Scene(client, "b").active(A, 1_000)
    Scene(client, "c").pending(B)
    assert whole(client, A, a=(), b=(), c=()) == {
        "a": (("pending", None),),
        "b": (("active", None), ("dead", None)),
    }


def test_an_id_without_a_row_is_found_where_a_set_holds_it(client):
    client.zadd("emq:{orders}:schedule", {A: 1})
    assert whole(client, A) == {"orders": (("schedule", None),)}


@pytest.mark.parametrize(
    "wanted", [Wanted("orphan"), Wanted("orphan", "orders"), Wanted("orphan", starts=True)]
)
def test_an_id_without_a_row_is_found_in_the_lane_that_holds_it(client, wanted):
    client.zadd("emq:{orders}:g:7:pending", {"orphan": 0, "orphan2": 0})
    found = look(client, wanted, orders=("3", "7"))
    assert [(hit.job_id, hit.places) for hit in found.exact] == [("orphan", (("lane", "7"),))]


def test_a_row_that_no_set_holds_is_found(client):
    Scene(client, "orders").row(A, state="awaiting_children")
    assert whole(client, A) == {"orders": ()}


def test_a_job_of_a_lane_is_found_with_its_lane(client):
    Scene(client, "orders").pending(A, group=G)
    assert whole(client, A, orders=("other", G)) == {"orders": (("lane", G),)}


def test_logs_and_locks_are_no_jobs(client):
    Scene(client, "orders").row(A)
    client.rpush(f"emq:{{orders}}:job:{A}:logs", "x")
    client.set(f"emq:{{orders}}:job:{A}:lock", "x")
    assert whole(client, f"{A}:logs") == {}
    assert whole(client, f"{A}:lock") == {}


def test_a_wanted_queue_is_the_only_one_looked_at(client):
    for queue in ("a", "b", "new"):
        Scene(client, queue).pending(A)
    found = look(client, Wanted(A, "new"), a=(), b=())
    assert [hit.queue for hit in found.exact] == ["new"]
    assert (found.queues, found.queues_left) == (0, 0)


def test_a_queue_that_is_asked_about_is_known_by_any_of_its_keys(client):
    assert not look(client, queue="new").has_queue
    client.hset("emq:{new}:meta", "paused", "1")
    assert look(client, queue="new").has_queue


def test_ids_that_begin_alike_are_found_in_every_kind_of_set(client):
    scene = Scene(client, "orders")
    scene.pending(A)
    scene.dead(B)
    scene.pending(C, group=G)
    scene.active("JOB0KHTOWnGLuD", 1_000)
    client.zadd(scene.key("schedule"), {"JOB0KHTOWnGLuE": 5, "JOB1": 4})
    assert beginnings(client, "JOB0KHT", orders=(G,)) == {
        A: (("pending", None),),
        B: (("dead", None),),
        C: (("lane", G),),
        "JOB0KHTOWnGLuD": (("active", None),),
        "JOB0KHTOWnGLuE": (("schedule", None),),
    }


def test_the_id_itself_is_no_beginning(client):
    Scene(client, "orders").pending("JOBX")
    Scene(client, "orders").pending("JOBXY")
    assert list(beginnings(client, "JOBX")) == ["JOBXY"]


def test_a_set_tells_a_few_ids_and_that_there_are_more(client):
    ids = {f"JOB{n:03}": 0 for n in range(search.FEW + 1)}
    client.zadd("emq:{orders}:dead", ids)
    found = look(client, Wanted("JOB", starts=True))
    assert [hit.job_id for hit in found.starting] == list(ids)[: search.FEW]
    assert found.more
    client.zrem("emq:{orders}:dead", "JOB000")
    assert not look(client, Wanted("JOB", starts=True)).more


def test_large_sets_in_the_order_of_scores_are_counted_and_left(client, monkeypatch):
    monkeypatch.setattr(search, "SMALL", 2)
    client.zadd("emq:{orders}:active", {"JOBA": 3, "JOBB": 2, "JOBC": 1})
    client.zadd("emq:{orders}:schedule", {"JOBD": 2, "JOBE": 1})
    found = look(client, Wanted("JOB", starts=True))
    assert [hit.job_id for hit in found.starting] == ["JOBE", "JOBD"]
    assert found.large == 1


def test_sets_of_long_ids_are_counted_and_left_though_they_are_few(client, monkeypatch):
    monkeypatch.setattr(search, "MOST_BYTES", 100_000)
    client.zadd("emq:{a}:active", {f"JOB{n}" + "x" * 20_000: n for n in range(4)})
    client.zadd("emq:{a}:schedule", {f"JOB{n}" + "x" * 20_000: n for n in range(9)})
    client.zadd("emq:{b}:active", {f"JOB{n}" + "x" * 20_000: n for n in range(4)})
    found = look(client, Wanted("JOB", starts=True), a=(), b=())
    assert (len(found.starting), found.large) == (4, 2)


def test_ids_that_begin_alike_are_fetched_up_to_a_measure_over_all_sets(client, monkeypatch):
    monkeypatch.setattr(search, "MOST_TOLD", 7)
    client.zadd("emq:{orders}:dead", {f"JOBD{n}": 0 for n in range(4)})
    for lane in "123":
        client.zadd(f"emq:{{orders}}:g:{lane}:pending", {f"JOB{lane}{n}": 0 for n in range(2)})
    found = look(client, Wanted("JOB", starts=True), orders=("1", "2", "3"))
    assert (len(found.starting), found.more) == (7, True)


def test_lanes_are_asked_about_long_ids_up_to_a_measure_of_bytes(client, monkeypatch):
    monkeypatch.setattr(search, "MOST_BYTES", 1_000)
    found = look(client, Wanted("x" * 100), orders=("1", "2", "3", "4"))
    assert found.lanes_left == 1


@pytest.mark.parametrize(
    "text",
    ["[abc", "(abc", "+abc", "-inf", "abc*", "abc?[x]", "\udcff\udcff\udcff\udcff", "aé\udcff"],
)
def test_a_beginning_is_taken_by_its_bytes(client, text):
    Scene(client, "orders").pending(f"{text}1")
    Scene(client, "orders").dead(f"{text}\udcff")
    Scene(client, "orders").pending("zzz")
    Scene(client, "orders").pending("abc")
    found = beginnings(client, text)
    assert list(found) == [f"{text}1", f"{text}\udcff"]


def test_work_is_bounded_and_says_how_far_it_went(client, monkeypatch):
    monkeypatch.setattr(search, "MOST_QUEUES", 2)
    monkeypatch.setattr(search, "MOST_LANES", 3)
    lanes = {"a": ("1", "2"), "b": ("1", "2"), "c": ("1",)}
    Scene(client, "c").pending(A)
    found = look(client, Wanted(A, starts=True), **lanes)
    assert found.exact == ()
    assert (found.queues, found.queues_left, found.lanes_left) == (2, 1, 1)


def test_long_ids_are_looked_for_in_fewer_queues(client, monkeypatch):
    monkeypatch.setattr(search, "MOST_BYTES", 1_000)
    found = look(client, Wanted("x" * 100), a=(), b=(), c=())
    assert (found.queues, found.queues_left) == (2, 1)


def test_a_key_of_another_type_breaks_only_its_own_part(client):
    Scene(client, "orders").dead(A)
    client.set("emq:{orders}:pending", "x")
    found = look(client, Wanted(A, starts=True))
    assert [hit.places for hit in found.exact] == [(("dead", None),)]
    assert found.faults == ("pending: the key holds another type",)


def test_a_search_takes_two_round_trips_and_writes_nothing(client, server_port):
    scene = Scene(client, "orders")
    scene.pending(A, group=G)
    scene.active(B, 1_000)
    before = dump(client)
    client.config_resetstat()
    with CountingClient(port=server_port) as counted:
        find(counted, {"orders": (G,)}, [Wanted(A), Wanted("JOB0", starts=True)], "orders")
        assert counted.trips == 2
    used = {name.removeprefix("cmdstat_") for name in client.info("commandstats")}
    reads = {"exists", "type", "zscore", "zcard", "zrange", "zrangebylex"}
    reads |= {"zlexcount", "memory|usage"}
    assert {name for name in used if not name.startswith(("c", "info", "hello"))} <= reads
    assert dump(client) == before
