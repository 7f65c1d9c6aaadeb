"""The page of the stalls: what its rows say, how it is sifted, and what it cannot know."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from echomq_admin.ledger.endings import queries
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.models import Kind, TrailEntry
from tests.console.scene import HX, A, B, tags, text
from tests.console.stalls.seen import URL, link, links, page, shown
from tests.ledger.endings.made import NOON, ending


def test_a_row_says_what_became_of_the_lease_when_where_and_how_late(scene, browser):
    ending(
        A, EndingKind.DEAD, lane="room-7", error=b"stalled\nagain", attempts=4, stalled=2,
        renewals=3, source=Source.SCRIPT, within_ms=0, deadline_ms=NOON - 2_100,
    )  # fmt: skip
    html = page(browser("viewer"))
    (row,) = shown(html)
    for part in (
        A, "prod/orders", "lane room-7", "stalled, dead", "exact", "12:00", " 4 ", " 2 ",
        "2.1 s past its deadline", "renewed 3 times", "stalled again",
    ):  # fmt: skip
        assert part in row
    assert "earlier" not in row
    assert {
        f"/q/prod/orders/job/{A}",
        f"/stalls?server=prod&queue=orders&job={A}",
        "/stalls?server=prod&queue=orders&lane=room-7",
        "/stalls?server=prod&queue=orders",
    } <= links(html)


def test_an_observed_time_says_how_exact_it_is(scene, browser):
    ending(A, within_ms=1_500, deadline_ms=NOON - 2_000)
    (row,) = shown(page(browser("viewer")))
    assert "or up to 1.5 s earlier" in row
    assert "0.5 s to 2.0 s past its deadline" in row


@pytest.mark.parametrize("kind", EndingKind)
def test_every_kind_has_a_shape_and_a_word(scene, browser, kind):
    ending(A, kind)
    html = page(browser("viewer"))
    assert EndingKind(kind).label in shown(html)[0]
    assert re.search(r'<span class="chip \w+" title="[^"]+"><svg', html.split("<tbody>")[1])


def test_what_is_not_known_is_said_to_be_so(scene, browser):
    ending(A, EndingKind.FAILED, attempts=-1, deadline_ms=None, source=Source.FOUND)
    (row,) = shown(page(browser("viewer")))
    assert "found dead" in row
    assert row.count("?") == 3


def test_what_the_wire_holds_is_text_however_hostile(scene, browser):
    bad = "<script>alert(1)</script>\u202e"
    ending(
        "JOB\udcff<b>",
        queue=f"q{bad}",
        lane=f"l{bad}",
        error=f"{bad}\0\xff".encode("latin-1", "replace"),
    )
    ending("x" * 41, EndingKind.DEAD, error=b"\x80\x04" * 400, lane="\udcff" * 300)
    html = page(browser("viewer"))
    assert "<script>alert" not in html
    assert "\u202e" not in html
    assert "<b>\\x" not in html
    assert len(shown(html)) == 2


def test_a_server_that_is_configured_no_longer_leads_nowhere(scene, browser):
    ending(A, server="gone away/..", queue="orders")
    html = page(browser("viewer"))
    assert "gone away/../orders" in shown(html)[0]
    assert not [href for href in links(html) if href.startswith("/q/")]
    assert page(browser("viewer"), server="gone away/..", queue="orders")


SIFTED = {
    "server": "dev",
    "queue": "b\udcff",
    "lane": "room\udcff",
    "job": "JOB\udcff",
    "kind": "failed",
    "source": "script",
    "from": "2026-11-29 12:00:01Z",
    "q": "NO ROOM",
}


@pytest.mark.parametrize("field", SIFTED)
def test_each_field_leaves_only_the_endings_that_it_names(scene, browser, field):
    ending(A, lane="x", error=b"boom")
    ending(
        "JOB\udcff", EndingKind.FAILED, NOON + 1_000, "dev", "b\udcff", "room\udcff",
        b"there is no room left", source=Source.SCRIPT,
    )  # fmt: skip
    value = SIFTED[field]
    html = page(browser("viewer"), **{field: to_url(value) if "\udcff" in value else value})
    (row,) = shown(html)
    assert "there is no room left" in row


def test_fields_keep_what_was_asked_for(scene, browser):
    asked = {"kind": "dead", "source": "found", "server": "prod", "queue": "orders", "q": "<b>"}
    html = page(browser("viewer"), **asked, job=to_url("\udcff"), lane="l")
    chosen = {
        attrs["value"] for tag, attrs in tags(html) if tag == "option" and "selected" in attrs
    }
    assert chosen == {"dead", "found", "prod"}
    typed = {attrs.get("name"): attrs.get("value") for tag, attrs in tags(html) if tag == "input"}
    assert (typed["queue"], typed["lane"], typed["q"]) == ("orders", "l", "<b>")
    assert typed["job"] == to_url("\udcff")


@pytest.mark.parametrize("field", ["kind", "source"])
def test_a_word_that_is_no_kind_shows_nothing_and_says_why(scene, browser, field):
    ending(A)
    html = page(browser("viewer"), **{field: "nonsense"})
    assert "“nonsense” is no" in text(html)
    assert "Nothing is shown" in text(html)
    assert A not in html


@pytest.mark.parametrize("field", ["queue", "lane", "job"])
def test_a_name_beyond_all_measure_is_not_taken_for_none(scene, browser, field):
    ending(A)
    asked = {field: "x" * 8_001}
    said = text(page(browser("viewer"), **asked))
    assert f"The {field} is longer than the 8,000 characters that can be looked for." in said
    assert "Nothing is shown" in said
    assert A not in said
    assert browser("viewer").get("/stalls.csv", asked).status_code == 400


def test_the_ranges_are_one_press_away_and_go_on_meaning_the_last_hours(scene, browser):
    html = page(browser("viewer"), kind="dead")
    offered = {href for href in links(html) if "from=" in href}
    assert offered == {f"/stalls?kind=dead&from={n}" for n in ("1h", "24h", "7d")}
    answer = browser("viewer").get("/stalls?kind=dead&from=24h")
    assert answer.status_code == 200
    pressed = [
        attrs["href"]
        for tag, attrs in tags(answer.content.decode())
        if tag == "a" and attrs.get("aria-current") == "true"
    ]
    assert pressed == ["/stalls?kind=dead&from=24h"]


def test_a_clock_time_that_is_typed_becomes_one_that_means_the_same_later(scene, browser):
    answer = browser("viewer").get(URL, {"from": "13:00"})
    assert re.fullmatch(r"/stalls\?from=20\d\d-\d\d-\d\d\+13%3A00%3A00Z", answer["Location"])


def test_a_range_that_ends_before_it_begins_is_refused(scene, browser):
    ending(A)
    for path in (URL, "/trail"):
        asked = {"from": "2026-11-29 13:00Z", "to": "2026-11-29 12:00Z"}
        said = text(browser("viewer").get(path, asked).content.decode())
        assert "To is before From." in said
        assert "Nothing is shown" in said


def test_who_ended_a_lease_is_told_with_a_way_to_the_call(scene, browser):
    entry = TrailEntry.objects.create(
        kind=Kind.MOVED, at_ms=NOON, server="prod", queue=b"orders", op="sweep", actor="ol<b>",
        op_id="abc", n=1,
    )  # fmt: skip
    ending(A, source=Source.SCRIPT, entry=entry.pk)
    html = page(browser("viewer"))
    assert "exact sweep by ol<b>" in shown(html)[0]
    assert "/trail?op_id=abc" in links(html)


def test_of_a_queue_the_page_has_its_head_and_tabs(scene, browser):
    scene.pending(A)
    html = page(browser("viewer"), server="prod", queue="orders")
    current = [
        attrs["href"]
        for tag, attrs in tags(html.split('class="tabs"')[1])
        if tag == "a" and attrs.get("aria-current") == "page"
    ]
    assert current == ["/stalls?server=prod&queue=orders"]
    assert "/q/prod/orders/dead" in links(html)


def test_now_is_what_the_server_says_however_wrong_the_clock_of_the_console_is(
    scene, browser, monkeypatch
):
    ahead = timezone.now() + timedelta(hours=3)
    monkeypatch.setattr(timezone, "now", lambda: ahead)
    scene.pending(A)
    discovery.discover(servers.server("prod"))
    ending(A, at_ms=scene.now_ms() - 120_000)
    ending(B, at_ms=scene.now_ms() - 7_200_000)
    who = browser("viewer")
    who.get(URL)
    (row,) = shown(page(who, **{"from": "1 h ago"}))
    assert "2 min ago" in row


def test_a_time_that_cannot_be_read_shows_nothing_and_says_why(scene, browser):
    ending(A)
    html = page(browser("viewer"), **{"from": "noon-ish"})
    assert "“noon-ish” is no time that can be read" in text(html)
    assert "Nothing is shown" in text(html)
    assert A not in html
    assert "data-loads" not in html


def test_pages_are_turned_both_ways(scene, browser):
    for at in range(60):
        ending(f"JOB{at:02}", at_ms=NOON + at)
    who, seen = browser("viewer"), []
    html = page(who)
    while True:
        seen += [re.search(r"JOB(\d\d)", row)[1] for row in shown(html)]
        if not link(html, "next"):
            break
        html = who.get(f"{URL}{link(html, 'next')}").content.decode()
        assert "data-poll" not in html
    assert seen == [f"{at:02}" for at in reversed(range(60))]
    html = who.get(f"{URL}{link(html, 'prev')}").content.decode()
    assert "JOB34" in shown(html)[0]


def test_the_newest_page_reads_itself_anew(scene, browser):
    ending(A)
    assert 'data-poll="5000"' in page(browser("viewer"))
    part = browser("viewer").get(URL, headers=HX).content.decode()
    assert "<html" not in part
    assert A in part


def test_a_search_that_was_ended_says_so_and_can_go_on(scene, browser, monkeypatch):
    monkeypatch.setattr(queries, "WINDOW", 10)
    ending(A, at_ms=NOON - 1, error=b"the one")
    for at in range(15):
        ending(f"J{at}", at_ms=NOON + at, error=b"other")
    html = page(browser("viewer"), q="THE ONE")
    assert "Looked through 10 endings, none matches." in text(html)
    assert "Endings that match" in text(html)
    (row,) = shown(browser("viewer").get(f"{URL}{link(html, 'next')}").content.decode())
    assert A in row


def test_the_number_of_endings_is_true_or_not_said(scene, browser, monkeypatch):
    monkeypatch.setattr(queries, "COUNTED", 2)
    ending(A)
    assert "1 ending newest" in text(page(browser("viewer")))
    ending(A, attempts=2)
    ending(A, attempts=3)
    assert "More than 2 endings" in text(page(browser("viewer")))


def test_the_rail_and_the_tabs_of_a_queue_lead_here(scene, browser):
    scene.pending(A)
    html = browser("viewer").get("/q/prod/orders/pending").content.decode()
    assert {"/stalls", "/stalls?server=prod&queue=orders"} <= links(html)
    html = page(browser("viewer"), server="prod", queue="orders")
    assert "/q/prod/orders/active" in links(html)
    assert "Stalls of orders" in text(html)


def test_it_is_read_while_the_server_is_away(scene, browser, settings):
    ending(A)
    settings.EMQ_SERVERS = "prod=redis://127.0.0.1:1/0?connect_ms=100"
    assert A in shown(page(browser("viewer")))[0]


def test_a_page_of_the_longest_names_is_kept_in_bounds(scene, browser):
    for at in range(100):
        ending(f"J{at:039}", at_ms=NOON + at, queue="q" * 4_000, lane="l" * 400, error=b"e" * 1_000)
    assert len(page(browser("viewer"), rows=100)) < 900_000


@pytest.mark.parametrize("count", [1, 60])
@pytest.mark.parametrize(("url", "most"), [(URL, 22), (f"{URL}/shape", 22)])
def test_what_a_page_asks_of_the_database_does_not_grow(scene, browser, url, most, count):
    for at in range(count):
        kind = list(EndingKind)[at % 6]
        ending(f"J{at}", kind, NOON + at, queue=f"q{at % 9}", lane=f"l{at}", error=b"boom %d" % at)
    who = browser("viewer")
    who.get(url)
    for query in ("", "?server=prod&queue=q1", "?kind=dead&q=boom&lane=l1", "?job=J1"):
        with CaptureQueriesContext(connection) as asked:
            assert who.get(f"{url}{query}").status_code == 200
        assert len(asked) <= most
