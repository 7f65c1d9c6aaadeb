"""Endings as they are read: filters, pages both ways, the whole of them, and those of a job."""

from __future__ import annotations

import pytest

from echomq_admin.ledger.endings import queries, sieve
from echomq_admin.ledger.endings.models import Ending, EndingKind, ErrorText, Lane, LongId, Source
from echomq_admin.ledger.endings.names import job_ref
from echomq_admin.ledger.endings.queries import Filter
from tests.ledger.endings.made import NOON, ending

pytestmark = pytest.mark.django_db
LONG = "JOB" + "x" * 100


def ids(found: queries.Page) -> list[int]:
    return [one.pk for one in found.endings]


def of_any_id(job_id: str, **fields: object) -> Ending:
    """An ending of a job whose id may be too long for its row."""
    made = ending("J", **fields)
    Ending.objects.filter(pk=made.pk).update(job=job_ref(job_id))
    return made


def total(wanted: Filter) -> int | None:
    return queries.page(wanted, 1, counted=True).total


def walked(wanted: Filter, rows: int) -> list[int]:
    """The keys of all pages from the newest to the oldest."""
    keys, cursor = [], ""
    while cursor is not None:
        found = queries.page(wanted, rows, cursor)
        keys += ids(found)
        cursor = found.next
    return keys


def walked_back(wanted: Filter, rows: int) -> list[int]:
    """The keys of all pages from the oldest to the newest, each page newest first."""
    found = queries.page(wanted, rows)
    while found.next:
        found = queries.page(wanted, rows, found.next)
    keys = ids(found)
    while found.previous:
        found = queries.page(wanted, rows, found.previous)
        keys = ids(found) + keys
    return keys


@pytest.mark.parametrize("far", [-(10**30), 10**30])
def test_no_time_is_too_far_to_be_asked_for(far):
    made = ending("A")
    found = ids(queries.page(Filter(since_ms=far), 5)) + ids(queries.page(Filter(until_ms=far), 5))
    assert found == [made.pk]


