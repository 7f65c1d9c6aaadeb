"""Pages that open at an instant, and pages read the other way round."""

from __future__ import annotations

import pytest

from echomq_admin.emq import ids
from echomq_admin.emq.reads import At, active_page, dead_page, pending_page, scheduled_page
from tests.emq.reading import CountingClient, Q

T = ids.EPOCH_MS + 60_000_000_000
SCORED = {"schedule": scheduled_page, "active": active_page}


def minted(client, name="pending", count=60, namespace="JOB"):
    """One id a second from T on."""
    names = [ids.mint(namespace, T + 1_000 * at) for at in range(count)]
    client.zadd(Q + name, dict.fromkeys(names, 0))
    return names


def scored(client, name, count=60):
    """One id a second from T on, as its score says."""
    names = [f"x{at:03}" for at in range(count)]
    client.zadd(Q + name, {job: T + 1_000 * at for at, job in enumerate(names)})
    return names


def shown(page):
    return [job.job_id for job in getattr(page, "jobs", None) or [x.job for x in page.leases]]


@pytest.mark.parametrize("off_ms", [0, -1, -999])
def test_the_oldest_first_page_opens_at_the_first_id_of_the_instant_or_behind_it(client, off_ms):
    names = minted(client)
    page = pending_page(client, "orders", 10, at=At(T + 20_000 + off_ms))
    assert shown(page) == names[20:30]
    assert page.at == At(T + 20_000 + off_ms)


@pytest.mark.parametrize("off_ms", [0, 1, 999])
def test_the_newest_first_page_opens_at_the_last_id_of_the_instant_or_before_it(client, off_ms):
    names = minted(client, "dead")
    page = dead_page(client, "orders", 10, at=At(T + 20_000 + off_ms))
    assert shown(page) == names[11:21][::-1]


def test_every_id_of_the_very_instant_is_on_the_page_in_both_directions(client):
    names = [ids.mint("JOB", T, node, n) for node in (0, 1023) for n in (0, 4095)]
    client.zadd(Q + "dead", dict.fromkeys([*names, ids.mint("JOB", T - 1, 1023, 4095)], 0))
    client.zadd(Q + "dead", {ids.mint("JOB", T + 1): 0})
    assert shown(dead_page(client, "orders", 4, at=At(T))) == names[::-1]
    assert shown(dead_page(client, "orders", 4, descending=False, at=At(T))) == names


@pytest.mark.parametrize("at_ms", [-(10**15), 0, ids.EPOCH_MS, T - 1])
def test_before_the_first_row_the_nearest_rows_open(client, at_ms):
    names = minted(client, "dead")
    assert shown(dead_page(client, "orders", 10, at=At(at_ms))) == names[9::-1]
    up = dead_page(client, "orders", 10, descending=False, at=At(at_ms))
    assert shown(up) == names[:10]
    assert up.previous is None


@pytest.mark.parametrize("at_ms", [T + 10**9, 10**15])
def test_behind_the_last_row_the_nearest_rows_open(client, at_ms):
    names = minted(client)
    page = pending_page(client, "orders", 10, at=At(at_ms))
    assert shown(page) == names[-10:]
    assert page.next is None
    down = pending_page(client, "orders", 10, descending=True, at=At(at_ms))
    assert shown(down) == names[:-11:-1]


def test_from_the_instant_on_cursors_lead_through_the_list(client):
    names = minted(client)
    page = pending_page(client, "orders", 10, at=At(T + 20_000))
    assert shown(pending_page(client, "orders", 10, page.next)) == names[30:40]
    assert shown(pending_page(client, "orders", 10, page.previous)) == names[10:20]
    # A cursor goes before the instant that stays beside it in an address.
    assert shown(pending_page(client, "orders", 10, page.next, at=At(T))) == names[30:40]


def test_the_instant_is_that_of_the_namespace_asked_for(client):
    jobs, commands = minted(client), minted(client, namespace="CMD")
    page = pending_page(client, "orders", 10, at=At(T + 20_000))
    assert (shown(page), page.at) == (jobs[20:30], At(T + 20_000, "JOB"))
    page = pending_page(client, "orders", 10, at=At(T + 20_000, "CMD"))
    assert (shown(page), page.at) == (commands[20:30], At(T + 20_000, "CMD"))
    assert page.namespaces == ("CMD", "JOB")


def test_without_ids_of_the_namespace_it_is_that_of_the_first_that_has_one(client):
    commands = minted(client, namespace="CMD")
    client.zadd(Q + "pending", {"-1": 0, "user/234": 0})
    page = pending_page(client, "orders", 10, at=At(T + 20_000))
    assert page.at is None
    client.zrem(Q + "pending", "-1")
    page = pending_page(client, "orders", 10, at=At(T + 20_000))
    assert (shown(page), page.at) == (commands[20:30], At(T + 20_000, "CMD"))


