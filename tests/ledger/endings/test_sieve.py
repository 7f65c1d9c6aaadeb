"""What a filter of endings costs: each condition is answered by its own index."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from echomq_admin.ledger.endings import queries
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.queries import Filter
from echomq_admin.ledger.endings.sieve import sieve
from tests.ledger.endings.made import ending

pytestmark = pytest.mark.django_db
INDEXES = {
    "endings_by_time": Filter(),
    "endings_by_place": Filter(server="prod", queue="orders"),
    "endings_by_kind": Filter(kind=EndingKind.DEAD),
    "endings_by_source": Filter(source=Source.OBSERVER),
    "endings_by_lane": Filter(lane="room"),
    "one_ending_per_lease": Filter(job_id="A"),
}


def plan(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return str(cursor.fetchall())


def filled() -> None:
    for at in range(30):
        ending(f"J{at}", at_ms=at, lane="room")
    ending("A", EndingKind.DEAD, at_ms=40, lane="room")
    ending("B", at_ms=50, server="dev", queue="orders")


@pytest.mark.parametrize("index", INDEXES)
def test_one_condition_is_answered_by_its_index_alone(index):
    filled()
    sifted = sieve(INDEXES[index], 10)
    assert not sifted.has_rest
    if connection.vendor == "sqlite":
        with CaptureQueriesContext(connection) as asked:
            assert sifted.keys((45, 1), None, newer=False, most=5)
        said = plan(asked[-1]["sql"])
        assert index in said or "sqlite_autoindex_ledger_ending" in said
        assert ("TEMP B-TREE" in said) == (index == "one_ending_per_lease")


def test_the_rarest_of_several_conditions_leads():
    filled()
    wanted = Filter(server="prod", queue="orders", kind=EndingKind.DEAD, lane="room")
    assert (sieve(wanted, 100).driver.covers, sieve(wanted, 100).has_rest) == ({"kind"}, True)
    wanted = Filter(server="dev", queue="orders", kind=EndingKind.RECOVERED)
    assert sieve(wanted, 100).driver.covers == {"place"}
    wanted = Filter(job_id="J3", kind=EndingKind.RECOVERED, source=Source.OBSERVER)
    assert sieve(wanted, 100).driver.covers == {"job_id"}


def test_a_page_looks_at_no_more_than_its_window(monkeypatch):
    filled()
    monkeypatch.setattr(queries, "WINDOW", 5)
    found = queries.page(Filter(kind=EndingKind.RECOVERED, lane="room"), 50)
    assert (len(found.endings), found.reached_ms) == (4, 26)
