"""What the page says that the ledger cannot know: spans, gaps, missing deaths, nobody watching."""

from __future__ import annotations

import pytest

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet import discovery, servers
from echomq_admin.ledger import trail
from echomq_admin.ledger.endings import unseen
from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.endings.shape import HOUR_MS
from echomq_admin.ledger.endings.sieve import Filter
from echomq_admin.ledger.models import Gap
from echomq_admin.ledger.observing.models import Blind, Lead, Watched
from tests.console.scene import A, B, text
from tests.console.stalls.seen import URL, links, page, shown
from tests.ledger.endings.made import NOON, ending


def test_what_was_not_watched_stands_between_the_endings_beside_it(scene, browser):
    ending(A, at_ms=NOON)
    ending(B, at_ms=NOON + 9_000)
    Lead.objects.create(server="prod")
    Blind.objects.create(
        server="prod", from_ms=NOON + 1_000, to_ms=NOON + 5_000, why="The agent <b> was stopped."
    )
    Gap.objects.create(
        server="prod", queue=b"orders", after_id="1-0", before_id=f"{NOON + 7_000}-0",
        found_at_ms=NOON, sentence="7 entries were gone before they were copied.",
    )  # fmt: skip
    newer, gap, span, older = shown(page(browser("viewer")))
    assert (B in newer, A in older) == (True, True)
    assert "Entries of the trail are missing here of prod/orders" in gap
    assert "May be incomplete on prod from 2026-11-29 12:00:01" in span
    assert "The agent <b> was stopped." in span


def test_more_spans_than_are_shown_are_told_of(scene, browser, monkeypatch):
    monkeypatch.setattr(unseen, "MOST_SPANS", 1)
    ending(A)
    Lead.objects.create(server="prod")
    for at in range(2):
        Blind.objects.create(server="prod", from_ms=NOON - at, to_ms=NOON + at, why="Away.")
    assert "More spans were not watched than the 1 that are shown" in text(page(browser("viewer")))


def test_more_gaps_than_are_shown_are_told_of(scene, browser, monkeypatch):
    ending(A)
    said = "Of the gaps of the trail only the 1 that were found last"
    Gap.objects.create(server="prod", queue=b"orders", after_id="1-0", found_at_ms=NOON)
    monkeypatch.setattr(trail, "MOST_GAPS", 1)
    assert said not in text(page(browser("viewer")))
    Gap.objects.create(server="prod", queue=b"other", after_id="1-0", found_at_ms=NOON)
    assert said in text(page(browser("viewer")))
    assert said not in text(page(browser("viewer"), source="observer"))


def watch(queue: str = "orders", **fields: object) -> None:
    at, _ = Place.objects.get_or_create(server="prod", queue=to_wire(queue))
    usual = {"since_ms": NOON, "seen_ms": NOON}
    Watched.objects.create(place=at, **(usual | fields))


def test_where_nobody_watches_the_remedy_is_named(scene, browser):
    said = text(page(browser("viewer")))
    assert "No queue is watched yet." in said
    assert "manage.py agent" in said
    assert "No lease has ended badly yet" in said
    scene.pending(A)
    discovery.discover(servers.server("prod"))
    said = text(page(browser("viewer"), server="prod", queue="orders"))
    assert "This queue is not watched yet." in said
    watch("mail")
    said = text(page(browser("viewer"), queue="orders"))
    assert "None of these queues is watched yet." in said


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ({"queue": "nosuch"}, "No queue is called “nosuch”."),
        ({"queue": "order"}, "Names are meant whole: “orders” would fit."),
        ({"queue": "prod"}, "prod is a server."),
        ({"server": "nosuch"}, "No server is called “nosuch”."),
        ({"server": "prod", "queue": "x"}, "No queue of prod is called “x”."),
    ],
)
def test_a_name_that_nobody_has_is_told_apart_from_one_without_endings(scene, browser, query, why):
    scene.pending(A)
    discovery.discover(servers.server("prod"))
    Lead.objects.create(server="prod")
    Blind.objects.create(server="prod", from_ms=1, to_ms=2, why="Away.")
    for path in (URL, f"{URL}/shape"):
        said = text(browser("viewer").get(path, query).content.decode())
        assert why in said
        untrue = ("watched yet", "without an entry", "0 endings", "Away.", "nothing to draw")
        assert [words for words in untrue if words in said] == []


def test_a_name_that_is_on_record_is_known_though_its_queue_is_gone(scene, browser):
    ending(A, server="old", queue="past")
    assert "No ending matches" in text(page(browser("viewer"), server="old", kind="dead"))
    assert len(shown(page(browser("viewer"), queue="past"))) == 1
    said = text(page(browser("viewer"), server="old", queue="never"))
    assert "No queue of old is called “never”." in said


def test_since_when_it_watches_is_said_and_when_it_stopped(scene, browser):
    ending(A)
    watch()
    watch("other", since_ms=NOON + 60_000)
    scene.pending(A)
    discovery.discover(servers.server("prod"))
    said = text(page(browser("viewer")))
    assert (
        "These 2 queues have been watched since 2026-11-29 12:00:00.000 UTC , the last of them"
        in said
    )
    assert "Nobody watches prod now." in said
    Watched.objects.update(seen_ms=scene.now_ms() - 2_000)
    assert "Nobody watches prod now." not in text(page(browser("viewer")))
    html = page(browser("viewer"), queue="orders", to="2026-11-29 11:00Z")
    assert "Nobody watched then: the agent has watched the first of these queues" in text(html)


@pytest.mark.django_db
def test_a_queue_that_is_gone_does_not_hold_up_what_is_said_of_the_others():
    watch(passed_ms=NOON - 1_000)
    watch("gone", seen_ms=NOON - HOUR_MS, passed_ms=NOON - HOUR_MS)
    watch("gone young", seen_ms=NOON - HOUR_MS, passed_ms=None)
    found = unseen.watching(Filter())
    assert (found.queues, found.passed_ms) == (3, NOON - 1_000)
    watch("new", passed_ms=None)
    assert unseen.watching(Filter()).passed_ms is None
    assert unseen.watching(Filter(queue="gone")).passed_ms == NOON - HOUR_MS


def test_the_deaths_without_an_entry_are_counted(scene, browser):
    watch(failed=7, passed_ms=NOON)
    watch("other", failed=None)
    Place.objects.filter(queue=b"orders").update(deaths=4)
    html = page(browser("viewer"))
    said = text(html)
    assert "3 deaths counted by the queues without an entry: prod/orders 3" in said
    assert "/stalls?server=prod&queue=orders" in links(html)
    assert "Of 1 queue it is not known" in html
    assert "The agent looks through 2,000 dead jobs of a server every 10 s." in said
    assert "The last look" not in said
    said = text(page(browser("viewer"), server="prod", queue="orders"))
    assert "3 deaths counted by the queue without an entry" in said
    assert "every 10 s. The last look at all dead jobs of this queue ended" in said
