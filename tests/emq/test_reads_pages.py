"""Pending and dead pages: cut by id, in both directions, whatever happens in between."""

from __future__ import annotations

import base64

import pytest

from echomq_admin.emq.reads import dead_page, pending_page, scheduled_page
from tests.emq.reading import CountingClient, Q, add_job


def fill(client, name="pending", count=60, score=0.0):
    names = [f"JOB{at:05d}" for at in range(count)]
    client.zadd(Q + name, dict.fromkeys(names, score))
    return names


def shown(page):
    return [job.job_id for job in page.jobs]


def walk(read, cursor=""):
    """Every id from a page on, by its `next` links."""
    found = []
    while cursor is not None:
        page = read(cursor)
        found += shown(page)
        cursor = page.next
    return found


def test_pending_pages_go_from_the_oldest_to_the_newest(client):
    names = fill(client)
    first = pending_page(client, "orders")
    assert shown(first) == names[:25]
    assert (first.total, first.previous, first.ordered_by) == (60, None, "id")
    assert walk(lambda cursor: pending_page(client, "orders", 25, cursor)) == names


def test_dead_pages_go_from_the_newest_minted_to_the_oldest(client):
    names = fill(client, "dead")
    assert walk(lambda cursor: dead_page(client, "orders", 25, cursor)) == names[::-1]


@pytest.mark.parametrize("read", [pending_page, dead_page])
def test_previous_leads_back_over_the_same_pages(client, read):
    fill(client, "pending")
    fill(client, "dead")
    pages = [read(client, "orders")]
    while pages[-1].next:
        pages.append(read(client, "orders", 25, pages[-1].next))
    back = [pages[-1]]
    while back[-1].previous:
        back.append(read(client, "orders", 25, back[-1].previous))
    assert [shown(page) for page in back[::-1]] == [shown(page) for page in pages]


@pytest.mark.parametrize("read", [pending_page, dead_page])
def test_moving_jobs_make_no_page_skip_or_repeat(client, read):
    names = fill(client, "pending")
    fill(client, "dead")
    first = read(client, "orders")
    for key in ("pending", "dead"):
        client.zrem(Q + key, *shown(first))
    rest = walk(lambda cursor: read(client, "orders", 25, cursor), first.next)
    assert sorted(shown(first) + rest) == names


def test_a_page_behind_a_member_that_has_gone_starts_where_it_was(client):
    names = fill(client)
    first = pending_page(client, "orders")
    client.zrem(Q + "pending", names[24])
    assert shown(pending_page(client, "orders", 25, first.next)) == names[25:50]


def test_emptying_the_last_page_shows_the_nearest_real_one(client):
    names = fill(client, "dead", 26)
    last = dead_page(client, "orders").next
    assert shown(dead_page(client, "orders", 25, last)) == [names[0]]
    client.zrem(Q + "dead", names[0])
    page = dead_page(client, "orders", 25, last)
    assert (shown(page), page.total) == (names[:0:-1], 25)
    assert (page.previous, page.next) == (None, None)


def test_a_first_page_reached_backwards_is_a_full_one(client):
    names = fill(client)
    second = pending_page(client, "orders", 25, pending_page(client, "orders").next)
    client.zrem(Q + "pending", *names[:20])
    page = pending_page(client, "orders", 25, second.previous)
    assert (shown(page), page.previous) == (names[20:45], None)


def garbage():
    head = base64.urlsafe_b64encode
    yield from ("abc", "9999", "-1", "1e9", "ä", "=", "~", " ", "JOB00001", "a" * 5000, "\x00")
    yield from (
        head(raw).decode().rstrip("=")
        for raw in (b"", b"if", b"if nan 0 x", b"xf 0.0 0 x", b"if 0.0 -1 x", b"\xff\xff \x00 ",
                    b"if 0.0 999999999999999999999 x", b"i 0.0 0 x", b"iff 0.0 0 x")
    )  # fmt: skip


