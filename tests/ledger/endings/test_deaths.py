"""When jobs died, of a page and one after another."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from echomq_admin.ledger.endings import deaths
from echomq_admin.ledger.endings.deaths import Start, walk
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.keysets import cursor_of
from tests.ledger.endings.made import NOON, ending

pytestmark = pytest.mark.django_db

DEAD, FAILED = EndingKind.DEAD, EndingKind.FAILED


def died(job_id: str, at_ms: int = NOON, kind: EndingKind = DEAD, **fields: object):
    return ending(job_id, kind, at_ms, **fields)


def ids(found: deaths.Walk) -> list[str]:
    return [death.job_id for death in found.deaths]


def all_of(start: Start = Start()) -> list[str]:  # noqa: B008
    return ids(walk("prod", "orders", start))


def test_the_last_death_of_each_job_counts_and_no_other_ending():
    died("a", NOON, attempts=3)
    died("a", NOON + 5, FAILED, attempts=4, within_ms=9, source=Source.FOUND)
    ending("a", EndingKind.RECOVERED, NOON + 9, attempts=5)
    ending("b", EndingKind.REAPED)
    died("c", queue="mail")
    died("d", server="other")
    found = deaths.of_jobs("prod", "orders", ["a", "b", "c", "d", "e"])
    assert found.keys() == {"a"}
    death = found["a"]
    assert (death.ended_ms, death.within_ms, death.attempts) == (NOON + 5, 9, 4)
    assert death.source == Source.FOUND


def test_nothing_is_known_of_a_queue_that_the_ledger_never_saw():
    assert deaths.of_jobs("prod", "orders", ["a"]) == {}
    assert all_of() == []


def test_attempts_that_are_no_number_are_unknown():
    died("a", attempts=-1)
    assert deaths.of_jobs("prod", "orders", ["a"])["a"].attempts is None


def test_the_walk_goes_from_the_newest_to_the_oldest_and_meets_each_job_once():
    died("a", NOON)
    died("b", NOON + 1)
    died("a", NOON + 2, attempts=2)
    died("c", NOON + 2)
    ending("d", EndingKind.RECOVERED, NOON + 3)
    assert all_of() == ["c", "a", "b"]


def test_deaths_of_one_instant_are_neither_repeated_nor_skipped_from_page_to_page():
    made = [died(name) for name in "abcd"]
    key = walk("prod", "orders", Start()).deaths[1].key
    assert key == (NOON, made[2].pk)
    assert all_of(Start.read(cursor_of("o", key))) == ["b", "a"]
    assert all_of(Start.read(cursor_of("n", key))) == ["d"]


def test_an_instant_opens_at_what_died_then_or_before():
    for step, name in enumerate("abc"):
        died(name, NOON + step)
    assert all_of(Start.read("", NOON + 1)) == ["b", "a"]
    assert all_of(Start.read("", NOON - 1)) == []


@pytest.mark.parametrize("text", ["", "x", "o1", "o1.", "1.2", "o1.2.3", "o" + "9" * 30 + ".1"])
def test_a_cursor_that_is_none_of_ours_opens_the_newest(text):
    assert Start.read(text) == Start()


@pytest.mark.parametrize("at", [2**70, -(2**70)])
def test_an_instant_beyond_all_calendars_breaks_nothing(at):
    died("a")
    assert all_of(Start.read("", at)) == (["a"] if at > 0 else [])
    assert all_of(Start.read(f"o{'9' * 18}.{'9' * 19}")) == ["a"]


def test_looking_ends_at_the_window_and_goes_on_behind_it(monkeypatch):
    monkeypatch.setattr(deaths, "WINDOW", 3)
    died("a", NOON)
    died("b", NOON + 1)
    for step in range(2, 6):
        ending("x", EndingKind.RECOVERED, NOON + step, attempts=step)
    first = walk("prod", "orders", Start())
    assert first.deaths == ()
    second = walk("prod", "orders", Start.read(cursor_of("o", first.edge)))
    assert ids(second) == ["b", "a"]
    assert walk("prod", "orders", Start.read(cursor_of("o", second.edge))) == deaths.Walk()


def test_an_upward_walk_ends_at_the_window_too(monkeypatch):
    monkeypatch.setattr(deaths, "WINDOW", 2)
    made = [died(name, NOON + step) for step, name in enumerate("abcd")]
    found = walk("prod", "orders", Start((NOON, made[0].pk), is_newer=True))
    assert ids(found) == ["b", "c"]
    assert found.edge == (NOON + 2, made[2].pk)


def test_so_many_deaths_are_told_at_once_and_the_walk_says_that_there_are_more(monkeypatch):
    monkeypatch.setattr(deaths, "MOST", 2)
    for step, name in enumerate("abc"):
        died(name, NOON + step)
    found = walk("prod", "orders", Start())
    assert ids(found) == ["c", "b"]
    assert all_of(Start.read(cursor_of("o", found.edge))) == ["a"]


def test_heavy_ids_shorten_a_walk_and_one_is_always_told(monkeypatch):
    monkeypatch.setattr(deaths, "MOST_BYTES", 5)
    for step, name in enumerate(("aaa", "bbb", "c" * 30)):
        died(name, NOON + step)
    first = walk("prod", "orders", Start())
    assert ids(first) == ["c" * 30]
    second = walk("prod", "orders", Start.read(cursor_of("o", first.edge)))
    assert ids(second) == ["bbb"]


def test_a_walk_takes_four_queries_however_many_died():
    for step in range(30):
        died(f"j{step}", NOON + step)
    with CaptureQueriesContext(connection) as queries:
        assert len(all_of()) == 30
    assert len(queries) <= 4
