"""The chart of a queue over an hour to two days."""

from __future__ import annotations

import re

import pytest

from echomq_admin.ledger.samples.models import SampleHour
from echomq_admin.ledger.samples.packing import SLOT_MS
from tests.console.scene import HX, A, tags, text
from tests.ledger.samples.made import keep, sample

URL = "/q/prod/orders/chart"


@pytest.fixture
def page(scene, browser):
    scene.pending(A)

    def get(query: str = "", **headers: str) -> str:
        answer = browser("viewer").get(URL + query, headers=headers)
        assert answer.status_code == 200
        return answer.content.decode()

    return get


def taken(scene, count: int, ago: int = 0, **fields) -> None:
    """So many samples up to the slot that is so many before the present one; a field is a number or
    a function of the sample's number."""
    first = scene.now_ms() // SLOT_MS - ago - count + 1

    def values(at: int) -> dict[str, int]:
        return {name: value(at) if callable(value) else value for name, value in fields.items()}

    keep([sample(first + at, **values(at)) for at in range(count)])


def figures(html: str) -> dict[str, str]:
    parts = html.split('<figure class="curve">')[1:]
    return {text(part.split("</b>")[0]).strip(): part.split("</figure>")[0] for part in parts}


def paths(figure: str) -> dict[str, str]:
    return {
        a["class"]: a["d"]
        for tag, a in tags(figure)
        if tag == "path" and (a["class"] or "").startswith("s-")
    }


def table(html: str) -> list[list[str]]:
    body = html.split('class="rows chart-rows"')[1].split("<tbody>")[1]
    found = re.findall(r"<tr>(.*?)</tr>", body.partition("</tbody>")[0], re.S)
    return [re.findall(r'<td class="num">(.*?)</td>', row) for row in found]


def test_each_set_and_what_was_done_has_a_curve_with_its_numbers(page, scene):
    taken(
        scene, 300, pending=lambda at: at, active=5, lapsed=2, scheduled=7, dead=9,
        completed=lambda at: 1_000 + 10 * at, failed=lambda at: at,
    )  # fmt: skip
    found = figures(page())
    assert list(found) == ["Pending", "Active and lapsed", "Scheduled", "Dead", "Done a minute"]
    assert "299 most 299" in text(found["Pending"])
    assert "Active 5 most 5 Lapsed 2 most 2" in text(found["Active and lapsed"])
    assert "Completed a minute 60.0 most 60.0" in text(found["Done a minute"])
    assert "Failed a minute 6.0 most 6.0" in text(found["Done a minute"])
    assert set(paths(found["Done a minute"])) == {"s-completed", "s-failed"}


def test_every_drawing_has_a_title_and_says_the_same_in_words(page, scene):
    taken(scene, 300, pending=4)
    html = page()
    for part in figures(html).values():
        assert 'role="img"' in part
        assert "<title" in part
        assert "at most" in text(part.split("<desc")[1].split("</desc>")[0])
    assert html.count('id="curve1t"') == 1


def test_missing_samples_are_holes_and_counted(page, scene):
    now = scene.now_ms() // SLOT_MS
    keep([sample(now - at, pending=4) for at in range(60, 0, -1) if not 20 < at < 30])
    html = page()
    assert paths(figures(html)["Pending"])["s-pending"].count("M") == 2
    assert re.search(r"\b(9|10) of 6\d samples are missing", text(html))


@pytest.mark.parametrize(("hours", "lines"), [(1, 60), (6, 36), (24, 48), (48, 48)])
def test_any_span_is_drawn_with_a_table_behind_it(page, scene, hours, lines):
    # A slot may begin before the page is read.
    taken(scene, 400, ago=-2, pending=4, completed=lambda at: at)
    html = page(f"?hours={hours}")
    assert len(table(html)) == lines
    assert table(html)[0][0] == "4"
    assert f"{hours} h ago" in text(html)
    assert "As a table" in text(html)
    assert f"<b>{hours} h</b>" in html


def test_the_table_says_where_there_was_no_sample(page, scene):
    taken(scene, 60, pending=4)
    last = table(page())[-1]
    assert last == ["–"] * 7


@pytest.mark.parametrize("query", ["", "?hours=2", "?hours=x", "?hours=-1", "?hours=999999999"])
def test_a_span_that_is_not_offered_is_the_last_hour(page, scene, query):
    taken(scene, 60, pending=4)
    assert "<b>1 h</b>" in page(query)


def test_without_samples_the_page_says_why(page):
    said = text(page())
    assert "No samples of this time" in said
    assert "It has taken none of this queue yet" in said


def test_samples_that_ended_long_ago_are_told_by_the_last(page, scene):
    taken(scene, 10, ago=3 * 360, pending=4)
    said = text(page())
    assert "The last one of this queue was taken 3 h ago" in said
    assert "no agent has run since" in said
    assert "No samples" not in text(page("?hours=6"))


def test_a_damaged_hour_is_a_hole(page, scene):
    taken(scene, 400, pending=4)
    SampleHour.objects.order_by("hour").first().delete()
    SampleHour.objects.update(packed=b"\x00 damaged")
    assert "No samples of this time" in text(page())


def test_counters_that_were_set_back_are_no_pace_below_zero(page, scene):
    taken(scene, 100, completed=lambda at: at if at < 50 else 0)
    assert not re.search(r"[-−]\d", text(figures(page())["Done a minute"]).split("1 h ago")[0])


def test_the_chart_reads_itself_anew_as_a_part_of_its_page(page, scene):
    taken(scene, 60, pending=4)
    assert 'data-poll="10000"' in page()
    part = page(**HX)
    assert "<html" not in part
    assert "Pending" in figures(part)


def test_samples_of_another_queue_or_server_are_not_of_this_one(page, scene):
    now = scene.now_ms() // SLOT_MS
    keep([sample(now, pending=4)], queue="mail")
    keep([sample(now, pending=4)], server="other")
    assert "No samples of this time" in text(page())


def test_a_young_queue_says_since_when_and_counts_no_sample_before(page, scene):
    # A slot may begin before the page is read.
    taken(scene, 60, ago=-1, pending=4)
    for query in ("", "?hours=48"):
        said = text(page(query))
        assert "samples since" in said
        assert "missing" not in said


def test_the_samples_are_drawn_while_the_server_is_away(page, scene, browser, settings):
    taken(scene, 200, pending=4)
    settings.EMQ_SERVERS = "prod=redis://127.0.0.1:1/0?connect_ms=100"
    html = page()
    assert "Out of reach:" in text(html)
    assert paths(figures(html)["Pending"])["s-pending"]
    assert "last seen" in text(html)


def test_a_queue_that_nobody_knows_has_no_chart(scene, browser):
    assert browser("viewer").get("/q/prod/nosuch/chart").status_code == 404