def test_where_no_id_tells_the_time_the_first_page_opens(client):
    client.zadd(Q + "pending", {"b": 0, "a": 0})
    page = pending_page(client, "orders", 10, at=At(T))
    assert (shown(page), page.at) == (["a", "b"], None)


def test_scores_that_differ_open_the_first_page_instead(client):
    names = minted(client)
    client.zadd(Q + "pending", {names[0]: 5})
    page = pending_page(client, "orders", 10, at=At(T + 20_000))
    assert (shown(page)[0], page.at, page.ordered_by) == (names[1], None, "score")


@pytest.mark.parametrize("name", SCORED)
def test_a_set_of_times_opens_at_a_score(client, name):
    names, read = scored(client, name), SCORED[name]
    assert shown(read(client, "orders", 10, at=At(T + 20_000))) == names[20:30]
    assert shown(read(client, "orders", 10, at=At(T + 19_001))) == names[20:30]
    down = read(client, "orders", 10, descending=True, at=At(T + 20_000))
    assert shown(down) == names[11:21][::-1]
    assert shown(read(client, "orders", 10, down.next, descending=True)) == names[1:11][::-1]
    assert shown(read(client, "orders", 10, at=At(T + 10**9))) == names[-10:]
    assert shown(read(client, "orders", 10, at=At(-5))) == names[:10]


@pytest.mark.parametrize("name", SCORED)
def test_scores_that_are_no_times_stand_where_they_belong(client, name):
    odd = {"low": float("-inf"), "minus": -1.0, "far": 1e308, "late": 253402300800000, "end": "inf"}
    names = scored(client, name, 3)
    client.zadd(Q + name, odd)
    expected = ["low", "minus", *names, "late", "far", "end"]
    assert shown(SCORED[name](client, "orders")) == expected
    assert shown(SCORED[name](client, "orders", descending=True)) == expected[::-1]
    assert shown(SCORED[name](client, "orders", 3, at=At(T))) == names


@pytest.mark.parametrize("name", SCORED)
def test_many_jobs_of_one_instant_are_walked_whole_from_it(client, name):
    names = [f"x{at:04}" for at in range(700)]
    client.zadd(Q + name, dict.fromkeys(names, T))
    page = SCORED[name](client, "orders", 100, at=At(T))
    found = shown(page)
    while page.next:
        page = SCORED[name](client, "orders", 100, page.next)
        found += shown(page)
    assert found == names


@pytest.mark.parametrize("read", [pending_page, dead_page, scheduled_page, active_page])
def test_both_directions_hold_the_same_rows(client, read):
    key = {"pending_page": "pending", "dead_page": "dead", "active_page": "active"}
    names = minted(client, key.get(read.__name__, "schedule"), 30)
    for descending, expected in ((False, names), (True, names[::-1])):
        first = read(client, "orders", 20, descending=descending)
        second = read(client, "orders", 20, first.next, descending=descending)
        assert shown(first) + shown(second) == expected
        again = read(client, "orders", 20, second.previous, descending=descending)
        assert shown(again) == shown(first)


@pytest.mark.parametrize("read", [pending_page, dead_page, scheduled_page, active_page])
@pytest.mark.parametrize("descending", [False, True])
def test_a_jump_costs_the_same_at_any_size(server_port, client, read, descending):
    costs = set()
    for size in (600, 20_000):
        client.flushall()
        names = [ids.mint("JOB", T + at) for at in range(size)]
        for key in ("pending", "dead"):
            client.zadd(Q + key, dict.fromkeys(names, 0))
        for key in ("active", "schedule"):
            client.zadd(Q + key, {name: T + at for at, name in enumerate(names)})
        for name in names[250:350]:
            client.hset(f"{Q}job:{name}", mapping={"state": "x", "payload": "{}"})
        with CountingClient(port=server_port) as counting:
            page = read(counting, "orders", 25, descending=descending, at=At(T + 300))
            assert names[300] == shown(page)[0]
            costs.add((counting.trips, counting.commands))
    ((trips, _),) = costs
    assert trips == 3


def test_the_depths_of_lanes_come_along_in_the_same_round_trips(client, server_port):
    minted(client, "g:a:pending", 3)
    client.set(Q + "g:b:pending", "x")
    with CountingClient(port=server_port) as counting:
        page = pending_page(counting, "orders", lanes=("a", "b", "c"))
    assert [lane.depth for lane in page.lanes] == [3, None, 0]
    assert counting.trips <= 3
