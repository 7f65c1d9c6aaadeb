"""The tab of jobs that wait for their time."""

from __future__ import annotations

import pytest

from tests.console.scene import A, B, C, rows, tags, text

URL = "/q/prod/orders/scheduled"


def page(browser, query: str = "") -> str:
    answer = browser("viewer").get(URL + query)
    assert answer.status_code == 200
    return answer.content.decode()


def later(scene, job_id, score, **fields):
    scene.row(job_id, **({"state": "scheduled"} | fields))
    scene.store.zadd(scene.key("schedule"), {job_id: score})


def test_the_job_that_is_due_first_comes_first_with_its_exact_time(scene, browser):
    now = scene.now_ms()
    later(scene, A, now + 7_500_000)
    later(scene, B, now + 65_000)
    later(scene, C, now - 65_000)
    html = page(browser)
    first, second, third = rows(html)
    assert C in first
    assert "1 min ago" in first
    assert " due" in first
    assert B in second
    assert "in 1 min" in second
    assert " due" not in second
    assert A in third
    exact = next(a for tag, a in tags(html) if tag == "time" and a["data-ms"] == str(now + 65_000))
    assert exact["title"].endswith(" UTC")


def test_a_row_shows_attempts_stalls_lane_error_and_payload(scene, browser):
    fields = {"attempts": 4, "stalled": 1, "group": "tenant-7", "last_error": "smtp timeout"}
    later(scene, A, scene.now_ms() + 60_000, payload="{1}", **fields)
    (row,) = rows(page(browser))
    for part in (A, "4", "1", "tenant-7", "smtp timeout", "{1}"):
        assert part in row


@pytest.mark.parametrize(
    ("score", "said", "is_due"),
    [
        ("+inf", "inf", False),
        ("-inf", "-inf", True),
        ("1e308", "1e+308", False),
        ("-1", "-1", True),
        ("253402300800000", "253402300800000", False),
        ("-0.5", "-0.5", True),
    ],
)
def test_a_score_that_is_no_time_is_shown_as_it_is(scene, browser, score, said, is_due):
    later(scene, "x", score)
    later(scene, A, scene.now_ms() + 60_000)
    row = next(row for row in rows(page(browser)) if row.strip().startswith("x"))
    assert f" {said} " in row
    assert (" due " in row) == is_due
    assert "in 5" in next(row for row in rows(page(browser)) if A in row)


def test_scheduled_jobs_are_paged_by_cursor_in_both_directions(scene, browser):
    for number in range(30):
        later(scene, f"JOB0KHTOWnGL{number:02}", scene.now_ms() + 1_000 * number)
    for query in ("", "?order=desc"):
        first = page(browser, query)
        following = next(a["href"] for tag, a in tags(first) if a.get("rel") == "next")
        second = page(browser, following)
        seen = [row.split()[0] for row in rows(first) + rows(second)]
        assert seen == sorted(seen, reverse=bool(query))
        assert len(set(seen)) == 30


def test_one_of_two_jobs_of_the_same_instant_can_go_without_the_other(scene, browser):
    due = scene.now_ms() + 86_400_000
    later(scene, A, due)
    later(scene, B, due)
    scene.store.zrem(scene.key("schedule"), A)
    assert [row.split()[0] for row in rows(page(browser))] == [B]


def test_without_scheduled_jobs_the_page_says_what_would_bring_them(scene, browser):
    scene.pending(A)
    assert "No job is scheduled" in text(page(browser))


def test_a_schedule_of_another_type_is_said_and_breaks_no_page(scene, browser):
    scene.pending(A)
    scene.store.set(scene.key("schedule"), "x")
    html = page(browser)
    assert rows(html) == []
    assert "schedule is a string, not a sorted set" in text(html)
