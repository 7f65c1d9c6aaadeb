"""The trail as it is read: filters, pages both ways, and what a filter costs."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet.own_database import is_postgresql
from echomq_admin.ledger import trail
from echomq_admin.ledger.models import Gap, Kind, TrailEntry, TrailJob, job_key
from echomq_admin.ledger.sieve import row_by_row, sieve
from echomq_admin.ledger.trail import Filter
from tests.plans import plan

pytestmark = pytest.mark.django_db


def entry(at_ms: int, *job_ids: str, **fields: object) -> TrailEntry:
    """An entry of the trail, and which jobs it names."""
    made = TrailEntry.objects.create(
        **({"kind": Kind.MOVED, "at_ms": at_ms, "op": "requeue", "actor": "olena"} | fields)
    )
    for job_id in job_ids:
        TrailJob.objects.create(entry=made, job=job_key(job_id), at_ms=at_ms)
    return made


def times(found: trail.Page) -> list[int]:
    return [one.at_ms for one in found.entries]


def total(wanted: Filter) -> int | None:
    return trail.page(wanted, 1, counted=True).total


def walked(wanted: Filter, rows: int) -> list[int]:
    """The ids of all pages from the newest to the oldest."""
    ids, cursor = [], ""
    while cursor is not None:
        found = trail.page(wanted, rows, cursor)
        ids += [one.pk for one in found.entries]
        cursor = found.next
    return ids


def walked_back(wanted: Filter, rows: int) -> list[int]:
    """The ids of all pages from the oldest to the newest, each page newest first."""
    found = trail.page(wanted, rows)
    while found.next:
        found = trail.page(wanted, rows, found.next)
    ids = [one.pk for one in found.entries]
    while found.previous:
        found = trail.page(wanted, rows, found.previous)
        ids = [one.pk for one in found.entries] + ids
    return ids


def test_the_newest_entry_comes_first_and_of_one_instant_the_last_written():
    first, second, third = entry(5), entry(7), entry(5)
    found = trail.page(Filter(), 10)
    assert [one.pk for one in found.entries] == [second.pk, third.pk, first.pk]
    assert (found.previous, found.next) == (None, None)


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 20])
def test_pages_meet_every_entry_once_both_ways(rows):
    made = [entry(at // 3) for at in range(14)]
    newest_first = [one.pk for one in reversed(made)]
    assert walked(Filter(), rows) == newest_first
    assert walked_back(Filter(), rows)[-len(newest_first) :] == newest_first


def test_a_page_stays_while_newer_entries_are_written():
    for at in range(6):
        entry(at)
    second = trail.page(Filter(), 2, trail.page(Filter(), 2).next)
    entry(100)
    again = trail.page(Filter(), 2, trail.page(Filter(), 2).next and "o4.5")
    assert times(second) == [3, 2]
    assert times(again) == [3, 2]
    assert times(trail.page(Filter(), 3, second.previous)) == [100, 5, 4]


def test_a_page_with_nothing_newer_is_the_newest():
    for at in range(3):
        entry(at)
    assert times(trail.page(Filter(), 2, "n99.1")) == [2, 1]
    assert times(trail.page(Filter(), 2, "n1.1")) == [2, 1]


@pytest.mark.parametrize("cursor", ["x", "o1", "o1.2.3", "o9999999999999999999999.1", "n-.1", "ö"])
def test_a_cursor_that_is_none_of_ours_is_the_newest_page(cursor):
    entry(1)
    assert times(trail.page(Filter(), 2, cursor)) == [1]


FILTERS = {
    "actor": Filter(actor="petro"),
    "op": Filter(op="remove"),
    "kind": Filter(kind=Kind.REFUSED),
    "server": Filter(server="prod"),
    "queue": Filter(queue="b\udcff"),
    "server and queue": Filter(server="prod", queue="b\udcff"),
    "job": Filter(job_id="JOB\udcfe"),
    "op_id": Filter(op_id="abc"),
    "a time range": Filter(since_ms=50, until_ms=51),
    "a reason": Filter(text="WRONG tenant"),
    "a sentence": Filter(text="no lo_ger 100%"),
}
MATCHING = {
    "actor": {"actor": "petro"},
    "op": {"op": "remove"},
    "kind": {"kind": Kind.REFUSED},
    "server": {"server": "prod"},
    "queue": {"queue": b"b\xff"},
    "server and queue": {"server": "prod", "queue": b"b\xff"},
    "job": {},
    "op_id": {"op_id": "abc"},
    "a time range": {},
    "a reason": {"reason": "a wrong tenant, sorry"},
    "a sentence": {"sentence": "It is no lo_ger 100% there."},
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_finds_what_matches_and_nothing_else(name):
    for at in range(5):
        entry(at, "JOB", server="other", queue=b"a", op_id=f"abcd{at}", sentence="no longer 100")
    made = entry(50, *(["JOB\udcfe"] if name == "job" else []), **MATCHING[name])
    for at in range(60, 65):
        entry(at, server="other", queue=b"a", reason="wrong lane")
    assert [one.pk for one in trail.page(FILTERS[name], 10).entries] == [made.pk]


def test_an_op_id_means_every_step_of_its_call_and_no_other_call():
    steps = [entry(at, op_id=op_id) for at, op_id in enumerate(["abc", "abc.1", "abc.12"])]
    for op_id in ("abcd", "ab", "abc-1", "abc/1", "ABC"):
        entry(9, op_id=op_id)
    found = trail.page(Filter(op_id="abc"), 10).entries
    assert [one.pk for one in found] == [one.pk for one in reversed(steps)]
    assert [one.pk for one in trail.page(Filter(op_id="abc.1"), 10).entries] == [steps[1].pk]


def test_filters_narrow_each_other():
    entry(1, "A", actor="petro", server="prod", queue=b"q", op="remove", reason="old")
    wanted = entry(2, "A", actor="petro", server="prod", queue=b"q", op="requeue", reason="old")
    entry(3, "A", actor="olena", server="prod", queue=b"q", reason="old")
    entry(4, "B", actor="petro", server="prod", queue=b"q", reason="old")
    entry(5, "A", actor="petro", server="prod", queue=b"r", reason="old")
    entry(6, "A", actor="petro", server="prod", queue=b"q", reason="new")
    all_of_them = Filter(
        actor="petro", op="requeue", kind=Kind.MOVED, server="prod", queue="q", job_id="A",
        since_ms=0, until_ms=10, text="old",
    )  # fmt: skip
    assert [one.pk for one in trail.page(all_of_them, 10).entries] == [wanted.pk]
    assert trail.page(Filter(job_id="A", op_id="nope"), 10).entries == ()


@pytest.mark.parametrize("rows", [1, 3, 10])
def test_a_search_goes_on_where_its_window_ended(monkeypatch, rows):
    monkeypatch.setattr(trail, "WINDOW", 7)
    made = [entry(at // 2, reason="late" if at % 10 == 3 else "") for at in range(60)]
    late = [one.pk for one in reversed(made) if one.reason]
    assert walked(Filter(text="late"), rows) == late
    assert walked_back(Filter(text="late"), rows)[-len(late) :] == late


def test_a_search_says_how_far_it_looked(monkeypatch):
    monkeypatch.setattr(trail, "WINDOW", 10)
    for at in range(25):
        entry(at)
    first = trail.page(Filter(text="nowhere"), 5)
    assert (first.entries, first.reached_ms) == ((), 15)
    second = trail.page(Filter(text="nowhere"), 5, first.next)
    last = trail.page(Filter(text="nowhere"), 5, second.next)
    assert (second.reached_ms, last.reached_ms, last.next) == (5, None, None)


def test_a_page_of_heavy_entries_is_shorter_and_loses_none(monkeypatch):
    monkeypatch.setattr(trail, "MOST_BYTES", 250)
    made = [entry(at, jobs=b"x" * 100) for at in range(5)]
    huge = entry(9, jobs=b"x" * 1_000)
    assert [one.pk for one in trail.page(Filter(), 10).entries] == [huge.pk]
    newest_first = [huge.pk, *(one.pk for one in reversed(made))]
    assert walked(Filter(), 10) == newest_first
    assert walked_back(Filter(), 10)[-6:] == newest_first


def test_entries_are_counted_where_an_index_tells(monkeypatch):
    monkeypatch.setattr(trail, "COUNTED", 3)
    for at in range(3):
        entry(at)
    assert total(Filter()) == 3
    assert total(Filter(actor="petro")) == 0
    entry(9)
    assert total(Filter()) == 4
    assert total(Filter(text="x")) is None


def test_all_entries_of_a_filter_come_in_the_order_of_its_pages(monkeypatch):
    monkeypatch.setattr(trail, "CHUNK", 3)
    for at in range(10):
        entry(at, actor="petro" if at % 2 else "olena")
    assert [one.at_ms for one in trail.every(Filter(actor="petro"))] == [9, 7, 5, 3, 1]


def test_a_job_is_named_by_the_queue_that_holds_it():
    entry(1, "JOB1", server="prod", queue=to_wire("b\udcff"))
    assert trail.names_job("prod", "b\udcff", "JOB1")
    assert not trail.names_job("prod", "b", "JOB1")
    assert not trail.names_job("prod", "b\udcff", "JOB2")


INDEXED = {
    "nothing": (Filter(), "trail_by_time"),
    "a time range": (Filter(since_ms=1, until_ms=9), "trail_by_time"),
    "actor": (Filter(actor="olena"), "trail_by_actor"),
    "op": (Filter(op="requeue"), "trail_by_op"),
    "kind": (Filter(kind="moved"), "trail_by_kind"),
    "queue": (Filter(server="prod", queue="q"), "trail_by_queue"),
    "job": (Filter(job_id="A"), "trail_by_job"),
    "op_id": (Filter(op_id="abc"), "trail_by_op_id"),
    "actor in a time range": (Filter(actor="olena", since_ms=1, until_ms=9), "trail_by_actor"),
    "text": (Filter(text="x"), "trail_by_time"),
    "server": (Filter(server="prod"), "trail_by_time"),
    "actor with text": (Filter(actor="olena", text="x"), "trail_by_actor"),
    "job with server": (Filter(job_id="A", server="prod", queue="q"), "trail_by_job"),
}


@pytest.mark.parametrize("name", INDEXED)
@pytest.mark.parametrize("start", [None, (5, 5)])
@pytest.mark.parametrize("newer", [False, True])
def test_a_filter_is_read_from_its_index_in_its_order(name, start, newer):
    wanted, index = INDEXED[name]
    for at in range(3):
        entry(at, "A", server="prod", queue=b"q", op_id="abc")
    sifted = sieve(wanted, 10)
    with CaptureQueriesContext(connection) as asked:
        sifted.keys(start, (0, 1) if sifted.has_rest and not newer else None, newer=newer, most=9)
    found = plan(asked[0]["sql"], is_ordered=name != "op_id")
    chosen = "trail_by" if is_postgresql() and name != "op_id" else index
    assert chosen in found.first
    if name != "op_id":
        assert not found.sorts


def gap(before_id: str, **fields: object) -> Gap:
    return Gap.objects.create(
        **({"server": "prod", "queue": b"q", "after_id": "1-0", "before_id": before_id,
            "found_at_ms": 1_000, "sentence": "3 entries are missing."} | fields)
    )  # fmt: skip


def test_a_gap_stands_on_the_one_page_that_covers_its_time():
    for at in (10, 20, 30, 40, 50):
        entry(at)
    made = [gap(f"{ms}-0") for ms in (5, 20, 25, 30, 60)]
    shown, cursor = [], ""
    while cursor is not None:
        found = trail.page(Filter(), 2, cursor)
        shown.append([trail.gap_ms(one) for one in trail.gaps(Filter(), found)])
        cursor = found.next
    assert shown == [[60], [30, 25], [20, 5]]
    assert sum(map(len, shown)) == len(made)


def test_a_gap_is_kept_apart_by_what_it_can_hold():
    made = gap("20-1")
    gap("x", server="other", queue=b"r")
    everything = trail.page(Filter(), 5)

    def shown(**wanted: object) -> list[int]:
        return [one.pk for one in trail.gaps(Filter(**wanted), everything)]

    assert len(shown()) == len(shown(actor="petro", op="remove")) == 2
    assert shown(server="prod") == shown(queue="q") == shown(until_ms=21) == [made.pk]
    assert shown(kind=Kind.SIGN_IN) == shown(since_ms=21, until_ms=30) == []


@pytest.mark.parametrize("op_id", [{"op_id": "a"}, {"op_id__gt": "a.", "op_id__lt": "a/"}])
def test_a_call_is_found_by_its_op_id_however_many_entries_are_like_it(op_id):
    there = row_by_row(server="prod", queue=b"q", kind=Kind.MOVED)
    made = entry(1, server="prod", queue=b"q", op_id="a" if "op_id" in op_id else "a.1")
    entry(1, server="dev", queue=b"q", op_id=made.op_id)
    found = TrailEntry.objects.filter(there, **op_id)
    with CaptureQueriesContext(connection) as asked:
        assert list(found) == [made]
    assert "trail_by_op_id" in plan(asked[0]["sql"], is_ordered=False).first


def test_steps_of_a_call_are_told_from_op_ids_that_a_language_would_put_among_them():
    for op_id in ("abc", "abc.1", "abc.2.1", "abc(1)", "abc'1", "abc/1", "abcd", "ABC.1"):
        entry(1, op_id=op_id)
    found = trail.page(Filter(op_id="abc"), 10).entries
    assert {one.op_id for one in found} == {"abc", "abc.1", "abc.2.1"}
