"""What the ledger cannot know of a range: spans not watched, gaps of the trail, missing deaths."""

from __future__ import annotations

import pytest

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.ledger.endings import queries, unseen
from echomq_admin.ledger.endings.models import Place, Source
from echomq_admin.ledger.endings.sieve import Filter
from echomq_admin.ledger.endings.unseen import Lacking, Watching
from echomq_admin.ledger.keysets import Covers, Cut
from echomq_admin.ledger.models import Gap
from echomq_admin.ledger.observing.models import Blind, Lead, Watched

pytestmark = pytest.mark.django_db
ALL = Cut([], None, None)


def place(server: str = "prod", queue: str = "orders", deaths: int = 0) -> Place:
    return Place.objects.create(server=server, queue=to_wire(queue), deaths=deaths)


def blind(from_ms: int, to_ms: int, server: str = "prod", at: Place | None = None) -> None:
    Lead.objects.get_or_create(server=server)
    Blind.objects.create(server=server, place=at, from_ms=from_ms, to_ms=to_ms, why="It was away.")


def ends(wanted: Filter, found: Covers = ALL) -> list[int]:
    return [span.to_ms for span in unseen.spans(wanted, found)[0]]


@pytest.mark.parametrize(
    ("since", "until", "touches"),
    [(0, 10, False), (0, 11, True), (15, 16, True), (19, 30, True), (20, 30, False), (5, 40, True)],
)
def test_a_span_is_told_where_it_touches_what_is_asked_for_or_shown(since, until, touches):
    blind(10, 20)
    told = [20] if touches else []
    assert ends(Filter(since_ms=since, until_ms=until)) == told
    assert ends(Filter(), Cut([], None, None, since, until)) == told


def test_spans_of_other_queues_are_left_out():
    mine, other = place(), place(queue="other")
    blind(1, 5)
    blind(1, 6, at=mine)
    blind(1, 7, at=other)
    blind(1, 8, server="dev")
    assert ends(Filter()) == [8, 7, 6, 5]
    assert ends(Filter(server="prod")) == [7, 6, 5]
    assert ends(Filter(server="prod", queue="orders")) == [6, 5]
    assert ends(Filter(server="prod", queue="unknown")) == [5]
    assert ends(Filter(queue="orders")) == [8, 6, 5]
    told, _ = unseen.spans(Filter(server="prod", queue="orders"), ALL)
    assert [(span.server, span.queue) for span in told] == [("prod", "orders"), ("prod", None)]


def test_of_many_spans_the_last_are_told_and_it_says_so(monkeypatch):
    monkeypatch.setattr(unseen, "MOST_SPANS", 3)
    for at in range(3):
        blind(at, at + 1)
    assert unseen.spans(Filter(), ALL)[1] is False
    blind(10, 11)
    told, is_more = unseen.spans(Filter(), ALL)
    assert ([span.to_ms for span in told], is_more) == ([11, 3, 2], True)


def test_what_a_script_wrote_no_observer_has_to_see_and_the_other_way_round():
    blind(1, 5)
    gap = Gap.objects.create(
        server="prod", queue=b"orders", after_id="1-0", before_id="3-0", found_at_ms=9, sentence="x"
    )
    assert ends(Filter(source=Source.SCRIPT)) == []
    assert unseen.gaps(Filter(source=Source.SCRIPT), ALL) == [gap]
    assert unseen.gaps(Filter(), ALL) == [gap]
    assert unseen.gaps(Filter(source=Source.OBSERVER), ALL) == []
    assert unseen.gaps(Filter(server="dev"), ALL) == []
    assert unseen.gaps(Filter(since_ms=4), ALL) == []
    assert unseen.gaps(Filter(), Cut([], None, None, since_ms=3)) == []


def watch(at: Place, since: int, seen: int, failed: int | None = None, passed: int | None = None):
    Watched.objects.create(place=at, since_ms=since, seen_ms=seen, failed=failed, passed_ms=passed)


def test_what_is_watched_is_summed_over_the_queues_that_are_asked_for():
    watch(place(deaths=3), 10, 90, failed=5, passed=50)
    watch(place(queue="b", deaths=1), 20, 80, failed=1, passed=40)
    watch(place("dev", "c", deaths=4), 30, 99, failed=2)
    watch(place("dev", "d"), 40, 70)
    assert unseen.watching(Filter(server="prod")) == Watching(
        *(2, 10, 20, {"prod": 90}, 40, 2, 0), (Lacking("prod", "orders", 2),)
    )
    everything = unseen.watching(Filter())
    assert (everything.queues, everything.since_ms, everything.all_ms) == (4, 10, 40)
    assert (everything.seen_ms, everything.passed_ms) == ({"prod": 90, "dev": 99}, None)
    assert (everything.missing, everything.unknown) == (2, 1)
    assert unseen.watching(Filter(server="prod", queue="orders")).missing == 2
    assert unseen.watching(Filter(server="dev", queue="c")) == Watching(
        1, 30, 30, {"dev": 99}, None, 0, 0
    )


def test_a_counter_that_was_read_before_the_newest_deaths_lacks_none():
    watch(place(deaths=5), 1, 1, failed=3)
    watch(place(queue="b", deaths=1), 1, 1, failed=4)
    told = unseen.watching(Filter())
    assert (told.missing, told.unknown) == (3, 0)
    told = unseen.watching(Filter(server="prod", queue="orders"))
    assert (told.missing, told.unknown, told.lacking) == (0, 0, ())


def test_the_queues_that_lack_most_deaths_are_named(monkeypatch):
    monkeypatch.setattr(unseen, "MOST_LACKING", 2)
    for name, failed in {"a": 1, "b": 9, "c\udcff": 5, "d": 0}.items():
        watch(place(queue=name), 1, 1, failed=failed)
    told = unseen.watching(Filter())
    assert [(one.queue, one.deaths) for one in told.lacking] == [("b", 9), ("c\udcff", 5)]
    assert told.missing == 15


def test_a_server_is_not_watched_when_none_of_its_queues_was_looked_at_for_a_minute():
    watch(place(), 1, 1_000)
    watch(place(queue="b"), 1, 5_000)
    watch(place("dev", "c"), 1, 1_000)
    told = unseen.watching(Filter())
    assert unseen.unwatched(told, {"prod": 65_000, "dev": 61_001, "new": 10**9}) == [("dev", 1_000)]
    assert unseen.unwatched(told, {"prod": 65_001}) == [("prod", 5_000)]


def test_where_nothing_is_watched_nothing_is_known():
    assert unseen.watching(Filter()) == Watching()
    assert queries.page(Filter(), 1, counted=True).total == 0
