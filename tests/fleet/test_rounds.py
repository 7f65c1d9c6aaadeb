"""Which queues a look reads, and how soon another may follow."""

from __future__ import annotations

import pytest

from echomq_admin.fleet import rounds
from echomq_admin.fleet.pace import Pace
from echomq_admin.fleet.rounds import WANTED_S, Rounds, portions


@pytest.fixture
def fleet(monkeypatch) -> Rounds:
    """Ten queues without lanes, of which a look pays for three."""
    monkeypatch.setattr(rounds, "BUDGET", 3 * 15)
    made = Rounds()
    made.know({f"q{number}": () for number in range(10)})
    return made


def turn(fleet, now, **options):
    taken = list(fleet.take(now, **options))
    fleet.read(taken, now)
    return taken


def test_a_small_fleet_is_read_whole(fleet):
    fleet.know({"a": (), "b": (), "c": ()})
    assert turn(fleet, 1) == turn(fleet, 2) == ["a", "b", "c"]


def test_those_not_read_longest_come_first(fleet):
    assert turn(fleet, 1) == ["q0", "q1", "q2"]
    assert turn(fleet, 2) == ["q3", "q4", "q5"]
    assert not fleet.are_read(1)
    turn(fleet, 3)
    assert turn(fleet, 4) == ["q9", "q0", "q1"]
    assert fleet.are_read(1)


def test_what_is_looked_at_is_in_every_look_and_the_others_take_turns_beside_it(fleet):
    fleet.want(["q8"], 0)
    assert [turn(fleet, now) for now in (1, 2)] == [["q8", "q0", "q1"], ["q8", "q2", "q3"]]


def test_a_look_out_of_turn_reads_only_what_somebody_waits_for(fleet):
    fleet.want(["q8"], 0)
    assert turn(fleet, 1, only_wanted=True) == ["q8"]


def test_nobody_looks_at_a_queue_for_ever(fleet):
    fleet.want(["q8"], 0)
    assert "q8" not in turn(fleet, WANTED_S + 0.1)


def test_viewers_of_everything_get_a_part_of_it_each_time(fleet):
    fleet.want(fleet.known, 0)
    assert fleet.looks_for_wanted(0) == 2
    assert [len(turn(fleet, now)) for now in (1, 2)] == [6, 6]
    assert fleet.are_read(1)


def test_one_queue_is_read_however_many_lanes_it_has(fleet):
    fleet.know({"huge": ("lane",) * 1_000, "small": ()})
    assert [turn(fleet, now) for now in (1, 2, 3)] == [["small"], ["huge"], ["small"]]


def test_a_huge_queue_that_is_looked_at_leaves_the_others_their_turn(fleet):
    fleet.know({"huge": ("lane",) * 1_000, "a": (), "b": ()})
    fleet.want(["huge"], 0)
    assert [turn(fleet, now) for now in (1, 2)] == [["huge", "a"], ["huge", "b"]]


def test_a_look_is_read_in_parts_the_small_queues_first():
    lanes = ("lane",) * 1_000
    read = portions({"huge": lanes * 20, "b": lanes, "a": (), "c": lanes})
    assert [list(part) for part in read] == [["a", "b"], ["c"], ["huge"]]
    assert list(portions({})) == [{}]


def test_whether_there_are_queues_that_were_not_before_is_told(fleet):
    assert not fleet.know({"q0": ()})
    assert fleet.know({"q0": (), "new": ()})


def test_a_queue_that_is_gone_and_comes_back_was_not_read(fleet):
    turn(fleet, 1)
    fleet.know({"q9": ()})
    fleet.know({"q0": ()})
    assert not fleet.are_read(1)


def test_what_is_not_known_is_read_by_nobody_and_missed_by_nobody(fleet):
    fleet.want(["nowhere"], 0)
    assert "nowhere" not in turn(fleet, 1)
    assert fleet.are_read(1, ["nowhere"])
    assert fleet.looks_for_wanted(1) == 1


def test_looks_follow_each_second_when_they_are_light():
    pace = Pace()
    pace.took(began=100, ended=100.0625, worked_s=0.0625, every_s=1)
    assert (pace.regular_at, pace.soon_at, pace.half_at) == (101, 100.25, 100.125)
    assert pace.oldest(200, looks=1, every_s=1) == 198.5


@pytest.mark.parametrize(("took_s", "worked_s", "apart_s"), [(3, 0.1, 6), (0.5, 0.5, 2.5)])
def test_a_slow_server_or_much_work_makes_them_rare(took_s, worked_s, apart_s):
    pace = Pace()
    pace.took(began=100, ended=100 + took_s, worked_s=worked_s, every_s=1)
    assert pace.regular_at == 100 + apart_s
    assert pace.soon_at == 100 + 2 * took_s
    assert pace.oldest(200, looks=1, every_s=1) == 200 - 1.5 * apart_s
