"""Pages of lanes: all that any key names, cut by name, ordered by numbers, bounded."""

from __future__ import annotations

import pytest

from echomq_admin.emq import lane_names, lane_windows
from echomq_admin.emq.cursors import Cursor
from echomq_admin.emq.ids import minted_ms
from echomq_admin.emq.keyspace import Keyspace, to_wire
from echomq_admin.emq.lane_pages import lane_page
from echomq_admin.emq.lane_windows import LaneLook
from echomq_admin.emq.lanes import TOO_LONG
from echomq_admin.emq.reads import counts
from tests.emq.orders import A, B, C, G, Orders
from tests.emq.reading import CountingClient

KEYS = Keyspace("orders")


def groups(page) -> list[str]:
    return [lane.state.group for lane in page.lanes]


def flat(pages) -> list[str]:
    return [group for page in pages for group in page]


def walk(client, known=(), **look) -> list[list[str]]:
    """The groups of every page, forwards; the same is read backwards and held against it."""
    pages = [lane_page(client, "orders", known, LaneLook(**look))]
    while pages[-1].next:
        pages.append(lane_page(client, "orders", known, LaneLook(cursor=pages[-1].next, **look)))
    at, back = pages[-1], [groups(pages[-1])]
    while at.previous:
        at = lane_page(client, "orders", known, LaneLook(cursor=at.previous, **look))
        back.insert(0, groups(at))
    assert flat(back) == flat(map(groups, pages))
    return [groups(page) for page in pages]


def many(client, count: int, depth: int = 1) -> list[str]:
    names = [f"lane{n:04}" for n in range(count)]
    pipe = client.pipeline()
    for name in names:
        pipe.zadd(KEYS.lane(name), {f"JOB{n}": 0 for n in range(depth)})
    pipe.rpush(KEYS.ring, *names)
    pipe.execute()
    return names


def test_a_lane_is_found_by_whatever_names_it(client, orders: Orders):
    orders.serve("on-ring")
    client.sadd(KEYS.paused, "paused")
    client.hset(KEYS.glimit, "limited", 1)
    client.hset(KEYS.gactive, "busy", 1)
    client.hset(KEYS.gweight, "weighed", 1)
    page = lane_page(client, "orders", ["known"])
    assert groups(page) == ["busy", "known", "limited", "on-ring", "paused", "weighed"]
    assert (page.total, page.matching, page.is_sortable, page.unread) == (6, 6, True, ())


def test_the_oldest_job_of_a_lane_tells_when_it_was_minted(client, orders: Orders):
    orders.put("lane", B, A, group=G)
    orders.put("lane", "user/234", group="odd")
    by_group = {x.state.group: x for x in lane_page(client, "orders", [G, "odd", "empty"]).lanes}
    assert by_group[G].oldest_ms == minted_ms(A)
    assert by_group["odd"].oldest_ms is None
    assert by_group["empty"].oldest_ms is None


def test_groups_of_any_bytes_are_listed_in_byte_order(client, orders: Orders):
    odd = ["", "\udcff\udcfe", "a:b", "a}b", "x" * 3000, "ü"]
    for group in odd:
        orders.only_id("lane", A, group=group)
        orders.serve(group)
    page = lane_page(client, "orders")
    assert groups(page) == sorted(odd, key=to_wire)
    assert {lane.state.rota for lane in page.lanes} == {"on ring"}


def test_a_ring_with_duplicates_and_foreign_names_is_told_lane_by_lane(client, orders: Orders):
    orders.put("lane", A, group=G)
    orders.serve(G, "foreign", G)
    assert [(x.state.group, x.state.rota) for x in lane_page(client, "orders").lanes] == [
        (G, "twice"),
        ("foreign", "needless"),
    ]
    off = lane_page(client, "orders", look=LaneLook(only="off"))
    assert groups(off) == [G, "foreign"]


def test_lanes_are_chosen_by_name_and_by_how_they_stand(client, orders: Orders):
    orders.put("lane", A, group="Acme")
    orders.put("lane", B, group="held")
    orders.put("lane", C, group="full")
    client.sadd(KEYS.paused, "held")
    client.hset(KEYS.glimit, "full", 1)
    client.hset(KEYS.gactive, "full", 1)

    def found(**look) -> list[str]:
        return groups(lane_page(client, "orders", ["Acme"], LaneLook(**look)))

    assert found(text="acM") == ["Acme"]
    assert found(only="off") == ["Acme"]
    assert found(only="paused") == ["held"]
    assert found(only="limit") == ["full"]
    assert found(only="paused", text="acme") == []