@pytest.mark.parametrize("cursor", list(garbage()))
@pytest.mark.parametrize("read", [pending_page, dead_page])
def test_a_cursor_that_is_none_opens_the_first_page(client, read, cursor):
    fill(client, "pending")
    fill(client, "dead")
    assert shown(read(client, "orders", 25, cursor)) == shown(read(client, "orders"))


@pytest.mark.parametrize(("limit", "rows"), [(0, 1), (-5, 1), (7, 7), (10**9, 100)])
def test_the_page_size_is_brought_into_bounds(client, limit, rows):
    fill(client, count=150)
    assert len(pending_page(client, "orders", limit).jobs) == rows


def test_cursors_are_safe_in_an_address_whatever_the_id(client):
    odd = sorted([b"", b"\xff\x00/", b"a b", "ü".encode(), b"x" * 4096])
    for raw in odd:
        add_job(client, "pending", raw)
    pages = walk(lambda cursor: pending_page(client, "orders", 1, cursor))
    assert [job_id.encode("utf-8", "surrogateescape") for job_id in pages] == odd
    cursor = pending_page(client, "orders", 1).next
    assert cursor.replace("-", "").replace("_", "").isalnum()


def test_a_lane_has_pages_of_its_own(client):
    names = fill(client, "g:GRP:pending", 30)
    fill(client, "pending", 3)
    page = pending_page(client, "orders", 25, group="GRP")
    assert (page.total, shown(page)) == (30, names[:25])


def test_the_schedule_is_read_by_due_time_and_id(client):
    due = {f"JOB{at:05d}": at % 7 * 1000.0 for at in range(60)}
    client.zadd(Q + "schedule", due)
    expected = sorted(due, key=lambda name: (due[name], name))
    page = scheduled_page(client, "orders")
    assert (page.total, page.ordered_by, shown(page)) == (60, "score", expected[:25])
    assert [job.score for job in page.jobs] == [due[name] for name in expected[:25]]
    assert walk(lambda cursor: scheduled_page(client, "orders", 7, cursor)) == expected


def test_a_page_of_the_schedule_costs_three_round_trips_at_most(client):
    client.zadd(Q + "schedule", {f"JOB{at:05d}": at for at in range(3000)})
    counting = CountingClient(connection_pool=client.connection_pool)
    page = scheduled_page(counting, "orders")
    scheduled_page(counting, "orders", 25, page.next)
    assert counting.trips <= 6


def test_an_empty_or_absent_set_has_one_empty_page(client):
    page = dead_page(client, "orders")
    assert (page.total, page.jobs, page.previous, page.next) == (0, (), None, None)
    fill(client, "dead", 26)
    cursor = dead_page(client, "orders").next
    client.delete(Q + "dead")
    page = dead_page(client, "orders", 25, cursor)
    assert (page.total, page.jobs, page.previous, page.next) == (0, (), None, None)


def test_a_set_of_another_type_is_a_fault_of_its_page_only(client):
    client.set(Q + "dead", "x")
    page = dead_page(client, "orders")
    assert (page.total, page.jobs) == (None, ())
    assert page.fault == "the key holds another type"


@pytest.mark.parametrize("read", [pending_page, dead_page])
def test_scores_that_differ_order_the_page_by_score_and_id_and_it_says_so(client, read):
    expected = []
    for at in range(60):
        score = [0, -1, 1e308, float("inf"), 5][at % 5]
        for key in ("pending", "dead"):
            add_job(client, key, f"JOB{at:05d}", score)
        expected.append((score, f"JOB{at:05d}"))
    expected = [name for _, name in sorted(expected, reverse=read is dead_page)]
    assert read(client, "orders").ordered_by == "score"
    assert walk(lambda cursor: read(client, "orders", 7, cursor)) == expected


