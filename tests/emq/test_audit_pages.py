"""Pages of the audit stream: turned both ways, opened at an instant, cut by bytes."""

from __future__ import annotations

import pytest

from echomq_admin.emq import audit_pages
from echomq_admin.emq.audit_pages import audit_page

AUDIT = "emqadmin:{orders}:audit"


@pytest.fixture
def ten(client):
    """Entries at 1000, 1010, … 1090 ms, each with its number as its op."""
    for at in range(10):
        client.xadd(AUDIT, {"op": str(at), "t": 1, "n": 0, "jobs": b"\x90"}, f"{1000 + at * 10}-1")
    return client


def ops(page):
    return "".join(entry.op for entry in page.entries)


def test_the_newest_come_first_and_lead_to_older_ones_and_back(ten):
    first = audit_page(ten, "orders", 4)
    assert (ops(first), first.total, first.previous) == ("9876", 10, None)
    second = audit_page(ten, "orders", 4, first.next)
    assert ops(second) == "5432"
    last = audit_page(ten, "orders", 4, second.next)
    assert (ops(last), last.next) == ("10", None)
    assert ops(audit_page(ten, "orders", 4, last.previous)) == "5432"
    assert ops(audit_page(ten, "orders", 4, second.previous)) == "9876"


def test_what_was_written_meanwhile_makes_no_page_skip_or_repeat(ten):
    first = audit_page(ten, "orders", 4)
    ten.xadd(AUDIT, {"op": "x"}, "2000-0")
    second = audit_page(ten, "orders", 4, first.next)
    assert ops(second) == "5432"
    back = audit_page(ten, "orders", 4, second.previous)
    assert ops(back) == "9876"
    assert ops(audit_page(ten, "orders", 4, back.previous)) == "x987"


@pytest.mark.parametrize(
    ("at_ms", "found"),
    [(1050, "5432"), (1055, "5432"), (1049, "4321"), (9_999, "9876"), (2**70, "9876")],
)
def test_an_instant_opens_at_the_entries_up_to_it(ten, at_ms, found):
    page = audit_page(ten, "orders", 4, at_ms=at_ms)
    assert (ops(page), page.is_oldest) == (found, False)
    assert (page.previous is None) == (found == "9876")


@pytest.mark.parametrize("at_ms", [999, 0, -5])
def test_an_instant_before_all_opens_at_the_oldest_and_says_so(ten, at_ms):
    page = audit_page(ten, "orders", 4, at_ms=at_ms)
    assert (ops(page), page.is_oldest, page.next) == ("3210", True, None)
    assert ops(audit_page(ten, "orders", 4, page.previous)) == "7654"
    assert ops(audit_page(ten, "orders", 100, at_ms=at_ms)) == "9876543210"


@pytest.mark.parametrize(
    "cursor",
    [
        *("x", "o", "o1", "n1-1x", "o-1-1", "n99999-0", "o0-0", "o00-00", "o١-0"),
        *("o" + "9" * 30 + "-0", "o" + "9" * 20 + "-0", f"o{2**64}-0", f"n1-{2**64}"),
        f"n{2**64 - 1}-{2**64 - 1}",
    ],
)
def test_a_cursor_that_leads_nowhere_falls_back_to_the_newest(ten, cursor):
    page = audit_page(ten, "orders", 4, cursor)
    assert (ops(page), page.fault, page.is_oldest) == ("9876", None, False)


@pytest.mark.parametrize("cursor", ["o1000-1", "o1-0", "o0-1"])
def test_older_than_all_that_was_not_trimmed_opens_at_the_oldest_and_says_so(ten, cursor):
    page = audit_page(ten, "orders", 4, cursor)
    assert (ops(page), page.is_oldest, page.next) == ("3210", True, None)
    assert ops(audit_page(ten, "orders", 4, page.previous)) == "7654"


def test_a_page_whose_older_entries_were_trimmed_meanwhile_leads_to_the_oldest(ten):
    second = audit_page(ten, "orders", 4, audit_page(ten, "orders", 4).next)
    ten.xtrim(AUDIT, maxlen=6, approximate=False)
    page = audit_page(ten, "orders", 4, second.next)
    assert (ops(page), page.is_oldest, page.next) == ("7654", True, None)
    assert ops(audit_page(ten, "orders", 4, page.previous)) == "9876"


def test_newer_leads_to_older_only_where_something_is_older(ten):
    last = audit_page(ten, "orders", 4, "o1020-1")
    assert audit_page(ten, "orders", 4, last.previous).next == "o1020-1"
    ten.xtrim(AUDIT, maxlen=8, approximate=False)
    page = audit_page(ten, "orders", 4, last.previous)
    assert (ops(page), page.next) == ("5432", None)


def test_when_all_was_trimmed_older_is_an_empty_page(ten):
    ten.xtrim(AUDIT, maxlen=0, approximate=False)
    page = audit_page(ten, "orders", 4, "o1050-1")
    assert (page.entries, page.total, page.fault) == ((), 0, None)


def test_entries_with_the_largest_ids_page_both_ways(client):
    most = 2**64 - 1
    for at in range(10):
        client.xadd(AUDIT, {"op": str(at)}, f"{most}-{most - 9 + at}")
    first = audit_page(client, "orders", 4)
    second = audit_page(client, "orders", 4, first.next)
    third = audit_page(client, "orders", 4, second.next)
    assert (ops(first), ops(second), ops(third), third.next) == ("9876", "5432", "10", None)
    assert ops(audit_page(client, "orders", 4, third.previous)) == "5432"
    assert ops(audit_page(client, "orders", 4, at_ms=most)) == "9876"
    assert audit_page(client, "orders", 4, at_ms=most - 1).is_oldest
    whole = audit_page(client, "orders", 25, at_ms=most - 1)
    assert (ops(whole), whole.fault) == ("9876543210", None)


@pytest.mark.parametrize("rows", [10, 25])
def test_the_last_page_of_large_entries_ends_the_paging(client, rows):
    for at in range(20):
        client.xadd(AUDIT, {"op": f"{at}.", "error": "x" * 200_000}, f"{1000 + at}-1")
    first = audit_page(client, "orders", rows)
    assert (len(first.entries), first.cut) == (10, rows > 10)
    last = audit_page(client, "orders", rows, first.next)
    assert (len(last.entries), last.cut, last.next) == (10, False, None)
    assert ops(audit_page(client, "orders", rows, last.previous)) == ops(first)


def test_a_page_that_was_cut_by_bytes_leads_on_both_ways(ten, monkeypatch):
    monkeypatch.setattr(audit_pages, "PER_CALL", 2)
    monkeypatch.setattr(audit_pages, "MOST_BYTES", 1)
    first = audit_page(ten, "orders", 4)
    assert (ops(first), first.cut) == ("98", True)
    second = audit_page(ten, "orders", 4, first.next)
    assert (ops(second), second.cut) == ("76", True)
    assert ops(audit_page(ten, "orders", 4, second.previous)) == "98"


def test_no_stream_is_an_empty_page_and_another_type_a_fault(client):
    assert audit_page(client, "orders", 4).entries == ()
    assert audit_page(client, "orders", 4, at_ms=5).total == 0
    client.set(AUDIT, "x")
    for page in (
        audit_page(client, "orders", 4),
        audit_page(client, "orders", 4, "o1-1"),
        audit_page(client, "orders", 4, "n1-1"),
        audit_page(client, "orders", 4, at_ms=5),
    ):
        assert (page.entries, page.total) == ((), None)
        assert page.fault