def test_lanes_are_ordered_by_name_depth_or_jobs_in_flight(client, orders: Orders):
    client.zadd(KEYS.lane("a"), {"1": 0})
    client.zadd(KEYS.lane("b"), {str(n): 0 for n in range(3)})
    client.set(KEYS.lane("c"), "x")
    client.hset(KEYS.gactive, mapping={"a": 2, "b": 1, "c": 5})

    def order(**look) -> str:
        return "".join(groups(lane_page(client, "orders", "abc", LaneLook(**look))))

    assert order() == "abc"
    assert order(descending=True) == "cba"
    assert order(sort="depth") == "abc"
    assert order(sort="depth", descending=True) == "bac"
    assert order(sort="in_flight", descending=True) == "cab"


@pytest.mark.parametrize("sort", ["name", "depth", "in_flight"])
@pytest.mark.parametrize("descending", [True, False])
def test_pages_neither_skip_nor_repeat_a_lane(client, sort, descending):
    names = many(client, 57)
    pages = walk(client, sort=sort, descending=descending, limit=25)
    assert [len(page) for page in pages] == [25, 25, 7]
    assert sorted(flat(pages)) == names


def test_a_page_begins_behind_a_lane_that_has_left(client):
    names = many(client, 30)
    first = lane_page(client, "orders", look=LaneLook())
    client.lrem(KEYS.ring, 0, names[24])
    client.lrem(KEYS.ring, 0, names[3])
    second = lane_page(client, "orders", look=LaneLook(cursor=first.next))
    assert groups(second) == names[25:]


@pytest.mark.parametrize("cursor", ["", "abc", "%", "LTE"])
def test_an_unknown_cursor_opens_the_first_page(client, cursor):
    names = many(client, 30)
    assert groups(lane_page(client, "orders", look=LaneLook(cursor=cursor))) == names[:25]


def test_behind_the_last_lane_the_nearest_rows_are_shown(client):
    names = many(client, 30)
    for name in names[25:]:
        client.lrem(KEYS.ring, 0, name)
    again = lane_page(client, "orders", look=LaneLook(cursor=_behind(names[-1])))
    assert groups(again) == names[:25]


def _behind(group: str) -> str:
    return Cursor("id", False, 0.0, 0, to_wire(group)).encode()


def test_five_thousand_lanes_come_by_name_in_bounded_work(client, server_port):
    names = many(client, 5_000)
    with CountingClient(port=server_port) as counting:
        page = lane_page(counting, "orders", names, LaneLook(sort="depth", limit=100))
        assert counting.trips <= 3
        assert counting.commands < 250
    assert groups(page) == names[:100]
    assert (page.total, page.matching, page.is_sortable) == (5_000, 5_000, False)
    assert page.lanes[0].state.rota == "on ring"


def test_more_lanes_than_are_read_at_once_say_so(client):
    many(client, 5_001)
    page = lane_page(client, "orders", ["known"])
    assert page.total == 5_001
    assert page.unread == (
        "ring names 5,001 lanes, more than are read at once: "
        "those that the last discovery did not see may be missing here",
    )
    assert {lane.state.rota for lane in page.lanes} == {"on ring", "empty"}


def test_a_hash_of_too_many_lanes_is_left_to_discovery(client, monkeypatch):
    monkeypatch.setattr(lane_names, "MOST_NAMES", 10)
    client.hset(KEYS.gactive, mapping={f"l{n}": 1 for n in range(11)})
    page = lane_page(client, "orders", ["l3"])
    assert groups(page) == ["l3"]
    assert page.lanes[0].state.in_flight == 1
    assert (page.held, page.lost_slots) == (None, 0)
    assert "gactive names 11 lanes" in page.unread[0]


