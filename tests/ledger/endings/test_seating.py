"""Which lease is told of, and which seat it gets among those of its job."""

from __future__ import annotations

import pytest

from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.seating import UNNUMBERED
from tests.ledger.endings.seats import Leaf, T

RECOVERED, DEAD, REAPED = EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.REAPED
FAILED, OPERATOR, UNCERTAIN = EndingKind.FAILED, EndingKind.OPERATOR, EndingKind.UNCERTAIN
HOUR = 3_600_000


def test_the_first_lease_that_is_told_sits_in_life_0():
    assert Leaf().script(3, RECOVERED, 0).seats == [(0, 3, 0)]


def test_the_leases_of_a_life_sit_in_one_life():
    leaf = Leaf()
    for attempts in (1, 2, 5):
        leaf.script(attempts, RECOVERED, attempts * 1000)
    assert leaf.seats == [(0, 1, 0), (0, 2, 0), (0, 5, 0)]


@pytest.mark.parametrize("deadline", [100, None])
def test_what_the_observer_saw_and_a_script_tells_is_one_lease(deadline):
    leaf = Leaf().observer(1, REAPED, 1000, deadline=100)
    leaf.script(1, RECOVERED, 900, deadline=deadline)
    assert (leaf.seats, leaf.only.ended_ms, leaf.only.deadline_ms) == (
        [(0, 1, 0)],
        T + 900,
        T + 100,
    )


def test_what_a_script_told_and_the_observer_saw_is_one_lease():
    leaf = Leaf().script(1, RECOVERED, 900, deadline=100)
    leaf.observer(1, REAPED, 1000, deadline=100, renewals=4)
    assert (leaf.only.kind, leaf.only.source, leaf.only.renewals) == (RECOVERED, Source.SCRIPT, 4)


def test_a_renewal_that_the_observer_missed_makes_no_second_lease():
    leaf = Leaf().observer(1, REAPED, 1000, deadline=100).script(1, RECOVERED, 900, deadline=700)
    assert (leaf.seats, leaf.only.deadline_ms) == ([(0, 1, 0)], T + 700)


def test_two_who_tell_it_by_clocks_a_little_apart_tell_of_one_lease():
    assert Leaf().observer(1, REAPED, 1000).script(1, RECOVERED, 2_500).seats == [(0, 1, 0)]


def test_a_lease_that_is_told_twice_sits_once():
    leaf = Leaf()
    for _ in range(2):
        leaf.observer(1, RECOVERED, 1000, deadline=500)
        leaf.observer(2, UNCERTAIN, 9000, within=6000)
        leaf.script(4, FAILED, 20_000, deadline=30_000)
        leaf.observer(UNNUMBERED, RECOVERED, 50_000)
    assert leaf.seats == [(0, -1, 0), (0, 1, 0), (0, 2, 0), (0, 4, 0)]


@pytest.mark.parametrize("first", ["found", "observer"])
def test_a_job_found_dead_whose_death_was_seen_is_one_lease(first):
    leaf = Leaf()
    for name in ("found", "observer") if first == "found" else ("observer", "found"):
        if name == "found":
            leaf.found(3, FAILED, 60_000)
        else:
            leaf.observer(3, FAILED, 1_000)
    assert (leaf.seats, leaf.only.ended_ms, leaf.only.source) == (
        [(0, 3, 0)], T + 1_000, Source.OBSERVER,
    )  # fmt: skip


def test_a_job_found_dead_again_is_nothing_new():
    assert Leaf().found(3, FAILED, 0).found(3, FAILED, HOUR).seats == [(0, 3, 0)]


def test_a_job_found_dead_with_fewer_attempts_than_it_had_lives_again():
    for within in (0, 9 * HOUR):
        leaf = Leaf().script(5, DEAD, 0).found(3, FAILED, HOUR, within=within)
        assert leaf.seats == [(0, 5, 0), (1, 3, 0)]


def test_a_lease_that_ended_after_the_job_was_found_dead_is_another_one():
    assert Leaf().found(3, FAILED, 0).script(3, RECOVERED, 9_000).seats == [(0, 3, 0), (1, 3, 0)]


def test_a_lease_that_a_late_extend_revived_is_the_next_of_its_number():
    leaf = Leaf().observer(1, REAPED, 1000, deadline=500)
    leaf.observer(1, RECOVERED, 9000, deadline=8500, is_revived=True)
    assert leaf.seats == [(0, 1, 0), (0, 1, 1)]
    assert leaf.at(0, 1, 1).kind == RECOVERED


