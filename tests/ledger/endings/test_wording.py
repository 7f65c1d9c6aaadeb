"""What is said of the time at which a lease ended: no more than is known."""

from __future__ import annotations

import pytest

from echomq_admin.ledger.endings import queries
from echomq_admin.ledger.endings.models import Source
from echomq_admin.ledger.endings.told import Told
from echomq_admin.ledger.endings.wording import late, within
from tests.ledger.endings.made import NOON, ending

pytestmark = pytest.mark.django_db


def told(**fields: object) -> Told:
    ending("JOB0KHTOWnGLuA", **fields)
    (one,) = queries.of_job("prod", "orders", "JOB0KHTOWnGLuA")
    return one


@pytest.mark.parametrize(
    ("late_ms", "within_ms", "said"),
    [
        (2_100, 0, "2.1 s past its deadline"),
        (2_100, 20, "2.1 s past its deadline"),
        (2_100, 300, "1.8 s to 2.1 s past its deadline"),
        (2_100, 9_000, "at most 2.1 s past its deadline"),
        (0, 0, "0.0 s past its deadline"),
        (75_000, 0, "1 min 15 s past its deadline"),
        (-8_000, 0, "8.0 s before its deadline"),
        (-20_000, 500, "20 s before its deadline"),
    ],
)
def test_how_late_it_ended_is_said_as_exactly_as_it_is_known(late_ms, within_ms, said):
    assert late(told(deadline_ms=NOON - late_ms, within_ms=within_ms)) == said


def test_without_a_deadline_nothing_is_said_of_it():
    assert late(told(deadline_ms=None)) == ""


def test_a_job_that_was_found_dead_died_then_at_the_latest():
    found = told(source=Source.FOUND)
    assert (within(found), late(found)) == ("or any time before", "")


@pytest.mark.parametrize(
    ("within_ms", "said"),
    [(0, ""), (250, "or up to 0.2 s earlier"), (61_000, "or up to 1 min 1 s earlier")],
)
def test_how_exact_the_time_is_stands_beside_it(within_ms, said):
    assert within(told(within_ms=within_ms)) == said
