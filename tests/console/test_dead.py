"""The tab of dead jobs."""

from __future__ import annotations

import pytest

from tests.console.scene import A, B, C, keys_of, rows, tags, text

URL = "/q/prod/orders/dead"


def page(browser, query: str = "") -> str:
    answer = browser("viewer").get(URL + query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_row_shows_error_attempts_stalls_lane_and_payload(scene, browser):
    scene.dead(A, last_error="smtp timeout", attempts=4, stalled=2, group="tenant-7", payload="{1}")
    (row,) = rows(page(browser))
    for part in (A, "smtp timeout", "4", "2", "tenant-7", "{1}"):
        assert part in row


def test_every_digit_and_duplicate_key_of_a_payload_stays(scene, browser):
    payload = '{"id":1970670598291982290,"f":1.10,"d":{"a":1,"a":2}}'
    scene.dead(A, payload=payload)
    assert payload in text(page(browser))


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (b'"text"', '"text"'),
        (b"null", "null"),
        (b"42", "42"),
        (b"true", "true"),
        (b"[]", "[]"),
        (b"", "empty"),
        (b"1e400", "1e400"),
        (b'"\\ud800"', '"\\ud800"'),
        (b"[" * 1500, "[[["),
        (b"9" * 2000, "999"),
        (b"\x80\x04\x95\xff", "\\x80\\x04\\x95\\xff binary, 4 bytes"),
        (b"a" * 3_000_000, "3.0 MB open the job"),
    ],
)
def test_a_payload_of_any_type_has_a_preview(scene, browser, payload, said):
    scene.dead(A, payload=payload)
    assert said in rows(page(browser))[0]


def test_a_job_without_a_payload_says_so(scene, browser):
    scene.dead(A)
    scene.store.hdel(scene.key(f"job:{A}"), "payload")
    assert "no payload" in rows(page(browser))[0]


def test_bytes_that_are_no_text_break_no_other_row(scene, browser):
    for number in range(24):
        scene.dead(f"JOB0KHTOWnGL{number:02}", last_error="fine")
    scene.dead(A, payload=b"\x80\x04\x95\xff", last_error=b"\x80\x04\x95\xff")
    scene.store.hset(scene.key("metrics:failed"), "count", b"\x80\x04\x95\xff")
    html = page(browser)
    assert len(rows(html)) == 25
    assert sum("fine" in row for row in rows(html)) == 24


def test_an_error_shows_its_first_line_cut_at_200_characters(scene, browser):
    scene.dead(A, last_error="x" * 300 + "\nsecond line")
    html = page(browser)
    line = html.split('<span class="line">')[1].split("</span>")[0]
    assert line == "x" * 200 + "…"
    assert "second line" in text(html)


def test_twenty_five_payloads_of_three_megabytes_are_not_fetched(scene, browser):
    for number in range(25):
        scene.dead(f"JOB0KHTOWnGL{number:02}", payload=b"a" * 3_000_000, last_error=b"e" * 50_000)
    assert len(page(browser)) < 300_000


def test_missing_and_unreadable_rows_are_marked_and_offer_no_requeue(scene, browser):
    scene.dead(B)
    scene.store.zadd(scene.key("dead"), {A: 0, C: 0})
    scene.store.set(scene.key(f"job:{C}"), "x")
    html = browser("operator").get(URL).content.decode()
    by_id = {job: next(row for row in rows(html) if job in row) for job in (A, B, C)}
    assert "row missing" in by_id[A]
    assert "unreadable row" in by_id[C]
    assert list(keys_of(html)) == [B]
    assert "3 dead" in text(html)


def test_a_viewer_is_offered_nothing_that_moves_jobs(scene, browser):
    scene.dead(A)
    html = page(browser)
    assert "Requeue ticked" not in html
    assert keys_of(html) == {}


def test_pages_are_cut_by_id_so_that_moved_jobs_repeat_and_skip_nothing(scene, browser):
    made = scene.many_dead(60)
    first = page(browser)
    assert made[-1] in rows(first)[0]
    older = next(a["href"] for tag, a in tags(first) if tag == "a" and a.get("rel") == "next")
    for job_id in made[-10:]:
        scene.store.zrem(scene.key("dead"), job_id)
    second = page(browser, older)
    assert made[-26] in rows(second)[0]
    assert len(rows(second)) == 25


@pytest.mark.parametrize("cursor", ["9999", "-1", "abc", "1e9", "%00", "~~~", "x" * 5000])
def test_an_unknown_cursor_opens_the_nearest_rows(scene, browser, cursor):
    scene.many_dead(26)
    html = page(browser, f"?cursor={cursor}&rows=100000000")
    assert len(rows(html)) >= 1
    assert "26 dead" in text(html)


def test_an_emptied_last_page_falls_back_to_a_page_with_rows(scene, browser):
    made = scene.many_dead(26)
    first = page(browser)
    older = next(a["href"] for tag, a in tags(first) if tag == "a" and a.get("rel") == "next")
    scene.store.zrem(scene.key("dead"), made[0])
    html = page(browser, older)
    assert len(rows(html)) >= 1
    assert "25 dead" in text(html)


def test_a_tab_without_dead_jobs_says_what_would_bring_them(scene, browser):
    scene.pending(A)
    assert "No dead job" in text(page(browser))


def test_a_dead_set_of_another_type_is_said_and_breaks_no_page(scene, browser):
    scene.pending(A)
    scene.store.set(scene.key("dead"), "x")
    html = page(browser)
    assert rows(html) == []
    assert "?" in text(html)
    assert text(html).count("dead is a string, not a sorted set") == 1


def test_what_a_requeue_does_is_told_to_those_who_may(scene, browser):
    scene.dead(A)
    for role, is_told in (("viewer", False), ("operator", True)):
        html = browser(role).get(URL).content.decode()
        assert ("Requeue puts a job back" in html) is is_told


def test_headings_explain_themselves(scene, browser):
    scene.dead(A)
    titles = [a.get("title") for tag, a in tags(page(browser)) if tag == "th" and a.get("title")]
    assert len(titles) == 4
    assert any("a worker with an earlier number is refused" in title for title in titles)
