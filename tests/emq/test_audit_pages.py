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
    "cursor", ["x", "o", "o1", "n1-1x", "o-1-1", "n99999-0", "o1-0", "o" + "9" * 30 + "-0"]
)
def test_a_cursor_that_leads_nowhere_falls_back_to_the_newest(ten, cursor):
    assert ops(audit_page(ten, "orders", 4, cursor)) == "9876"


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
