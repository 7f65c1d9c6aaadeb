"""The bars over time and what stalls most: a section of the page, and a page without JavaScript."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from echomq_admin.ledger.endings import shape
from echomq_admin.ledger.endings.models import EndingKind, Source
from tests.console.scene import A, B, tags, text
from tests.ledger.endings.made import NOON, ending

URL = "/stalls/shape"
SECTION = {"HX-Request": "true", "HX-Target": "shape"}
HOUR = {"from": "2026-11-29 12:00Z", "to": "2026-11-29 13:00Z"}


def section(browser, **query: object) -> str:
    answer = browser("viewer").get(URL, query or HOUR, headers=SECTION)
    assert answer.status_code == 200
    return answer.content.decode()


def bars(html: str) -> list[dict]:
    """The links of the bars."""
    picture = re.search(r'<svg class="stalls-bars".*?</svg>', html, re.S)
    return [attrs for tag, attrs in tags(picture[0]) if tag == "a"] if picture else []


def test_the_page_loads_it_behind_its_rows_and_has_a_link_to_it(scene, browser):
    ending(A)
    html = browser("viewer").get("/stalls?kind=recovered&rows=50&cursor=o1.1").content.decode()
    loads = next(attrs for tag, attrs in tags(html) if attrs.get("id") == "shape")
    assert loads["hx-get"] == "/stalls/shape?kind=recovered"
    assert ("a", {"class": "link", "href": "/stalls/shape?kind=recovered"}) in tags(html)


def test_it_is_a_part_of_the_page_or_a_page_of_its_own(scene, browser):
    ending(A)
    assert "<main" not in section(browser)
    whole = browser("viewer").get(URL, HOUR).content.decode()
    assert "<html" in whole
    assert len(bars(whole)) == 1
    assert "Back to the endings" in text(whole)


def test_each_bar_is_a_link_to_its_time_that_keeps_the_rest_of_the_filter(scene, browser):
    ending(A, EndingKind.DEAD, NOON + 60_000)
    ending(B, EndingKind.DEAD, NOON + 61_000)
    ending("C", EndingKind.REAPED, NOON + 600_000)
    html = section(browser, **HOUR, queue="orders")
    first, second = bars(html)
    assert parse_qs(urlsplit(first["href"]).query) == {
        "queue": ["orders"],
        "from": ["2026-11-29 12:01:00Z"],
        "to": ["2026-11-29 12:02:00Z"],
    }
    assert first["aria-label"] == "2026-11-29 12:01 UTC, 1 min: 2 stalled, dead"
    assert "1 reaped" in second["aria-label"]
    assert A in browser("viewer").get(first["href"]).content.decode()


def test_parts_of_a_bar_lie_on_each_other_within_the_picture(scene, browser):
    for kind in EndingKind:
        for at in range(int(kind) ** 2):
            ending(f"J{kind}.{at}", kind, NOON)
    rects = [
        (attrs["class"], float(attrs["y"]), float(attrs["height"]))
        for tag, attrs in tags(section(browser))
        if tag == "rect" and attrs.get("class", "").startswith("k-") and "y" in attrs
    ]
    assert len(rects) == len(EndingKind)
    bottom = 120.0
    for _, y, height in rects:
        assert y + height == pytest.approx(bottom, abs=0.02)
        bottom = y
    assert bottom >= 0


def test_a_table_says_the_same_in_numbers(scene, browser):
    ending(A, EndingKind.DEAD)
    ending(B, EndingKind.REAPED)
    html = section(browser)
    table = text(html.split('id="bars-table"')[1].split("</table>")[0])
    assert "From To Stalled, dead Reaped All" in table
    assert re.search(r"2026-11-29 12:00 2026-11-29 12:01 1 1 2", table)


def test_what_stalls_most_leads_to_only_that(scene, browser):
    for at in range(3):
        ending("J\udcff", EndingKind.DEAD, lane="room", queue="q\udcff", attempts=at)
    ending(A, EndingKind.DEAD, lane="r" * 300)
    html = section(browser)
    hrefs = [attrs["href"] for tag, attrs in tags(html) if tag == "a" and "job=" in attrs["href"]]
    assert len(hrefs) == 2
    assert f"/q/prod/orders/job/{A}" in html
    assert "J\\xff" in browser("viewer").get(hrefs[0]).content.decode()
    assert "3 J\\xff prod/q\\xff" in text(html)
    lanes = [attrs["href"] for tag, attrs in tags(html) if tag == "a" and "lane=" in attrs["href"]]
    assert browser("viewer").get(lanes[0]).content.decode().count("J\\xff") >= 3
    hours = text(html.split("Hours that stall most")[1])
    assert "4 2026-11-29 12:00 only this hour" in hours


def test_an_hour_of_today_has_its_date_too(scene, browser):
    now_ms = scene.now_ms()
    ending(A, EndingKind.DEAD, now_ms - now_ms % 3_600_000)
    hours = text(section(browser, **{"from": "2 h ago"}).split("Hours that stall most")[1])
    assert re.search(r"1 \d{4}-\d\d-\d\d \d\d:00 only this hour", hours)


def test_bounds_are_said(scene, browser, monkeypatch):
    monkeypatch.setattr(shape, "LOOKED", 5)
    for at in range(20):
        ending(f"J{at}", EndingKind.DEAD, NOON + at * 60_000, error=b"boom")
    said = text(section(browser))
    assert "Counted in whole slots of five minutes" in said
    assert "Of the newest 5 endings, since 2026-11-29 12:15:00.000 UTC" in said
    assert "20 stalled, dead" in said
    said = text(section(browser, q="boom"))
    assert "Of the newest 5 endings that were looked at: since 2026-11-29 12:15" in said


def test_where_none_of_the_newest_matches_it_says_that_older_ones_may(scene, browser, monkeypatch):
    monkeypatch.setattr(shape, "LOOKED", 5)
    ending(A, at_ms=NOON - 1, error=b"boom")
    for at in range(9):
        ending(f"J{at}", EndingKind.DEAD, NOON + at)
    said = text(browser("viewer").get(URL, {"q": "boom"}, headers=SECTION).content.decode())
    assert "Of the newest 5 endings that were looked at, since 2026-11-29 12:00" in said
    assert "none matches. Ask for a range to see what was before." in said


def test_an_hour_leads_to_no_more_than_was_asked_for(scene, browser):
    ending(A, EndingKind.DEAD, NOON + 1_800_000)
    times = {"from": "2026-11-29 12:20Z", "to": "2026-11-29 12:40Z"}
    html = section(browser, **times).split("Hours that stall most")[1]
    (href,) = [attrs["href"] for tag, attrs in tags(html) if tag == "a"]
    asked = parse_qs(urlsplit(href).query)
    assert (asked["from"], asked["to"]) == (["2026-11-29 12:20:00Z"], ["2026-11-29 12:40:00Z"])


def test_what_is_listed_as_most_is_called_what_it_is(scene, browser):
    ending(A, EndingKind.FAILED)
    said = text(section(browser, **HOUR, kind="failed"))
    assert "Jobs with most “dead by attempts”" in said
    assert "stall most" not in said


def test_what_was_found_dead_stands_apart_from_what_ended_then(scene, browser):
    ending(A, EndingKind.DEAD)
    ending(B, EndingKind.DEAD, source=Source.FOUND)
    html = section(browser)
    (bar,) = bars(html)
    assert bar["aria-label"].endswith("1 stalled, dead, 1 found dead")
    assert "1 found dead, not drawn" in text(html)
    assert 'class="k-found" x=' not in html
    html = section(browser, **HOUR, source="found")
    assert "not drawn" not in text(html)
    assert 'class="k-found" x=' in html


def test_where_nothing_ended_there_is_nothing_to_draw(scene, browser):
    assert "There is nothing to draw." in text(section(browser))
    html = section(browser, **{"from": "noonish"})
    assert "A field of the address cannot be read." in text(html)


@pytest.mark.parametrize(
    "times",
    [
        {"from": "0", "to": "253402300799999"},
        {"from": "-999999999999999", "to": "999999999999999"},
        {"from": "2026-11-29 12:00Z", "to": "2026-11-29 12:00:00.001Z"},
    ],
)
def test_any_range_can_be_drawn(scene, browser, times):
    ending(A)
    assert len(bars(section(browser, **times))) == 1


def test_a_lane_and_an_id_are_text_however_hostile(scene, browser):
    ending("<b>\u202e", EndingKind.DEAD, lane="<i>", queue="<u>")
    html = section(browser)
    assert not {"i", "u"} & {tag for tag, _ in tags(html)}
    assert "\u202e" not in html
    assert "<b>\\u202e" in text(html)
