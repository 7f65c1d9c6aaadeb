"""How the history of a job ends: with what became of its last lease, and where it is now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from echomq_admin.ledger.endings.history import history
from tests.console.trails import entry, moved
from tests.ledger.endings.made import NOON, ending
from tests.ledger.endings.telling import GONE, SEC, A, here, only, told

pytestmark = pytest.mark.django_db


def test_the_last_lease_that_a_call_knows_of_is_told_of_a_job_that_is_gone():
    entry(moved(A, "extended", 3, 0, NOON + 60 * SEC), at_ms=NOON, op="extend")
    found = told(GONE)
    assert only(found) == ["missing 1-2", "extend olena", "missing 3-3"]
    assert "completed" in found.lives[0].items[-1].why
    assert only(told(here("active", 3, NOON + 60 * SEC)))[-2:] == ["extend olena", "flight 3"]
    assert only(told()) == ["missing 1-2", "extend olena"]


@pytest.mark.parametrize(
    ("present", "is_in_trash", "end"),
    [
        (GONE, False, "given more time by olena; now gone: completed, or removed without"),
        (GONE, True, "now in the trash"),
        (here("active", 3, NOON), False, "now in flight, lapsed 15 min ago"),
        (here("active", 3, NOON + 999 * SEC), False, "now in flight"),
        (here("dead", 3), False, "now dead"),
        (here("lane", 3), False, "now waiting in its lane"),
        (replace(GONE, has_row=True), False, "now in no set"),
        (replace(GONE, has_row=True, awaits=True), False, "now waiting for its children"),
        (
            replace(GONE, has_row=True, fault="dead: the key holds another type"),
            False,
            "where it is now is not known (dead: the key holds another type)",
        ),
    ],
    ids=[
        *("gone", "in the trash", "lapsed", "in flight", "dead"),
        *("in a lane", "in no set", "awaiting children", "not known"),
    ],
)
def test_the_lineage_ends_with_where_the_job_is_now(present, is_in_trash, end):
    ending(A, at_ms=NOON - SEC, attempts=2)
    entry(moved(A, "extended", 3, 0, NOON + 60 * SEC), at_ms=NOON, op="extend")
    assert end in history("prod", "orders", A, present, is_in_trash=is_in_trash).lineage