@pytest.mark.parametrize("read", [pending_page, dead_page])
def test_a_cursor_of_one_order_opens_the_nearest_rows_in_the_other(client, read):
    names = fill(client, "pending")
    fill(client, "dead")
    cursor = read(client, "orders").next
    uniform = shown(read(client, "orders", 25, cursor))
    for key in ("pending", "dead"):
        client.zadd(Q + key, {"JOB00059": 7})
    page = read(client, "orders", 25, cursor)
    assert page.ordered_by == "score"
    assert shown(page)[:20] == uniform[:20]
    scored = read(client, "orders").next
    for key in ("pending", "dead"):
        client.zadd(Q + key, {"JOB00059": 0})
    page = read(client, "orders", 25, scored)
    assert (page.ordered_by, len(page.jobs)) == ("id", 25)
    assert set(shown(page)) <= set(names)


@pytest.mark.parametrize("read", [pending_page, dead_page])
def test_a_page_costs_the_same_at_any_size(server_port, client, read):
    costs = set()
    for size in (100, 20_000):
        client.flushall()
        fill(client, "pending", size)
        fill(client, "dead", size)
        for at in range(size - 60, size):
            client.hset(f"{Q}job:JOB{at:05d}", mapping={"state": "dead", "payload": "{}"})
            client.hset(f"{Q}job:JOB{size - 1 - at:05d}", mapping={"state": "dead"})
        with CountingClient(port=server_port) as counting:
            second = read(counting, "orders", 25, read(counting, "orders").next)
            assert len(second.jobs) == 25
            costs.add((counting.trips, counting.commands))
    ((trips, _),) = costs
    assert trips == 6


def test_no_read_runs_a_script_or_changes_a_key(client, server_port):
    fill(client, "dead", 30)
    client.config_resetstat()
    dead_page(client, "orders", 25, dead_page(client, "orders").next)
    used = {name.removeprefix("cmdstat_") for name in client.info("commandstats")}
    assert not used & {"eval", "evalsha", "fcall", "keys", "scan", "multi", "sort", "zadd", "hset"}


@pytest.mark.parametrize("way", ["dead", "schedule"])
def test_pages_of_huge_ids_have_short_cursors_and_lead_over_all_of_them(client, way):
    names = [b"%03d" % at + b"x" * 20_000 for at in range(70)]
    client.zadd(Q + way, {name: at if way == "schedule" else 0 for at, name in enumerate(names)})
    read = scheduled_page if way == "schedule" else dead_page
    pages = [read(client, "orders", 25)]
    while pages[-1].next:
        assert len(pages[-1].next) < 150
        pages.append(read(client, "orders", 25, pages[-1].next))
    order = names if way == "schedule" else names[::-1]
    assert [job_id.encode() for page in pages for job_id in shown(page)] == order
    assert shown(read(client, "orders", 25, pages[2].previous)) == shown(pages[1])


@pytest.mark.parametrize("gone", [1, 20, 45])
def test_behind_a_huge_id_a_page_goes_on_where_its_edge_is_now(client, gone):
    names = [b"%03d" % at + b"x" * 20_000 for at in range(70)]
    client.zadd(Q + "pending", dict.fromkeys(names, 0))
    first = pending_page(client, "orders", 25)
    client.zrem(Q + "pending", *names[:gone])
    found = [name.encode() for name in shown(pending_page(client, "orders", 25, first.next))]
    assert found == (names[25:50] if gone <= 20 else names[45:70])


def test_a_page_among_huge_ids_fetches_no_more_than_the_pages_beside_it(client):
    names = [b"%03d" % at + b"x" * 20_000 for at in range(300)]
    client.zadd(Q + "schedule", {name: at for at, name in enumerate(names)})
    second = scheduled_page(client, "orders", 25).next
    before = client.info("stats")["total_net_output_bytes"]
    scheduled_page(client, "orders", 25, second)
    assert client.info("stats")["total_net_output_bytes"] - before < 60 * 20_100
