"""The tab of jobs in flight and its timeline."""

from __future__ import annotations

import pytest

from tests.console.scene import A, B, C, rows, tags, text

URL = "/q/prod/orders/active"


def page(browser, query: str = "") -> str:
    answer = browser("viewer").get(URL + query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_leases_are_live_expiring_or_lapsed_soonest_first(scene, browser):
    scene.active(A, 60_000)
    scene.active(B, 6_500)
    scene.active(C, -12_000)
    first, second, third = rows(page(browser))
    assert C in first
    assert "lapsed" in first
    assert "+1" in first
    assert B in second
    assert "expiring" in second
    assert A in third
    assert "live" in third


def test_the_page_carries_what_remains_and_no_deadline_to_compare_with_a_host_clock(scene, browser):
    scene.active(A, 60_000)
    html = page(browser)
    (left,) = [
        float(a["data-remaining"])
        for tag, a in tags(html)
        if tag == "span" and "data-remaining" in a
    ]
    assert 50_000 < left <= 60_000


def test_a_row_shows_token_stalls_and_lane(scene, browser):
    scene.active(A, 60_000, attempts=7, stalled=2, group="room-114")
    (row,) = rows(page(browser))
    assert all(part in row for part in ("7", "2", "room-114"))


@pytest.mark.parametrize(
    ("fields", "query", "fate"),
    [
        ({}, "", "to pending, stall 1"),
        ({"stalled": 1}, "", "to dead, stall 2"),
        ({"stalled": 1}, "?max_stalled=3", "to pending, stall 2"),
        ({"group": "express"}, "", "to its lane, stall 1"),
        ({"attempts": "x"}, "", "unreadable, sent to dead"),
    ],
)
def test_a_lapsed_lease_says_what_the_next_sweep_does(scene, browser, fields, query, fate):
    scene.active(A, -1_000, **fields)
    assert fate in rows(page(browser, query))[0]


def test_an_orphan_and_a_broken_row_break_only_their_own_cells(scene, browser):
    scene.active(A, 60_000)
    scene.store.zadd(scene.key("active"), {B: 1, C: 2})
    scene.store.set(scene.key(f"job:{C}"), "x")
    html = page(browser)
    assert len(rows(html)) == 3
    assert "row missing" in rows(html)[0]
    assert "unreadable row" in rows(html)[1]
    assert A in rows(html)[2]


@pytest.mark.parametrize("score", ["+inf", "-inf", "1e308", "-1", "253402300800000", "0.5"])
def test_a_deadline_that_is_no_date_is_shown_all_the_same(scene, browser, score):
    scene.row(A, state="active", attempts=1)
    scene.store.zadd(scene.key("active"), {A: score})
    assert A in rows(page(browser))[0]


def test_the_timeline_has_a_title_a_summary_and_a_table_behind_it(scene, browser):
    scene.active(A, 60_000)
    scene.active(B, 6_500)
    scene.active(C, -12_000)
    html = page(browser)
    assert "Lease timeline" in text(html)
    assert "3 leases: 1 lapsed, 1 within 7 s, 1 later" in text(html)
    assert "As a table" in text(html)


def test_above_three_hundred_leases_the_timeline_counts_in_bars(scene, browser):
    for number in range(301):
        scene.active(f"JOB0KHTOWn{number:04}", number * 100 - 5_000)
    html = page(browser)
    assert "bars count the leases" in text(html)
    assert "data-flow" not in html
    assert len(rows(html)) == 25


def test_an_ancient_lease_squeezes_no_other_and_is_counted_beyond_the_edge(scene, browser):
    day = 86_400_000
    scene.active(A, -104 * day)
    scene.active(B, 20_000)
    scene.active(C, 900 * day)
    said = text(page(browser))
    assert "1 lapsed earlier, over 10 s ago" in said
    assert "1 later, in over 30 s" in said
    assert "more than 10 s ago lapsed 1" in said


def test_what_is_wrong_with_a_job_stands_outside_of_the_name_that_may_be_cut(scene, browser):
    scene.store.zadd(scene.key("active"), {"x" * 180: 1})
    html = page(browser)
    name = html.split("data-open")[1].split("</a>")[0]
    assert name.endswith("x" * 180)
    assert "row missing" not in name
    assert "row missing" in rows(html)[0]


def test_a_queue_of_wrong_types_names_each_key_once_with_what_it_holds(scene, browser):
    for name in ("pending", "active", "dead"):
        scene.store.set(scene.key(name), "x")
    scene.store.set(scene.key("meta"), "x")
    html = page(browser)
    said = text(html)
    for name in ("pending", "active", "dead"):
        assert said.count(f"{name} is a string, not a sorted set") == 1
    assert "meta is a string, not a hash" in said
    assert html.count('class="note soon"') == 1
    assert "another type" not in said


def test_a_timeline_with_points_moves_with_the_time(scene, browser):
    scene.active(A, 60_000)
    flows = [a["data-flow"] for tag, a in tags(page(browser)) if "data-flow" in a]
    assert len(flows) == 3
    assert all(float(flow) > 0 for flow in flows)


def test_leases_are_paged_by_cursor(scene, browser):
    for number in range(30):
        scene.active(f"JOB0KHTOWnGL{number:02}", 60_000 + number)
    first = page(browser)
    following = next(a["href"] for tag, a in tags(first) if tag == "a" and a.get("rel") == "next")
    second = page(browser, following)
    seen = [row.split()[0] for row in rows(first) + rows(second)]
    assert len(seen) == len(set(seen)) == 30


def test_without_leases_the_page_says_what_is_missing(scene, browser):
    scene.pending(A)
    assert "No job is in flight" in text(page(browser))


def test_lapsed_leases_put_their_number_on_the_sweep_button(scene, browser):
    scene.active(A, -1_000)
    scene.active(B, -1_000)
    html = browser("operator").get(URL).content.decode()
    assert "Sweep… 2" in text(html)
    assert "Sweep…" not in text(page(browser))
