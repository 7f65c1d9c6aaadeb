"""The memory of one queue: what it makes of times, gaps, clocks and looks that come too late."""

from __future__ import annotations

from dataclasses import replace

import pytest

from echomq_admin.emq.sights import Active, Rows, Sight
from echomq_admin.ledger.observing.flights import Lease, pack, unpack
from echomq_admin.ledger.observing.judge import judge
from echomq_admin.ledger.observing.looks import APART, TOO_LONG, TOO_MANY, Look
from echomq_admin.ledger.observing.setback import ServerClock
from echomq_admin.ledger.observing.shortest import Shortest
from echomq_admin.ledger.observing.watch import Watch

JOB = b"JOBa"
FLYING = Sight(True, b"active", 1)
BACK = Sight(True, b"pending", 1, waits=True)


def see(watch: Watch, at: int, deadlines=None, sights=None, most=100, from_ms=None, failed=0,
        most_known=100, **look):  # fmt: skip
    """One look at which all happens in 10 ms."""
    moment = Look(at, at + 5, at + 10, **look)
    active = Active({} if deadlines is None else deadlines, from_ms, failed=failed)
    wanted = watch.news(active, moment, most, most_known)
    return watch.take(active, wanted, Rows(sights or {}, failed, failed), moment)


def fly(deadline: float, **fields) -> dict[bytes, Sight]:
    return {JOB: replace(FLYING, deadline_ms=deadline, **fields)}


def watching(deadline: float = 13_000, at: int = 10_000) -> Watch:
    watch = Watch(shortest_ms=2_000)
    see(watch, at - 500)
    see(watch, at, {JOB: deadline}, fly(deadline))
    return watch


def nearly_over() -> Watch:
    """A lease of three seconds, seen from 7,500 on, of which 400 ms are left at the last look."""
    watch = Watch(shortest_ms=2_000)
    see(watch, 7_000)
    for at in range(7_500, 10_500, 500):
        see(watch, at, {JOB: 10_400.0}, fly(10_400.0))
    return watch


def verdicts(seen):
    return [judge(one.lease, one.left, one.window) for one in seen.ended]


def test_a_lease_ends_between_the_look_that_saw_it_and_the_one_that_did_not():
    watch = nearly_over()
    ended = see(watch, 10_500, {}, {JOB: BACK}).ended[0]
    window = ended.window
    assert (window.from_ms, window.to_ms, window.is_gap) == (10_000, 10_510, False)


def test_a_lease_that_moved_on_while_its_row_was_read_is_left_for_the_next_look():
    watch = Watch()
    see(watch, 9_000)
    see(watch, 10_000, {JOB: 13_000}, fly(14_000))
    assert watch.leases == {}
    see(watch, 10_500, {JOB: 14_000}, fly(14_000))
    assert watch.leases[JOB].deadline_ms == 14_000


def test_an_orphan_is_looked_at_once():
    watch = Watch()
    see(watch, 9_000, {JOB: 5.0}, {JOB: Sight(False)})
    assert not watch.news(Active({JOB: 5.0}), Look(9_500, 9_505, 9_505), 9, 9).is_any
    assert verdicts(see(watch, 9_600, {}, {JOB: Sight(False)})) == [None]


def test_looks_too_far_apart_are_a_gap_that_begins_with_the_last_look():
    watch = watching()
    assert see(watch, 11_500, {JOB: 13_000}).gap is None
    assert see(watch, 14_000, {JOB: 13_000}).gap == (11_500, 14_010, APART)


def test_a_clock_that_was_set_back_is_a_gap_over_all_that_it_showed():
    watch = nearly_over()
    seen = see(watch, 7_000, {}, {JOB: BACK}, is_back=True, high_ms=10_800)
    assert seen.gap[:2] == (7_000, 10_800)
    window = seen.ended[0].window
    assert (window.from_ms, window.to_ms, window.is_gap) == (7_000, 10_800, True)
    assert [verdict.kind.label for verdict in verdicts(seen)] == ["uncertain"]
    assert see(watch, 7_500, {}).gap is None


def test_a_lease_behind_the_part_that_was_read_is_no_lease_that_ended():
    watch = watching(deadline=13_000)
    seen = see(watch, 10_500, {b"JOBb": 11_000.0}, {b"JOBb": fly(11_000.0)[JOB]}, from_ms=12_000)
    assert seen.ended == []
    assert seen.gap == (10_000, 10_510, TOO_MANY)
    later = see(watch, 11_000, {}, {JOB: BACK, b"JOBb": Sight(False)})
    assert {one.raw: one.window.from_ms for one in later.ended} == {JOB: 10_005, b"JOBb": 10_505}


def test_more_new_leases_than_are_looked_at_are_a_gap_and_come_later():
    watch = Watch()
    see(watch, 9_000)
    both = {JOB: 13_000.0, b"JOBb": 13_000.0}
    sights = dict.fromkeys(both, fly(13_000.0)[JOB])
    assert see(watch, 9_500, both, sights, most=1).gap == (9_000, 9_510, TOO_MANY)
    assert see(watch, 9_700, both, sights, most=1).gap is None
    assert len(watch.leases) == 2


