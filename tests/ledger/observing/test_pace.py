"""Whose turn it is to be looked at, by a clock that the test holds."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from echomq_admin.ledger.observing import pace
from echomq_admin.ledger.observing.pace import Pace
from echomq_admin.ledger.observing.watch import Watch


@dataclass
class Clock:
    now_s: float = 100.0
    cpu_s: float = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def thread_time(self) -> float:
        return self.cpu_s


@pytest.fixture
def clock(monkeypatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(pace, "time", made)
    return made


def watch(soonest_ms: float = float("inf"), shortest_ms: int | None = None) -> Watch:
    made = Watch(shortest_ms=shortest_ms)
    made.soonest_ms = soonest_ms
    return made


def pause(watches: dict[str, Watch], clock: Clock, worked_s: float = 0.0) -> float:
    turns = Pace()
    turns.begin()
    for queue in turns.due(watches):
        turns.looked(queue, watches[queue], now_ms=10_000)
    clock.cpu_s += worked_s
    return round(turns.pause_s(), 3)


@pytest.mark.parametrize(
    ("soonest_ms", "expected_s"),
    [(60_000, 1.0), (10_900, 0.6), (10_200, 0.2), (9_000, 0.1)],
    ids=["far", "near", "at once", "lapsed"],
)
def test_the_nearer_a_lease_is_to_its_end_the_sooner_its_queue_is_looked_at(
    clock, soonest_ms, expected_s
):
    assert pause({"a": watch(), "b": watch(soonest_ms)}, clock) == expected_s


def test_short_leases_make_the_usual_pace_of_their_queue(clock):
    assert pause({"a": watch(shortest_ms=800)}, clock) == pytest.approx(0.4, abs=0.01)


def test_no_more_than_a_quarter_of_the_time_is_worked(clock):
    assert pause({"a": watch(9_000)}, clock, worked_s=0.5) == 1.5


def test_only_those_whose_turn_it_is_are_looked_at_and_all_when_it_is_nobodys(clock):
    watches = {"a": watch(), "b": watch(9_000)}
    turns = Pace()
    turns.begin()
    assert turns.due(watches) == ["a", "b"]
    for queue, each in watches.items():
        turns.looked(queue, each, now_ms=10_000)
    turns.pause_s()
    clock.now_s += 0.02
    turns.begin()
    assert turns.due(watches) == ["a", "b"]
    clock.now_s += 0.08
    turns.begin()
    assert turns.due(watches) == ["b"]


def test_of_very_many_urgent_queues_some_keep_the_usual_pace(clock):
    watches = {f"q{at}": watch(9_000) for at in range(60)}
    turns = Pace()
    turns.begin()
    turns.due(watches)
    for queue, each in watches.items():
        turns.looked(queue, each, now_ms=10_000)
    turns.pause_s()
    clock.now_s += 0.1
    turns.begin()
    assert len(turns.due(watches)) == 50