def test_a_revived_lease_that_a_script_told_first_moves_beside_the_one_it_was():
    leaf = Leaf().observer(1, REAPED, 1000, deadline=500).script(1, RECOVERED, 9000, deadline=8500)
    for _ in range(2):
        leaf.observer(1, RECOVERED, 9100, deadline=8500, is_revived=True)
        assert leaf.seats == [(0, 1, 0), (0, 1, 1)]
    assert leaf.at(0, 1, 1).source == Source.SCRIPT


def test_a_lease_that_goes_on_with_the_stalls_of_an_ended_one_was_revived():
    leaf = Leaf().observer(3, DEAD, 0, stalled=2, deadline=-60)
    leaf.script(3, OPERATOR, 1_500, stalled=2, deadline=3_000)
    assert leaf.seats == [(0, 3, 0), (0, 3, 1)]


def test_a_lease_whose_stalls_begin_anew_is_of_the_next_life():
    leaf = Leaf().observer(1, RECOVERED, 0, stalled=1).script(1, RECOVERED, 9_000, stalled=1)
    assert leaf.seats == [(0, 1, 0), (1, 1, 0)]


def test_a_lease_behind_one_with_more_attempts_was_not_revived():
    leaf = Leaf().script(1, RECOVERED, 0, stalled=1).script(2, RECOVERED, 5_000, stalled=2)
    leaf.script(1, RECOVERED, 9_000, stalled=2)
    assert leaf.seats == [(0, 1, 0), (0, 2, 0), (1, 1, 0)]


def test_a_revived_lease_does_not_pull_a_life_apart_in_which_others_sit():
    leaf = Leaf().observer(1, REAPED, 1000, deadline=500).script(1, RECOVERED, 9000, deadline=8500)
    leaf.script(2, RECOVERED, 20_000)
    leaf.observer(1, RECOVERED, 9100, deadline=8500, is_revived=True)
    assert leaf.seats == [(0, 1, 0), (1, 1, 0), (1, 2, 0)]


def test_a_revived_lease_whose_first_end_nobody_told_sits_first():
    assert Leaf().observer(2, RECOVERED, 0, is_revived=True).seats == [(0, 2, 0)]


def test_an_id_that_is_enqueued_again_begins_a_new_life():
    leaf = Leaf().script(1, DEAD, 0).script(1, RECOVERED, HOUR).script(2, DEAD, HOUR + 5_000)
    assert leaf.seats == [(0, 1, 0), (1, 1, 0), (1, 2, 0)]


def test_two_scripts_tell_of_two_leases_however_close_they_are():
    leaf = Leaf().script(1, OPERATOR, 0, deadline=500).script(1, OPERATOR, 1, deadline=501)
    assert leaf.seats == [(0, 1, 0), (1, 1, 0)]


def test_two_scripts_tell_of_two_leases_even_in_one_millisecond():
    leaf = Leaf().script(1, OPERATOR, 0, deadline=500).script(1, OPERATOR, 0, deadline=501)
    assert leaf.seats == [(0, 1, 0), (0, 1, 1)]


def test_two_scripts_tell_of_two_leases_whose_deadlines_cannot_be_read():
    leaf = Leaf().script(1, OPERATOR, 0).script(1, OPERATOR, 1_500)
    assert leaf.seats == [(0, 1, 0), (1, 1, 0)]


def test_a_revived_lease_that_ends_within_two_seconds_is_another_one():
    leaf = Leaf().observer(1, REAPED, 1000, deadline=500)
    leaf.observer(1, RECOVERED, 2500, deadline=2400, is_revived=True)
    assert leaf.seats == [(0, 1, 0), (0, 1, 1)]


def test_a_job_found_dead_in_its_second_life_is_not_the_one_that_died_in_its_first():
    leaf = Leaf().script(3, DEAD, 0).script(1, RECOVERED, HOUR).found(3, FAILED, HOUR + 60_000)
    assert leaf.seats == [(0, 3, 0), (1, 1, 0), (1, 3, 0)]


def test_attempts_that_fell_begin_a_new_life():
    assert Leaf().script(7, RECOVERED, 0).script(2, RECOVERED, 1).seats == [(0, 7, 0), (1, 2, 0)]


def test_a_new_life_that_the_observer_saw_begins_whatever_its_attempts_are():
    leaf = Leaf().observer(1, RECOVERED, 0).observer(2, RECOVERED, 9_000, is_new_life=True)
    assert leaf.seats == [(0, 1, 0), (1, 2, 0)]


def test_a_new_life_that_a_script_told_first_is_parted_from_the_one_before():
    leaf = Leaf().observer(1, RECOVERED, 0).script(2, RECOVERED, 9_000, deadline=8_000)
    for _ in range(2):
        leaf.observer(2, RECOVERED, 9_050, deadline=8_000, is_new_life=True)
        assert leaf.seats == [(0, 1, 0), (1, 2, 0)]