def test_known_leases_that_there_was_no_room_for_are_judged_later_since_they_were_seen_last():
    watch, other = Watch(shortest_ms=2_000), b"JOBb"
    both = {JOB: 13_000.0, other: 13_000.0}
    sights = dict.fromkeys(both, fly(13_000.0)[JOB])
    see(watch, 9_500)
    see(watch, 10_000, both, sights)
    back = dict.fromkeys(both, BACK)
    first = see(watch, 10_500, {}, back, most_known=1)
    second = see(watch, 11_000, {}, back, most_known=1)
    assert (first.gap, second.gap) == (None, None)
    assert {one.raw for seen in (first, second) for one in seen.ended} == set(both)
    assert [first.ended[0].window.from_ms, second.ended[0].window.from_ms] == [10_005, 10_005]
    assert second.ended[0].window.deaths is None


def test_known_leases_that_there_was_no_room_for_for_too_long_are_a_gap():
    watch = watching()
    see(watch, 11_500, {}, most_known=0)
    assert see(watch, 12_100, {}, most_known=0).gap == (11_500, 12_110, TOO_MANY)


def test_renewals_that_there_was_no_room_for_come_first_at_the_next_look():
    watch, other = Watch(shortest_ms=2_000), b"JOBb"
    both = {JOB: 13_000.0, other: 13_000.0}
    see(watch, 9_500)
    see(watch, 10_000, both, dict.fromkeys(both, fly(13_000.0)[JOB]))
    unchanged = dict.fromkeys(both, Sight(True, is_unchanged=True))
    for at, deadline in ((10_200, 13_200.0), (10_400, 13_400.0)):
        see(watch, at, dict.fromkeys(both, deadline), unchanged, most_known=1)
    assert [watch.leases[raw].renewals for raw in both] == [1, 1]


def test_a_lease_is_whole_when_it_was_watched_from_its_first_look_on():
    watch = watching()
    assert watch.leases[JOB].is_whole
    see(watch, 19_000, {JOB: 22_000.0}, fly(22_000.0))
    assert not watch.leases[JOB].is_whole


@pytest.mark.parametrize("before", ["first", "gap", "moving", "no room"])
def test_a_lease_that_may_be_older_than_its_first_look_is_not_whole(before):
    watch = Watch(shortest_ms=2_000)
    if before != "first":
        see(watch, 5_000 if before == "gap" else 9_500)
    if before in {"moving", "no room"}:
        see(watch, 9_700, {JOB: 12_900.0}, fly(13_000.0), most=before == "moving")
    see(watch, 10_000, {JOB: 13_000.0}, fly(13_000.0))
    assert not watch.leases[JOB].is_whole


def test_deaths_are_counted_from_before_the_look_that_showed_the_lease():
    watch = watching()
    see(watch, 10_500, {JOB: 13_000.0}, failed=4)
    assert see(watch, 11_000, {}, {JOB: BACK}, failed=6).ended[0].window.deaths == 2


def test_a_count_of_deaths_that_was_taken_away_tells_nothing():
    watch = watching()
    see(watch, 10_500, {JOB: 13_000.0}, failed=4)
    assert see(watch, 11_000, {}, {JOB: BACK}, failed=3).ended[0].window.deaths is None


def test_that_only_long_leases_were_seen_proves_nothing_of_those_that_were_not():
    watch = Watch(shortest_ms=600_000)
    see(watch, 10_000)
    see(watch, 10_500, {JOB: 610_500.0}, fly(610_500.0))
    assert see(watch, 13_000, {JOB: 610_500.0}).gap is None
    assert see(watch, 16_100, {JOB: 610_500.0}).gap == (13_000, 16_110, APART)


def test_a_lease_that_was_renewed_by_little_makes_no_other_look_too_long():
    watch = watching()
    see(watch, 10_500, {JOB: 10_600.0}, {JOB: Sight(True, is_unchanged=True)})
    assert see(watch, 11_500, {JOB: 10_600.0}).gap is None


def test_an_id_too_long_to_be_looked_at_makes_a_blind_span_when_its_lease_ends():
    watch, long = Watch(), b"x" * 8_001
    see(watch, 9_500)
    see(watch, 10_000, {long: 13_000.0}, {long: Sight(False)})
    seen = see(watch, 10_500, {}, {long: Sight(False)})
    assert (seen.ended, seen.gap) == ([], (10_005, 10_510, TOO_LONG))


def test_renewals_are_counted_but_not_over_a_gap():
    watch = watching()
    unchanged = {JOB: Sight(True, is_unchanged=True)}
    see(watch, 10_500, {JOB: 13_500.0}, unchanged)
    see(watch, 11_000, {JOB: 14_000.0}, unchanged)
    lease = watch.leases[JOB]
    assert (lease.renewals, lease.renewed_ms, lease.first_ms) == (2, 11_005, 10_005)
    see(watch, 19_000, {JOB: 22_000.0}, fly(22_000.0))
    assert (lease.renewals, lease.renewed_ms, lease.first_ms) == (0, None, 19_005)