def test_among_too_many_lanes_a_choice_is_looked_for_in_steps(client, monkeypatch):
    monkeypatch.setattr(lane_windows, "MOST_SORTED", 100)
    names = many(client, 250)
    for number in (7, 120, 240):
        client.sadd(KEYS.paused, names[number])
    page = lane_page(client, "orders", look=LaneLook(only="paused"))
    assert (groups(page), page.matching, page.looked) == ([names[7]], None, (1, 100))
    second = lane_page(client, "orders", look=LaneLook(only="paused", cursor=page.next))
    assert (groups(second), second.looked) == ([names[120]], (101, 200))
    assert flat(walk(client, only="paused")) == [names[7], names[120], names[240]]


def test_the_way_back_through_a_choice_among_too_many_lanes_ends_at_the_first(client, monkeypatch):
    monkeypatch.setattr(lane_windows, "MOST_SORTED", 100)
    names = many(client, 150)
    client.sadd(KEYS.paused, *names)
    assert flat(walk(client, only="paused", limit=25)) == names


def test_many_lanes_are_paged_by_name_in_both_directions(client, monkeypatch):
    monkeypatch.setattr(lane_windows, "MOST_SORTED", 40)
    names = many(client, 130)
    assert flat(walk(client, limit=50)) == names


@pytest.mark.parametrize("key", ["ring", "paused", "glimit", "gactive", "gweight", "active"])
def test_a_key_of_the_wrong_type_leaves_the_rest_of_the_page(client, orders: Orders, key):
    orders.put("lane", A, group=G)
    client.set(orders.key(key), "x")
    page = lane_page(client, "orders", [G])
    assert page.lanes[0].state.depth == 1
    told = {"active": ()}.get(key, (f"{key}: the key holds another type",))
    assert page.unread == told
    assert (page.leases is None) == (key == "active")


def test_slots_that_no_job_holds_are_counted(client, orders: Orders):
    orders.put("active", A, group=G)
    client.hset(KEYS.gactive, mapping={G: 1, "stuck": 2, "odd": "x", "below": -4})
    page = lane_page(client, "orders")
    assert (page.held, page.leases, page.lost_slots) == (3, 1, 2)


def test_more_leases_than_slots_lose_nothing(client, orders: Orders):
    orders.put("active", A, B)
    client.hset(KEYS.gactive, G, 1)
    assert lane_page(client, "orders").lost_slots == 0


def test_huge_values_in_a_hash_of_counters_are_not_fetched(client, orders: Orders):
    orders.put("lane", A, group=G)
    client.hset(KEYS.gactive, G, "9" * 3_000_000)
    before = client.info("stats")["total_net_output_bytes"]
    page = lane_page(client, "orders", [G])
    assert client.info("stats")["total_net_output_bytes"] - before < 100_000
    assert page.lanes[0].state.in_flight is None
    assert "too long" in page.lanes[0].state.fault
    assert page.held is None
    assert page.unread == (f"gactive: {TOO_LONG}",)


@pytest.mark.parametrize("key", ["ring", "paused", "glimit"])
def test_names_of_megabytes_are_not_fetched_and_page_and_counts_judge_alike(client, orders, key):
    orders.put("lane", A, group=G)
    huge = "x" * 3_000_000
    if key == "ring":
        client.rpush(KEYS.ring, huge, huge)
    elif key == "paused":
        client.sadd(KEYS.paused, huge)
    else:
        client.hset(KEYS.glimit, G, "9" * 3_000_000)
    before = client.info("stats")["total_net_output_bytes"]
    page, (_, [queue]) = lane_page(client, "orders", [G]), counts(client, {"orders": [G]})
    assert client.info("stats")["total_net_output_bytes"] - before < 100_000
    assert page.unread == (f"{key}: {TOO_LONG}",)
    is_known = key == "paused"
    assert page.lanes[0].state.rota == ("off ring" if is_known else "?")
    assert queue.off_ring == (1 if is_known else None)


def test_the_work_does_not_grow_with_the_jobs(client, server_port):
    asked = []
    for depth in (1, 1_000):
        client.flushall()
        many(client, 30, depth)
        with CountingClient(port=server_port) as counting:
            lane_page(counting, "orders")
            asked.append((counting.trips, counting.commands))
    assert asked[0] == asked[1]
    assert asked[0][0] <= 3


def test_a_queue_without_lanes_has_an_empty_page(client):
    page = lane_page(client, "orders")
    assert (page.lanes, page.total, page.matching, page.held) == ((), 0, 0, 0)
    assert (page.previous, page.next) == (None, None)
