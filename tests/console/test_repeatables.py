"""The page of repeatables."""

from __future__ import annotations

import pytest

from tests.console.scene import Scene, rows, tags, text

URL = "/q/prod/orders/repeat"


def page(browser, query: str = "") -> str:
    answer = browser("viewer").get(URL + query)
    assert answer.status_code == 200
    return answer.content.decode()


def repeat(scene: Scene, name: str | bytes, in_ms: float, **fields: object) -> None:
    raw = name.encode() if isinstance(name, str) else name
    scene.store.zadd(scene.key("repeat"), {raw: scene.now_ms() + in_ms})
    if fields:
        scene.store.hset(scene.key(b"repeat:" + raw), mapping=fields)


def test_each_shows_its_period_its_next_run_and_what_it_carries(scene, browser):
    repeat(
        scene, "nightly", 3_600_000.0, every_ms=90_061_000, template='{"id":1970670598291982290}'
    )
    repeat(scene, "late", -300_000, every_ms=60_000, template="x")
    html = page(browser)
    late, nightly = rows(html)
    assert late.split()[0] == "late"
    assert "overdue" in late
    assert "1 min" in late
    assert "in 59 min" in nightly
    assert "1 d 1 h" in nightly
    assert "1970670598291982290" in nightly
    assert any(a.get("title") == "90,061,000 ms" for _, a in tags(html))


def test_faults_are_told_in_their_rows(scene, browser):
    repeat(scene, "good", 1_000, every_ms=5, template="x")
    repeat(scene, "missing", 2_000)
    repeat(scene, "odd", 3_000, every_ms="often", template="x")
    repeat(scene, "typed", 4_000)
    scene.store.set(scene.key("repeat:typed"), "x")
    scene.store.zadd(scene.key("repeat"), {"never": "+inf"})
    by_name = {row.split()[0]: row for row in rows(page(browser))}
    assert "missing" not in by_name["good"]
    assert "its hash is missing" in by_name["missing"]
    assert "every_ms is no whole number above 0" in by_name["odd"]
    assert "another type" in by_name["typed"]
    assert "its next run is no time" in by_name["never"]


@pytest.mark.parametrize("name", [b"\xff<b>", b"", b'" hx-get="/x'])
def test_hostile_names_and_templates_are_text(scene, browser, name):
    repeat(scene, name, 1_000, every_ms=5, template="<img src=x onerror=alert(1)>")
    html = page(browser)
    assert len(rows(html)) == 1
    assert "<img" not in html
    assert "<b>\\" not in html
    assert not [a for _, a in tags(html) if a.get("hx-get") == "/x"]


def test_pages_follow_one_another(scene, browser):
    for number in range(60):
        repeat(scene, f"r{number:02}", 1_000 * number, every_ms=5, template="x")
    html = page(browser)
    assert "25 of 60" in text(html)
    following = next(a["href"] for _, a in tags(html) if a.get("rel") == "next")
    assert rows(page(browser, following))[0].split()[0] == "r25"


def test_a_key_of_the_wrong_type_is_said(scene, browser):
    scene.store.set(scene.key("repeat"), "x")
    assert "This list cannot be read" in text(page(browser))


def test_a_queue_without_repeatables_says_so_and_has_the_tab_only_here(scene, browser):
    scene.store.hset(scene.key("meta"), "note", "x")
    html = page(browser)
    assert "Nothing repeats here" in text(html)
    assert URL in {a.get("href") for _, a in tags(html)}
    assert URL not in browser().get("/q/prod/orders/lanes").content.decode()