def test_after_a_gap_a_lease_of_the_same_number_may_be_in_another_lane():
    watch = watching()
    see(watch, 19_000, {JOB: 22_000.0}, fly(22_000.0, lane="acme"))
    assert watch.leases[JOB].lane == "acme"


def test_after_a_gap_a_lease_of_the_same_number_may_be_of_another_life():
    watch = watching()
    wanted = watch.news(Active({JOB: 22_000.0}), Look(19_000, 19_005, 19_005), 9, 9)
    assert wanted.known == {JOB: None}
    seen = see(watch, 19_000, {JOB: 22_000.0}, fly(22_000.0, stalled=1))
    assert verdicts(seen) == [None]
    assert watch.leases[JOB].stalled == 1


def test_the_shortest_lease_makes_the_pace_and_the_gap():
    watch = Watch()
    see(watch, 9_000)
    assert watch.pace_ms == 1_000
    see(watch, 9_500, {JOB: 10_700.0}, fly(10_700.0))
    assert 500 < watch.pace_ms < 600
    assert watch.shortest_ms == (10_700 - 9_505) * 2 // 3


def test_a_back_off_is_known_after_some_failures():
    watch = Watch(shortest_ms=2_000)
    for at in range(10_000, 20_000, 1_000):
        assert watch.backoff_ms is None
        see(watch, at, {JOB: at + 3_000.0}, fly(at + 3_000.0))
        failed = Sight(True, b"scheduled", 1, error=b"x", error_size=1, run_at_ms=at + 900)
        see(watch, at + 500, {}, {JOB: failed})
    assert watch.backoff_ms == 895
    for at in range(20_000, 2_000_000, 100_000):
        see(watch, at, {JOB: at + 3_000.0}, fly(at + 3_000.0))
        failed = Sight(True, b"scheduled", 1, error=b"x", error_size=1, run_at_ms=at + 9_000)
        see(watch, at + 500, {}, {JOB: failed})
    assert watch.backoff_ms == 895


def test_a_new_life_is_remembered_until_the_ledger_knows_it():
    watch = Watch(shortest_ms=2_000)
    see(watch, 9_500)
    see(watch, 10_000, {JOB: 13_000.0}, fly(13_000.0, attempts=4))
    see(watch, 10_500, {}, {JOB: Sight(False)})
    see(watch, 11_000, {JOB: 14_000.0}, fly(14_000.0))
    assert watch.leases[JOB].is_new_life
    assert see(watch, 11_500, {}, {JOB: BACK}).ended[0].is_new_life
    watch.entered([JOB])
    see(watch, 12_000, {JOB: 15_000.0}, fly(15_000.0, attempts=2))
    assert not watch.leases[JOB].is_new_life


def test_leases_lie_in_the_database_as_they_are():
    lease = Lease(3, 1, 1.5, "m\udcff", b"\x00\xff", 5, 2, 6, 7, True, True, True, True)
    endless = Lease(None, 0, float("inf"), None, None, 5)
    assert unpack(pack({b"\xff": lease, JOB: endless}, 7)) == ({b"\xff": lease, JOB: endless}, 7)
    assert pack({}) == b""
    assert unpack(pack({b"a": lease, JOB: endless}), {JOB, b"other"}) == ({JOB: endless}, None)


def test_a_damaged_blob_is_no_leases():
    whole = pack({JOB: Lease(1, 0, 5.0, None, None, 5)})
    for damaged in (b"", b"x", whole[:-3], whole[:4] + b"??" + whole[6:]):
        assert unpack(damaged) == ({}, None)


def test_the_shortest_of_spans_is_narrowed_and_forgotten_in_time():
    shortest = Shortest()
    shortest.saw(500, 1_500, 1_000)
    shortest.saw(900, 1_100, 2_000)
    shortest.saw(5_000, 6_000, 3_000)
    assert (shortest.low_ms, shortest.high_ms) == (900, 1_100)
    shortest.saw(100, 200, 4_000)
    assert (shortest.low_ms, shortest.high_ms) == (100, 200)
    for at in (400_000, 800_000):
        shortest.saw(5_000, 6_000, at)
    assert (shortest.low_ms, shortest.high_ms) == (5_000, 6_000)


def test_a_clock_that_goes_slower_than_time_was_set_back():
    clock = ServerClock()
    clock.read(1_000_000, 10.0, 10.01)
    clock.read(1_001_000, 11.0, 11.01)
    clock.read(9_000_000, 12.0, 12.01)
    assert clock.turns == 0
    clock.read(9_000_600, 13.2, 13.21)
    assert (clock.turns, clock.high_ms >= 9_001_190) == (1, True)
    clock.read(9_001_600, 14.2, 14.21)
    assert clock.turns == 1
