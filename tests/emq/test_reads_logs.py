"""Logs from their end: never the whole list, and few bytes however long its lines are."""

from __future__ import annotations

import pytest
import redis

from echomq_admin.emq.logs import MOST_BYTES, MOST_STEPS
from echomq_admin.emq.reads import log_page
from tests.emq.reading import CountingClient, Q, add_job

LOGS = Q + "job:JOBx:logs"
LONG = b"x" * 2_000_000


def fill(client, lines) -> None:
    for start in range(0, len(lines), 10_000):
        client.rpush(LOGS, *lines[start : start + 10_000])


def test_the_newest_lines_come_first_and_older_ones_by_index(client):
    fill(client, [f"line {n}" for n in range(500)])
    newest = log_page(client, "orders", "JOBx")
    assert (newest.total, newest.start, newest.end, newest.cut) == (500, 300, 500, False)
    assert (newest.lines[0], newest.lines[-1]) == (b"line 300", b"line 499")
    older = log_page(client, "orders", "JOBx", newest.start)
    assert (older.start, older.end) == (100, 300)
    oldest = log_page(client, "orders", "JOBx", 100)
    assert (oldest.start, oldest.lines[0], oldest.end) == (0, b"line 0", 100)


@pytest.mark.parametrize(("before", "end"), [(0, 1), (10**12, 500), (7, 7)])
def test_an_index_outside_of_the_log_means_its_nearer_end(client, before, end):
    fill(client, [f"line {n}" for n in range(500)])
    page = log_page(client, "orders", "JOBx", before)
    assert (page.end, len(page.lines)) == (end, min(end, 200))


def test_of_200_000_lines_only_a_page_is_read(client):
    fill(client, [b"x" * 50] * 199_999 + [b"last"])
    client.config_resetstat()
    page = log_page(client, "orders", "JOBx")
    assert (page.total, page.start, page.lines[-1]) == (200_000, 199_800, b"last")
    assert client.info()["total_net_output_bytes"] < 60_000


def test_one_huge_line_does_not_take_its_neighbours_along(client):
    fill(client, [b"x" * 50] * 1_000 + [LONG] + [b"y"] * 100)
    page = log_page(client, "orders", "JOBx")
    assert page.end == 1_101
    assert page.lines[-100:] == (b"y",) * 100
    assert LONG in page.lines


def test_of_huge_lines_one_is_read_and_the_page_says_that_it_is_short(client):
    fill(client, [LONG] * 30)
    client.config_resetstat()
    page = log_page(client, "orders", "JOBx")
    assert (page.start, len(page.lines), page.cut) == (29, 1, True)
    assert client.info()["total_net_output_bytes"] < len(LONG) + 100_000
    older = log_page(client, "orders", "JOBx", page.start)
    assert (older.start, older.end) == (28, 29)


def test_huge_lines_in_front_of_short_ones_cost_a_few_at_most(client):
    fill(client, [LONG] * 30 + [b"short"] * 10)
    client.config_resetstat()
    page = log_page(client, "orders", "JOBx")
    assert page.lines[-10:] == (b"short",) * 10
    assert page.cut
    assert client.info()["total_net_output_bytes"] < 2 * len(LONG) + MOST_BYTES


def test_a_log_of_huge_lines_is_read_line_by_line_but_in_so_many_trips(client, server_port):
    fill(client, [LONG * 2] * 12 + [b"x"] * 30)
    with CountingClient(port=server_port) as counting:
        client.config_resetstat()
        page = log_page(counting, "orders", "JOBx")
    assert counting.trips == 1 + MOST_STEPS
    assert (page.lines, page.cut) == ((b"x",) * MOST_STEPS, True)
    assert client.info()["total_net_output_bytes"] < 100_000


@pytest.mark.parametrize("line", [b"x" * 10, b"x" * 100])
def test_of_200_000_short_lines_a_page_takes_six_trips(client, server_port, line):
    fill(client, [line] * 200_000)
    with CountingClient(port=server_port) as counting:
        assert len(log_page(counting, "orders", "JOBx").lines) == 200
    assert counting.trips <= 6


def test_a_user_who_may_not_read_lines_is_told_so(client, server_port):
    fill(client, ["a", "b"])
    client.acl_setuser("nolines", enabled=True, passwords=["+pw"], keys=["*"],
                       commands=["+@all", "-lrange"])  # fmt: skip
    try:
        with redis.Redis(port=server_port, username="nolines", password="pw") as poor:
            page = log_page(poor, "orders", "JOBx")
    finally:
        client.acl_deluser("nolines")
    assert (page.total, page.lines) == (2, ())
    assert "lrange" in page.fault


def test_the_row_of_a_job_whose_id_ends_like_a_log_is_no_log(client):
    add_job(client, "dead", "JOBx:logs", state="dead")
    page = log_page(client, "orders", "JOBx")
    assert (page.total, page.fault) == (0, None)


def test_a_user_who_may_not_ask_for_sizes_reads_step_by_step(client, server_port):
    fill(client, [f"line {n}" for n in range(500)])
    client.acl_setuser(
        "logreader", enabled=True, passwords=["+pw"], keys=["*"],
        commands=["+llen", "+lrange", "+client"],
    )  # fmt: skip
    try:
        with redis.Redis(port=server_port, username="logreader", password="pw") as poor:
            assert (
                log_page(poor, "orders", "JOBx").lines == log_page(client, "orders", "JOBx").lines
            )
    finally:
        client.acl_deluser("logreader")


def test_no_log_and_one_of_another_type(client):
    page = log_page(client, "orders", "JOBx")
    assert (page.total, page.lines, page.fault) == (0, (), None)
    client.set(LOGS, "x")
    page = log_page(client, "orders", "JOBx")
    assert (page.total, page.lines) == (None, ())
    assert page.fault
