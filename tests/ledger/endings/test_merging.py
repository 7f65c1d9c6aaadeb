"""What a row says when several sources tell of its lease, whoever comes first."""

from __future__ import annotations

from itertools import permutations

import pytest

from echomq_admin.ledger.endings.models import EndingKind, Source
from tests.ledger.endings.seats import Leaf, T

RECOVERED, DEAD, REAPED = EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.REAPED
FAILED, OPERATOR, UNCERTAIN = EndingKind.FAILED, EndingKind.OPERATOR, EndingKind.UNCERTAIN


def told(*tellings) -> Leaf:
    leaf = Leaf()
    for source, kind, at, more in tellings:
        leaf.tell(source, 3, kind, at, **more)
    return leaf


def in_any_order(*tellings):
    return [told(*order).only for order in permutations(tellings)]


def test_the_more_exact_source_says_how_it_ended_and_the_other_what_else_it_knows():
    script = (Source.SCRIPT, DEAD, 900, {"deadline": 500, "stalled": 2, "error_id": 7, "entry": 11})
    seen = (Source.OBSERVER, RECOVERED, 1000, {
        "within": 200, "deadline": 400, "stalled": 1, "renewals": 6, "lane_id": 9, "error_id": 8,
    })  # fmt: skip
    for row in in_any_order(script, seen):
        assert (row.kind, row.source, row.ended_ms, row.within_ms) == (
            DEAD,
            Source.SCRIPT,
            T + 900,
            0,
        )
        assert (row.deadline_ms, row.stalled, row.error_id, row.entry) == (T + 500, 2, 7, 11)
        assert (row.renewals, row.lane_id) == (6, 9)


def test_the_error_of_a_death_that_only_the_observer_read_stays():
    script = (Source.SCRIPT, FAILED, 900, {"entry": 11})
    seen = (Source.OBSERVER, FAILED, 1000, {"within": 200, "error_id": 8})
    for row in in_any_order(script, seen):
        assert (row.source, row.error_id) == (Source.SCRIPT, 8)


def test_the_error_of_another_kind_does_not_stay():
    script = (Source.SCRIPT, OPERATOR, 900, {"entry": 11})
    seen = (Source.OBSERVER, FAILED, 1000, {"within": 200, "error_id": 8, "stalled": 4})
    for row in in_any_order(script, seen):
        assert (row.kind, row.error_id, row.stalled) == (OPERATOR, None, None)


def test_a_death_that_was_found_gets_its_time_from_who_saw_it():
    seen = (Source.OBSERVER, FAILED, 1000, {"within": 200, "deadline": 5000})
    found = (Source.FOUND, FAILED, 60_000, {"error_id": 4, "stalled": 1})
    for row in in_any_order(seen, found):
        assert (row.source, row.ended_ms, row.within_ms) == (Source.OBSERVER, T + 1000, 200)
        assert (row.error_id, row.stalled) == (4, 1)


@pytest.mark.parametrize(
    ("seen", "found"),
    [(RECOVERED, DEAD), (REAPED, DEAD), (REAPED, FAILED), (UNCERTAIN, DEAD), (UNCERTAIN, FAILED)],
)
def test_a_job_that_was_dead_between_two_looks_of_the_observer_had_died(seen, found):
    looked = (Source.OBSERVER, seen, 1000, {"within": 400, "renewals": 2})
    requeued = (Source.FOUND, found, 700, {"error_id": 4, "stalled": 1})
    for row in in_any_order(looked, requeued):
        assert (row.kind, row.source, row.error_id) == (found, Source.OBSERVER, 4)
        assert (row.ended_ms, row.within_ms) == (T + 700, 100)
        assert (row.renewals, row.stalled) == (2, 1)


def test_a_count_that_only_the_observer_read_stays():
    looked = (Source.OBSERVER, RECOVERED, 1000, {"within": 400, "stalled": 2})
    requeued = (Source.FOUND, DEAD, 700, {})
    for row in in_any_order(looked, requeued):
        assert (row.kind, row.stalled) == (DEAD, 2)


def test_a_lane_that_only_one_of_them_knows_is_known():
    for one, other in ((9, None), (None, 9)):
        looked = (Source.OBSERVER, REAPED, 1000, {"within": 400, "lane_id": one})
        requeued = (Source.FOUND, FAILED, 700, {"lane_id": other})
        for row in in_any_order(looked, requeued):
            assert row.lane_id == 9


def test_a_stall_that_was_counted_is_no_failure():
    looked = (Source.OBSERVER, RECOVERED, 1000, {"within": 400})
    requeued = (Source.FOUND, FAILED, 700, {"error_id": 4})
    for row in in_any_order(looked, requeued):
        assert (row.kind, row.error_id) == (RECOVERED, None)


@pytest.mark.parametrize("kind", [RECOVERED, REAPED, UNCERTAIN])
def test_a_job_that_died_after_the_observer_looked_did_not_die_of_that_lease(kind):
    looked = (Source.OBSERVER, kind, 1000, {"within": 400})
    found = (Source.FOUND, FAILED, 1001, {"error_id": 4})
    for row in in_any_order(looked, found):
        assert (row.kind, row.ended_ms, row.error_id) == (kind, T + 1000, None)


def test_what_a_script_wrote_stands_against_what_was_found():
    script = (Source.SCRIPT, RECOVERED, 900, {"entry": 11})
    found = (Source.FOUND, FAILED, 900, {"error_id": 4})
    for row in in_any_order(script, found):
        assert (row.kind, row.source, row.entry, row.error_id) == (
            RECOVERED,
            Source.SCRIPT,
            11,
            None,
        )


def test_who_is_sure_is_believed_and_who_is_not_adds_nothing():
    unsure = (Source.OBSERVER, UNCERTAIN, 1000, {"within": 400})
    sure = (Source.OBSERVER, RECOVERED, 1100, {"within": 500, "stalled": 1})
    for row in in_any_order(unsure, sure):
        assert (row.kind, row.ended_ms, row.stalled) == (RECOVERED, T + 1100, 1)


def test_of_two_who_found_it_dead_the_first_is_nearer_to_its_end():
    first = (Source.FOUND, FAILED, 1000, {"error_id": 4})
    second = (Source.FOUND, FAILED, 9000, {"stalled": 2})
    for row in in_any_order(first, second):
        assert (row.ended_ms, row.error_id, row.stalled) == (T + 1000, 4, 2)


def test_who_knows_how_it_died_is_believed_before_who_found_it_first():
    first = (Source.FOUND, UNCERTAIN, 1000, {})
    second = (Source.FOUND, FAILED, 9000, {})
    for row in in_any_order(first, second):
        assert (row.kind, row.ended_ms) == (FAILED, T + 9000)


def test_a_death_that_was_found_between_two_looks_stays_when_they_are_told_again():
    looked = (Source.OBSERVER, RECOVERED, 1000, {"within": 400})
    requeued = (Source.FOUND, DEAD, 700, {"stalled": 1})
    assert told(looked, requeued, looked, requeued).only.kind == DEAD