def test_the_newest_ending_comes_first_and_of_one_instant_the_last_entered():
    first, second, third = ending("A", at_ms=5), ending("B", at_ms=7), ending("C", at_ms=5)
    found = queries.page(Filter(), 10)
    assert ids(found) == [second.pk, third.pk, first.pk]
    assert (found.previous, found.next) == (None, None)


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 20])
def test_pages_meet_every_ending_once_both_ways(rows):
    made = [ending(f"J{at}", at_ms=at // 3) for at in range(14)]
    newest_first = [one.pk for one in reversed(made)]
    assert walked(Filter(), rows) == newest_first
    assert walked_back(Filter(), rows)[-len(newest_first) :] == newest_first


def test_a_page_stays_while_newer_endings_are_entered():
    for at in range(6):
        ending(f"J{at}", at_ms=at)
    after = queries.page(Filter(), 2).next
    before = ids(queries.page(Filter(), 2, after))
    ending("late", at_ms=100)
    assert ids(queries.page(Filter(), 2, after)) == before


@pytest.mark.parametrize("cursor", ["x", "o1", "o1.2.3", "o9999999999999999999999.1", "n-.1", "ö"])
def test_a_cursor_that_is_none_of_ours_is_the_newest_page(cursor):
    made = ending("A")
    assert ids(queries.page(Filter(), 2, cursor)) == [made.pk]


FILTERS = {
    "server": (Filter(server="dev"), {"server": "dev"}),
    "queue": (Filter(queue="b\udcff"), {"queue": "b\udcff"}),
    "server and queue": (Filter(server="dev", queue="b"), {"server": "dev", "queue": "b"}),
    "lane": (Filter(lane="room\udcff"), {"lane": "room\udcff"}),
    "a long lane": (Filter(lane="r" * 300), {"lane": "r" * 300}),
    "kind": (Filter(kind=EndingKind.DEAD), {"kind": EndingKind.DEAD}),
    "source": (Filter(source=Source.FOUND), {"source": Source.FOUND}),
    "a time range": (Filter(since_ms=50, until_ms=51), {}),
    "an error": (Filter(text="TIMEOUT of žluť"), {"error": "A timeout of ŽLUŤOUČKÝ".encode()}),
    "bytes of an error": (Filter(text="b\udcff\udcfe"), {"error": b"\x00B\xff\xfe."}),
    "wild cards": (Filter(text="100% _\\"), {"error": b"100% _\\ done"}),
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_finds_what_matches_and_nothing_else(name):
    wanted, fields = FILTERS[name]
    others = {"server": "other", "queue": "a", "lane": "room", "error": b"100 x timeout"}
    for at in (*range(5), *range(60, 65)):
        ending(f"J{at}", at_ms=at, **others)
    made = ending("JOB", at_ms=50, **fields)
    assert ids(queries.page(wanted, 10)) == [made.pk]
    assert [one.pk for one in queries.every(wanted)] == [made.pk]


@pytest.mark.parametrize("job_id", ["JOB", "J\udcff", "", "x" * 40, "x" * 41, LONG])
def test_a_job_is_found_by_any_id(job_id):
    made = of_any_id(job_id, at_ms=1)
    ending("other", at_ms=2)
    assert ids(queries.page(Filter(job_id=job_id), 10)) == [made.pk]


def test_ids_that_begin_alike_are_apart():
    made = of_any_id(LONG)
    of_any_id(f"{LONG}y")
    assert ids(queries.page(Filter(job_id=LONG), 10)) == [made.pk]


def test_filters_narrow_each_other():
    usual = {"server": "prod", "queue": "q", "lane": "l", "kind": EndingKind.DEAD, "error": b"old"}
    wanted = ending("A", at_ms=2, source=Source.SCRIPT, **usual)
    ending("A", at_ms=1, attempts=2, source=Source.OBSERVER, **usual)
    for at, other in enumerate(
        ({"queue": "r"}, {"lane": "m"}, {"kind": EndingKind.FAILED}, {"error": b"new"}), 3
    ):
        ending("A", at_ms=at, attempts=at, source=Source.SCRIPT, **(usual | other))
    ending("B", at_ms=9, source=Source.SCRIPT, **usual)
    ending("A", at_ms=11, attempts=20, source=Source.SCRIPT, **usual)
    ending("A", at_ms=1, source=Source.SCRIPT, **(usual | {"server": "dev"}))
    all_of_them = Filter(
        server="prod", queue="q", lane="l", job_id="A", kind=EndingKind.DEAD,
        source=Source.SCRIPT, since_ms=0, until_ms=10, text="old",
    )  # fmt: skip
    assert ids(queries.page(all_of_them, 10)) == [wanted.pk]


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(server="none"),
        Filter(server="pr\0d"),
        Filter(queue="none"),
        Filter(lane="none"),
        Filter(server="prod", queue="x"),
    ],
)
def test_a_name_that_nothing_has_finds_nothing(wanted):
    ending("A")
    assert queries.page(wanted, 10) == queries.Page([], None, None)
    assert total(wanted) == 0
    assert list(queries.every(wanted)) == []


def test_a_server_with_all_queues_asks_for_nothing_more_than_the_time():
    ending("A", server="prod", queue="a")
    ending("B", server="prod", queue="b")
    assert not sieve.sieve(Filter(server="prod"), 10).has_rest
    assert total(Filter(server="prod")) == 2
    ending("C", server="dev", queue="c")
    assert sieve.sieve(Filter(server="prod"), 10).has_rest
    assert len(queries.page(Filter(server="prod"), 10).endings) == 2


@pytest.mark.parametrize("rows", [1, 3, 10])
@pytest.mark.parametrize("batch", [1, 2, 100])
def test_a_search_goes_on_where_its_window_ended(monkeypatch, rows, batch):
    monkeypatch.setattr(queries, "WINDOW", 7)
    monkeypatch.setattr(sieve, "BATCH", batch)
    made = [
        ending(f"J{at}", at_ms=at // 2, error=b"late" if at % 10 == 3 else b"soon")
        for at in range(60)
    ]
    late = [one.pk for at, one in enumerate(made) if at % 10 == 3][::-1]
    assert walked(Filter(text="late"), rows) == late
    assert walked_back(Filter(text="late"), rows)[-len(late) :] == late
    assert [one.pk for one in queries.every(Filter(text="late"))] == late


def test_a_search_says_how_far_it_looked(monkeypatch):
    monkeypatch.setattr(queries, "WINDOW", 10)
    for at in range(25):
        ending(f"J{at}", at_ms=at, error=b"boom")
    first = queries.page(Filter(text="nowhere"), 5)
    assert (first.endings, first.reached_ms) == ((), 15)
    second = queries.page(Filter(text="nowhere"), 5, first.next)
    last = queries.page(Filter(text="nowhere"), 5, second.next)
    assert (second.reached_ms, last.reached_ms, last.next) == (5, None, None)


def test_endings_are_counted_where_an_index_tells(monkeypatch):
    monkeypatch.setattr(queries, "COUNTED", 2)
    for at in range(4):
        ending(f"J{at}", kind=EndingKind.DEAD if at < 1 else EndingKind.REAPED, error=b"boom")
    assert total(Filter()) == 3
    assert total(Filter(kind=EndingKind.DEAD)) == 1
    assert total(Filter(text="boom")) is None
    assert total(Filter(kind=EndingKind.DEAD, source=Source.OBSERVER)) is None


def test_an_ending_is_told_with_all_that_is_known():
    made = ending(
        "J\udcff", EndingKind.FAILED, server="prod", queue="b\udcff", lane="r\udcfe",
        error=b"\xff boom", attempts=4, life=2, n=1, stalled=3, renewals=9, within_ms=250,
        deadline_ms=NOON - 1_000, source=Source.SCRIPT, entry=17,
    )  # fmt: skip
    (told,) = queries.page(Filter(), 5).endings
    assert (told.pk, told.server, told.queue, told.job_id) == (
        made.pk,
        "prod",
        "b\udcff",
        "J\udcff",
    )
    assert (told.life, told.attempts, told.n, told.stalled, told.renewals) == (2, 4, 1, 3, 9)
    assert (told.kind, told.source, told.entry) == (EndingKind.FAILED, Source.SCRIPT, 17)
    assert (told.ended_ms, told.within_ms, told.deadline_ms) == (NOON, 250, NOON - 1_000)
    assert told.late_ms == 1_000
    assert (told.lane, told.lane_cut) == ("r\udcfe", False)
    assert (told.error, told.error_size) == (b"\xff boom", 6)


def test_what_is_not_known_is_none():
    ending("J", attempts=-1, deadline_ms=None)
    (told,) = queries.page(Filter(), 5).endings
    absent = (told.attempts, told.late_ms, told.stalled, told.renewals)
    assert {*absent, told.lane, told.error, told.error_size, told.entry} == {None}


def test_names_that_were_pruned_or_cut_say_so():
    made = of_any_id(LONG, lane="r" * 300, error=b"boom")
    Lane.objects.filter(pk=made.lane_id).update(name=b"r" * 200)
    (told,) = queries.page(Filter(), 5).endings
    assert (told.lane, told.lane_cut) == ("r" * 200, True)
    assert told.job_id == LONG[:25] + "…"
    LongId.objects.create(key=job_ref(LONG), job_id=LONG.encode(), last_ms=0)
    Lane.objects.all().delete()
    ErrorText.objects.all().delete()
    (told,) = queries.page(Filter(), 5).endings
    assert (told.job_id, told.lane, told.error, told.error_size) == (LONG, None, None, None)


def test_a_lane_whose_name_just_fits_is_whole():
    ending("J", lane="r" * 200)
    assert not queries.page(Filter(), 5).endings[0].lane_cut


def test_the_leases_of_a_job_are_told_in_order():
    made = {
        (life, attempts, n): ending(
            "J", at_ms=NOON - 100 * life, life=life, attempts=attempts, n=n
        ).pk
        for life, attempts, n in [(1, 1, 0), (0, 2, 1), (0, 10, 0), (0, 2, 0), (0, 1, 0)]
    }
    ending("J", queue="other")
    ending("J", server="dev")
    ending("K")
    told = queries.of_job("prod", "orders", "J")
    assert [(one.life, one.attempts, one.n) for one in told] == sorted(made)
    assert queries.of_job("prod", "nowhere", "J") == []


def test_of_many_leases_of_a_job_the_last_are_told(monkeypatch):
    monkeypatch.setattr(queries, "MOST_OF_JOB", 3)
    for attempts in range(1, 8):
        ending("J", attempts=attempts)
    assert [one.attempts for one in queries.of_job("prod", "orders", "J")] == [5, 6, 7]


def test_every_reads_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr(queries, "CHUNK", 4)
    made = [ending(f"J{at}", at_ms=at).pk for at in range(11)]
    reading = queries.every(Filter())
    assert next(reading).pk == made[-1]
    Ending.objects.filter(ended_ms=0).delete()
    assert [one.pk for one in reading] == made[-2:0:-1]


def test_errors_that_are_known_are_not_kept_for_ever(monkeypatch):
    monkeypatch.setattr(sieve, "MOST_KNOWN", 3)
    made = [ending(f"J{at}", at_ms=at, error=b"boom %d" % at).pk for at in range(12)]
    monkeypatch.setattr(sieve, "BATCH", 2)
    assert [one.pk for one in queries.every(Filter(text="BOOM"))] == made[::-1]
