"""The tab of waiting jobs."""

from __future__ import annotations

from echomq_admin.fleet import discovery, servers
from tests.console.scene import A, B, C, G, rows, tags, text

URL = "/q/prod/orders/pending"


def page(browser, query: str = "") -> str:
    answer = browser("viewer").get(URL + query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_oldest_job_comes_first_with_the_instant_of_its_id(scene, browser):
    scene.pending(B)
    scene.pending(A)
    first, second = rows(page(browser))
    assert A in first
    assert B in second
    minted = next(a for tag, a in tags(page(browser)) if tag == "time" and a.get("data-ms"))
    assert minted["title"].endswith(" UTC")
    assert "ago" in first


def test_a_foreign_id_is_listed_without_an_instant(scene, browser):
    scene.pending("user/234")
    (row,) = rows(page(browser))
    assert "user/234" in row
    assert "?" in row


def test_rows_of_an_older_library_are_marked_and_the_rest_is_normal(scene, browser):
    scene.store.hset(scene.key(f"job:{A}"), mapping={"data": "{}", "atm": 1})
    scene.store.zadd(scene.key("pending"), {A: 0, B: 0})
    scene.store.set(scene.key(f"job:{B}"), "x")
    scene.pending(C)
    by_id = {job: next(row for row in rows(page(browser)) if job in row) for job in (A, B, C)}
    assert "unreadable row" in by_id[A]
    assert "unreadable row" in by_id[B]
    assert "unreadable" not in by_id[C]


def test_a_row_that_is_missing_or_unreadable_comes_with_the_commands_to_mend_it(scene, browser):
    scene.store.zadd(scene.key("pending"), {A: 0, B: 0, "-1": 0})
    scene.store.set(scene.key(f"job:{B}"), "x")
    odd, missing, unreadable = rows(page(browser))
    assert f"manage.py emq remove --as NAME --yes prod/orders {A}" in missing
    assert f"manage.py emq job --as NAME prod/orders {B}" in unreadable
    assert f"manage.py emq remove --as NAME --yes prod/orders {B}" in unreadable
    assert "--yes -- prod/orders -1" in odd


def test_a_payload_too_long_for_a_list_says_how_to_see_it(scene, browser):
    scene.pending(A, payload="x" * 56_000)
    (row,) = rows(page(browser))
    assert "56.0 kB open the job" in row


def test_jobs_in_lanes_are_counted_and_each_lane_opens(scene, browser):
    scene.pending(A, group=G)
    scene.pending(B, group=G)
    discovery.discover(servers.server("prod"))
    html = page(browser)
    assert "2 in lanes" in text(html)
    assert "All that wait are in lanes: 2 jobs" in text(html)
    table = text(html.split("<table")[1])
    assert f"{G} 2" in table
    assert "ago" in table
    lane = next(a["href"] for tag, a in tags(html) if "lane=" in (a.get("href") or ""))
    assert [row.split()[0] for row in rows(page(browser, lane))] == [A, B]


def test_a_lane_of_any_bytes_opens(scene, browser):
    scene.store.zadd(scene.key(b"g:\xff<b>/?:pending"), {A: 0})
    scene.row(A)
    discovery.discover(servers.server("prod"))
    html = page(browser)
    assert "<b>/?" not in html
    lane = next(a["href"] for tag, a in tags(html) if "lane=" in (a.get("href") or ""))
    assert A in rows(page(browser, lane))[0]


def test_scores_that_differ_are_said(scene, browser):
    scene.pending(A)
    scene.pending(B)
    scene.store.zadd(scene.key("pending"), {A: 5})
    html = page(browser)
    assert "by score" in text(html)
    assert B in rows(html)[0]