def test_the_first_life_is_the_first_even_when_the_observer_saw_one_before():
    leaf = Leaf().observer(2, RECOVERED, 0, deadline=-5, is_new_life=True)
    leaf.observer(2, RECOVERED, 0, deadline=-5, is_new_life=True)
    assert leaf.seats == [(0, 2, 0)]


def test_a_life_that_has_gone_on_is_not_parted_when_its_beginning_is_told_again():
    leaf = Leaf()
    for _ in range(2):
        leaf.observer(1, RECOVERED, 0, deadline=-5, is_new_life=True)
        leaf.script(2, RECOVERED, 9_000, deadline=8_000)
    assert leaf.seats == [(0, 1, 0), (0, 2, 0)]


def test_an_older_lease_that_is_told_late_takes_its_free_seat():
    leaf = Leaf().script(1, RECOVERED, 0).script(5, RECOVERED, 50_000).script(3, RECOVERED, 30_000)
    assert leaf.seats == [(0, 1, 0), (0, 3, 0), (0, 5, 0)]


def test_an_older_lease_of_the_same_number_was_of_the_life_before():
    leaf = Leaf().observer(1, RECOVERED, 30_000, stalled=1).script(2, DEAD, 60_000, stalled=2)
    leaf.script(1, RECOVERED, 90_000).script(1, OPERATOR, 10_000, stalled=0)
    assert leaf.seats == [(0, 1, 0), (1, 1, 0), (1, 2, 0), (2, 1, 0)]
    assert [leaf.at(life, 1).ended_ms - T for life in range(3)] == [10_000, 30_000, 90_000]


@pytest.mark.parametrize(("kind", "stalled"), [(RECOVERED, 2), (REAPED, 1)])
def test_an_older_lease_whose_stall_count_the_later_goes_on_with_was_revived(kind, stalled):
    leaf = Leaf().observer(1, kind, 30_000, stalled=stalled).script(1, RECOVERED, 10_000, stalled=1)
    assert leaf.seats == [(0, 1, 0), (0, 1, 1)]
    assert leaf.at(0, 1, 0).ended_ms == T + 10_000


def test_an_older_lease_of_an_earlier_life_goes_there():
    leaf = Leaf().script(1, RECOVERED, 0).script(1, RECOVERED, HOUR)
    leaf.script(9, RECOVERED, 50_000)
    assert leaf.seats == [(0, 1, 0), (0, 9, 0), (1, 1, 0)]


def test_the_first_lease_of_a_life_told_after_its_second_goes_before_it():
    leaf = Leaf().script(1, RECOVERED, 0).observer(2, RECOVERED, HOUR, is_new_life=True)
    leaf.script(1, RECOVERED, HOUR - 9_000)
    assert leaf.seats == [(0, 1, 0), (1, 1, 0), (1, 2, 0)]


def test_a_life_that_nobody_told_of_in_time_is_told_with_the_one_before():
    leaf = Leaf().script(1, RECOVERED, 0).script(1, RECOVERED, HOUR)
    leaf.script(1, RECOVERED, HOUR - 9_000)
    assert leaf.seats == [(0, 1, 0), (0, 1, 1), (1, 1, 0)]


def test_of_an_end_that_is_only_known_within_an_hour_no_new_life_is_made():
    leaf = Leaf().script(2, RECOVERED, 1_000).observer(1, UNCERTAIN, HOUR, within=HOUR)
    assert leaf.seats == [(0, 1, 0), (0, 2, 0)]


def test_leases_without_a_number_sit_side_by_side():
    leaf = Leaf().script(4, RECOVERED, 0)
    for at in (0, 10_000, 20_000):
        leaf.script(UNNUMBERED, OPERATOR, at, deadline=at)
    assert leaf.seats == [(0, -1, 0), (0, -1, 1), (0, -1, 2), (0, 4, 0)]


def test_a_clock_that_was_set_back_keeps_the_leases_of_a_life_together():
    leaf = Leaf().script(1, RECOVERED, HOUR).script(2, RECOVERED, 10).script(3, DEAD, 5_000)
    assert leaf.seats == [(0, 1, 0), (0, 2, 0), (0, 3, 0)]


def test_a_clock_that_was_set_back_hides_no_lease():
    leaf = Leaf().script(1, RECOVERED, HOUR, deadline=HOUR - 9).script(1, DEAD, 0, deadline=-9)
    assert leaf.seats == [(0, 1, 0), (1, 1, 0)]


def test_a_clock_that_was_set_back_between_two_who_tell_makes_no_second_lease():
    leaf = Leaf().observer(1, RECOVERED, HOUR, deadline=50).script(1, RECOVERED, 90, deadline=50)
    assert (leaf.seats, leaf.only.ended_ms) == ([(0, 1, 0)], T + 90)
