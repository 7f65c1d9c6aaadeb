"""The last hour of each queue on the overview and above its own pages."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from echomq_admin.console.sparks import line
from echomq_admin.ledger.samples.models import SampleHour
from echomq_admin.ledger.samples.packing import SLOT_MS
from tests.console import overviews
from tests.console.scene import A, rows, tags
from tests.ledger.samples.made import keep, sample

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def sampled(scene):
    """Keeps samples of `orders`, each a dict of its numbers or `None` for one that is missing; the
    last is that of the present slot."""
    scene.pending(A)
    overviews.discover()

    def keep_all(taken: list[dict | None]) -> None:
        first = scene.now_ms() // SLOT_MS - len(taken) + 1
        keep(
            [sample(first + at, **one) for at, one in enumerate(taken) if one is not None],
        )

    return keep_all


def drawn(html: str) -> list[dict[str, str | None]]:
    """The paths of all sparklines, by class and data."""
    parts = html.split('<svg class="spark"')[1:]
    return [
        {
            a["class"]: a["d"]
            for tag, a in tags(part.split("</svg>")[0])
            if tag == "path" and a["class"] != "axis"
        }
        for part in parts
    ]


def said(html: str) -> list[str]:
    return [a["aria-label"] for tag, a in tags(html) if tag == "svg" and a.get("class") == "spark"]


def test_the_waiting_jobs_of_the_last_hour_are_drawn_and_told_in_words(sampled, browser):
    sampled([{"pending": 10 + at % 30, "dead": 4} for at in range(330)])
    html = overviews.page(browser)
    (paths,) = drawn(html)
    assert list(paths) == ["s-pending"]
    assert paths["s-pending"].count("M") == 1
    (words,) = said(html)
    assert "most" in words
    assert words.endswith("dead 4 all along")


def test_dead_jobs_that_changed_are_a_line_of_their_own(sampled, browser):
    sampled([{"pending": 3, "dead": 4 + at // 100} for at in range(330)])
    (paths,) = drawn(overviews.page(browser))
    assert list(paths) == ["s-pending", "s-dead"]


def test_missing_samples_are_gaps(sampled, browser):
    taken = [{"pending": 3}] * 100 + [None] * 100 + [{"pending": 3}] * 100
    sampled(taken)
    (paths,) = drawn(overviews.page(browser))
    assert paths["s-pending"].count("M") == 2


def test_growing_dead_are_marked_with_a_word_and_lead_to_those_that_died_last(sampled, browser):
    sampled([{"dead": 4} for _ in range(300)] + [{"dead": 5 + at} for at in range(12)])
    html = overviews.page(browser)
    assert "dead +12 in 10 min" in rows(html)[0]
    hrefs = [a["href"] for tag, a in tags(html) if a.get("class") == "chip dead"]
    assert hrefs == ["/q/prod/orders/dead?order=died"]


@pytest.mark.parametrize("dead", [[9] * 60, list(range(60, 0, -1))])
def test_dead_that_stay_or_become_fewer_are_not_marked(sampled, browser, dead):
    sampled([{"dead": count} for count in dead])
    assert "chip dead" not in overviews.page(browser)


def test_a_queue_without_samples_says_why_there_is_no_line(sampled, browser):
    html = overviews.page(browser)
    assert drawn(html) == []
    titles = [a.get("title") or "" for tag, a in tags(html) if tag == "td"]
    assert any("no samples of the last hour" in title for title in titles)


def test_a_few_samples_are_no_line(sampled, browser):
    sampled([{"pending": 3}] * 5)
    assert drawn(overviews.page(browser)) == []


def test_samples_of_less_than_an_hour_say_since_when(sampled, browser):
    sampled([{"pending": 3}] * 20)
    (words,) = said(overviews.page(browser))
    assert words.startswith("Since ")
    assert words.endswith("pending 3 all along; dead 0 all along")


def test_a_page_asks_for_samples_once_a_slot_whoever_looks(sampled, browser, monkeypatch):
    sampled([{"pending": 3}] * 10)
    overviews.page(browser)
    table = SampleHour._meta.db_table
    with CaptureQueriesContext(connection) as queries:
        for _ in range(3):
            overviews.page(browser)
    asked = [query for query in queries if table in query["sql"]]
    # A slot may have begun meanwhile.
    assert len(asked) <= 1


def test_the_pages_of_a_queue_show_its_last_hour_and_lead_to_the_chart(sampled, browser):
    sampled([{"pending": 3}] * 100)
    html = browser("viewer").get("/q/prod/orders/pending").content.decode()
    assert len(drawn(html)) == 1
    assert "/q/prod/orders/chart" in [a.get("href") for tag, a in tags(html) if tag == "a"]


def test_a_line_breaks_at_what_is_unknown_and_a_lone_value_is_a_dot():
    assert line([1, 2, None, 3, None], 0, 1, 10) == "M0.5 9.0L1.5 8.0M3.5 7.0h0"
    assert line([None, None], 0, 1, 10) == ""


def test_what_no_set_can_hold_is_drawn_inside_its_box():
    assert line([-50, 5], 0, 1, 10) == "M0.5 10.0L1.5 5.0"
