"""The active page: soonest deadline first, on the server's clock, with its timeline."""

from __future__ import annotations

import math
import random

import pytest

from echomq_admin.emq.reads import active_page, server_now_ms
from tests.emq.reading import CountingClient, Q, add_job


def shown(page):
    return [lease.job.job_id for lease in page.leases]


def walk(client, limit=25, cursor=""):
    found = []
    while cursor is not None:
        page = active_page(client, "orders", limit, cursor)
        found += shown(page)
        cursor = page.next
    return found


def tie(client, count, score):
    names = [f"JOB{at:05d}" for at in range(count)]
    client.zadd(Q + "active", dict.fromkeys(names, score))
    return names


def test_leases_stand_by_deadline_with_their_phase_on_the_servers_clock(client):
    now = server_now_ms(client)
    for name, left in {"c": 60_000, "a": -5_000, "b": 3_000}.items():
        add_job(client, "active", name, now + left, state="active", attempts=1)
    page = active_page(client, "orders")
    assert [(lease.job.job_id, lease.phase) for lease in page.leases] == [
        ("a", "lapsed"), ("b", "expiring"), ("c", "live"),
    ]  # fmt: skip
    assert (page.total, page.lapsed) == (3, 1)
    assert page.leases[0].deadline_ms == now - 5_000
    assert page.leases[0].remaining_ms == now - 5_000 - page.now_ms


def test_hostile_deadlines_are_shown_not_computed_away(client):
    for name, score in {"a": -1, "b": 253402300800000, "c": 1e308, "d": math.inf}.items():
        add_job(client, "active", name, score, state="active")
    add_job(client, "active", "e", -math.inf, state="active")
    page = active_page(client, "orders")
    assert shown(page) == ["e", "a", "b", "c", "d"]
    assert [lease.phase for lease in page.leases] == ["lapsed", "lapsed", "live", "live", "live"]
    assert page.leases[-1].remaining_ms == math.inf
    assert page.leases[0].remaining_ms == -math.inf
    assert (page.marks.lapsed, page.marks.later) == (2, 3)


def test_a_deadline_that_is_now_has_lapsed(client):
    now = server_now_ms(client)
    add_job(client, "active", "a", now)
    assert active_page(client, "orders").leases[0].phase == "lapsed"


def test_pages_of_different_deadlines_neither_skip_nor_repeat(client):
    dice = random.Random(7)
    members = {f"JOB{at:05d}": float(dice.randrange(40)) for at in range(700)}
    client.zadd(Q + "active", members)
    expected = sorted(members, key=lambda name: (members[name], name))
    assert walk(client) == expected


def test_thousands_of_equal_deadlines_neither_skip_nor_repeat(client):
    names = tie(client, 3000, 5.0)
    client.zadd(Q + "active", {"early": 1, "late": 9})
    assert walk(client, 100) == ["early", *names, "late"]


def test_previous_leads_back_through_a_tie(client):
    names = tie(client, 1000, 5.0)
    cursor, ahead = "", []
    for _ in range(6):
        page = active_page(client, "orders", 25, cursor)
        ahead.append(shown(page))
        cursor = page.next
    for expected in ahead[-2::-1]:
        page = active_page(client, "orders", 25, page.previous)
        assert shown(page) == expected
    assert shown(page) == names[:25]
    assert page.previous is None


@pytest.mark.parametrize("gone", [1, 24, 100, 1000])
def test_a_tie_that_loses_its_front_neither_skips_nor_repeats(client, gone):
    names = tie(client, 4000, 5.0)
    page = active_page(client, "orders", 100)
    for _ in range(14):
        page = active_page(client, "orders", 100, page.next)
    seen = names.index(shown(page)[-1]) + 1
    client.zrem(Q + "active", *names[:gone])
    assert walk(client, 100, page.next) == names[seen:]


def test_an_edge_that_left_its_tie_still_opens_the_page_behind_it(client):
    names = tie(client, 2000, 5.0)
    page = active_page(client, "orders", 100)
    for _ in range(4):
        page = active_page(client, "orders", 100, page.next)
    client.zrem(Q + "active", *names[400:500])
    assert shown(active_page(client, "orders", 100, page.next)) == names[500:600]


def test_an_edge_lost_far_from_where_it_was_opens_near_rows(client):
    names = tie(client, 4000, 5.0)
    page = active_page(client, "orders", 100)
    for _ in range(19):
        page = active_page(client, "orders", 100, page.next)
    client.zrem(Q + "active", *names[:1000], shown(page)[-1])
    found = active_page(client, "orders", 100, page.next)
    assert len(found.leases) == 100
    assert found.total == 2999


def test_a_lease_renewed_meanwhile_moves_no_other_out_of_sight(client):
    members = {f"JOB{at:05d}": 1000.0 + at for at in range(100)}
    client.zadd(Q + "active", members)
    page = active_page(client, "orders", 25)
    client.zadd(Q + "active", {shown(page)[-1]: 9999})
    assert shown(active_page(client, "orders", 25, page.next)) == sorted(members)[25:50]


def test_a_cursor_behind_the_end_opens_the_last_rows(client):
    members = {f"JOB{at:05d}": 1000.0 + at for at in range(30)}
    client.zadd(Q + "active", members)
    cursor = active_page(client, "orders", 25).next
    client.zrem(Q + "active", *sorted(members)[25:])
    page = active_page(client, "orders", 25, cursor)
    assert (shown(page), page.next) == (sorted(members)[:25], None)


@pytest.mark.parametrize("size", [10, 301, 20_000])
@pytest.mark.parametrize("gone", [0, 5, 1500])
def test_a_page_costs_at_most_three_round_trips(client, server_port, size, gone):
    names = tie(client, size, 5.0)
    for name in names[:50]:
        client.hset(f"{Q}job:{name}", mapping={"state": "active", "payload": "{}"})
    with CountingClient(port=server_port) as counting:
        cursor = ""
        for _ in range(min(20, size // 100 + 1)):
            before = counting.trips
            page = active_page(counting, "orders", 100, cursor)
            assert counting.trips - before <= 3
            cursor = page.next or ""
        client.zrem(Q + "active", *names[:gone], "other")
        before = counting.trips
        active_page(counting, "orders", 100, cursor)
        assert counting.trips - before <= 3


def test_the_number_of_commands_does_not_grow_with_the_set(client, server_port):
    costs = set()
    for size in (1_000, 20_000):
        client.flushall()
        tie(client, size, 5.0)
        with CountingClient(port=server_port) as counting:
            active_page(counting, "orders", 25, active_page(counting, "orders").next)
            costs.add(counting.commands)
    assert len(costs) == 1


def test_up_to_300_leases_are_marks_of_their_own(client):
    now = server_now_ms(client)
    client.zadd(Q + "active", {f"JOB{at}": now + 10_000 + at for at in range(300)})
    marks = active_page(client, "orders").marks
    assert (len(marks.points), marks.bins) == (300, ())
    assert (marks.lapsed, marks.expiring, marks.later) == (0, 0, 300)
    assert (marks.from_ms, marks.to_ms) == (-10_000, 30_000)


def test_more_leases_are_counted_in_bins_that_add_up(client):
    now = server_now_ms(client)
    lefts = [-math.inf, -400_000, *range(-50_000, 60_000, 100), 10**9, math.inf]
    client.zadd(Q + "active", {f"JOB{at}": now + left for at, left in enumerate(lefts)})
    page = active_page(client, "orders")
    marks = page.marks
    assert marks.points == ()
    assert sum(cell.count for cell in marks.bins) == page.total == len(lefts)
    assert marks.lapsed + marks.expiring + marks.later == page.total
    assert marks.lapsed == page.lapsed == sum(c.count for c in marks.bins if c.to_ms <= 0)
    assert (marks.from_ms, marks.to_ms) == (-60_000, 60_000)
    assert (marks.bins[0].from_ms, marks.bins[-1].to_ms) == (-math.inf, math.inf)
    for left, right in zip(marks.bins, marks.bins[1:], strict=False):
        assert left.to_ms == right.from_ms


def test_one_lease_far_away_does_not_squeeze_the_axis(client):
    now = server_now_ms(client)
    client.zadd(Q + "active", {f"JOB{at}": now + 20_000 for at in range(99)})
    client.zadd(Q + "active", {"far": now + 10**12, "old": now - 10**12})
    marks = active_page(client, "orders").marks
    assert (marks.from_ms, marks.to_ms) == (-10_000, 30_000)
    assert len(marks.points) == 101


@pytest.mark.parametrize("others", [3, 400])
def test_leases_of_years_ago_and_without_an_end_leave_the_axis_to_the_others(client, others):
    now = server_now_ms(client)
    client.zadd(Q + "active", {f"JOB{at}": now + 20_000 + at for at in range(others)})
    far = {"old": now - 104 * 86_400_000, "never": math.inf, "first": -math.inf, "epoch": 1}
    client.zadd(Q + "active", far)
    marks = active_page(client, "orders").marks
    assert (marks.from_ms, marks.to_ms) == (-10_000, 30_000)


@pytest.mark.parametrize("count", [20, 400])
def test_leases_that_all_lapsed_long_ago_have_an_axis_of_their_own(client, count):
    now = server_now_ms(client)
    client.zadd(Q + "active", {f"JOB{at}": now - 104 * 86_400_000 + at for at in range(count)})
    marks = active_page(client, "orders").marks
    assert (marks.from_ms, marks.to_ms) == (-365 * 86_400_000, 30_000)


def test_an_absent_set_is_an_empty_page_and_a_wrong_type_is_its_fault(client):
    page = active_page(client, "orders")
    assert (page.total, page.lapsed, page.leases, page.fault) == (0, 0, (), None)
    client.set(Q + "active", "x")
    page = active_page(client, "orders")
    assert (page.total, page.lapsed, page.leases) == (None, None, ())
    assert page.fault == "the key holds another type"


def test_garbage_cursors_open_the_first_page(client):
    tie(client, 60, 5.0)
    for cursor in ("abc", "-1", "1e9", "~", "ä", "x" * 9999):
        assert shown(active_page(client, "orders", 25, cursor))[0] == "JOB00000"
