"""Whose turn it is in the pass over the dead sets, within the budget of a step."""

from __future__ import annotations

from echomq_admin.emq.dead_sets import DeadSet, Stretch
from echomq_admin.ledger.observing.turns import SMALL, TAIL, Known, choose


def one(size, turn=0, has_grown=False, cursor=b""):
    return Known(size=size, failed=0, turn=turn, has_grown=has_grown, cursor=cursor)


def queues(chosen):
    return [stretch.queue for stretch in chosen]


def test_small_sets_are_looked_through_whole():
    (stretch,) = choose({"a": one(300)})
    assert (stretch.cursor, stretch.is_tail) == (b"", False)
    assert stretch.count > 300


def test_sets_that_are_empty_or_unknown_have_no_turn():
    assert choose({"a": one(0), "b": one(None)}) == []


def test_those_wait_that_do_not_fit_and_come_first_next_time():
    sets = {name: one(400) for name in "abc"}
    assert queues(choose(sets, budget=1_000)) == ["a", "b"]
    sets["a"].turn = sets["b"].turn = 1
    assert queues(choose(sets, budget=1_000)) == ["c", "a"]


def test_a_set_that_grew_goes_first_but_nobody_waits_for_ever():
    sets = {"still": one(400, turn=7), "grown": one(400, turn=9, has_grown=True)}
    assert queues(choose(sets, budget=400)) == ["grown"]
    sets["still"].turn = 1
    assert queues(choose(sets, budget=400)) == ["still"]


def test_a_large_set_goes_on_where_it_was():
    (stretch,) = choose({"a": one(10**6, cursor=b"m")}, budget=2_000)
    assert stretch == Stretch("a", b"m", 2_000)


def test_of_a_large_set_that_grew_the_last_ids_are_looked_at_too():
    tail, part = choose({"a": one(10**6, has_grown=True)}, budget=2_000)
    assert (tail.is_tail, tail.count, part.count) == (True, TAIL, 2_000 - TAIL)


def test_large_sets_share_what_is_left_to_them():
    sets = {"small": one(400), "a": one(10**6), "b": one(10**6)}
    chosen = choose(sets, budget=2_000)
    assert [(part.queue, part.count) for part in chosen[1:]] == [("a", 800), ("b", 800)]


def test_small_sets_leave_something_to_the_large():
    sets = {f"small{at}": one(SMALL) for at in range(100)} | {"large": one(SMALL + 1)}
    chosen = choose(sets, budget=2_000)
    assert queues(chosen)[-1] == "large"
    assert chosen[-1].count >= 500


def test_the_budget_holds_however_many_large_sets_there_are():
    sets = {f"q{at}": one(10**6, has_grown=True) for at in range(1_000)}
    assert sum(part.count for part in choose(sets, budget=2_000)) <= 2_000


def test_a_pass_is_over_when_its_stretch_reaches_the_end():
    known = one(900)
    assert not known.pass_over(Stretch("a", b"", 500), b"x", {"w": 1, "x": 1}, 1_000, 1)
    assert (known.cursor, known.whole_ms, known.seen.is_complete) == (b"x", None, False)
    assert known.pass_over(Stretch("a", b"x", 500), b"", {"z": 2}, 2_000, 2)
    assert (known.cursor, known.whole_ms, known.seen.is_complete) == (b"", 1_000, True)
    assert [known.seen.has(*job) for job in (("w", 1), ("z", 2), ("z", 1), ("v", 1))] == [
        True, True, False, False
    ]  # fmt: skip


def test_what_the_last_pass_saw_and_this_one_does_not_is_forgotten():
    known, whole = one(1), Stretch("a", b"", 500)
    known.pass_over(whole, b"", {"a": 1, "b": 1}, 1_000, 1)
    known.pass_over(whole, b"", {"b": 1}, 2_000, 2)
    assert not known.seen.has("a", 1)
    assert known.seen.has("b", 1)


def test_of_a_pass_that_another_agent_began_it_is_not_known_when_nor_what_it_saw():
    known = one(900, cursor=b"x")
    assert known.pass_over(Stretch("a", b"x", 500), b"", {"z": 1}, 2_000, 1)
    assert known.whole_ms is None
    assert not known.seen.is_complete


def test_the_tail_ends_no_pass():
    known = one(900, cursor=b"x")
    assert not known.pass_over(Stretch("a", b"", TAIL, is_tail=True), b"", {"z": 1}, 2_000, 1)
    assert known.cursor == b"x"


def test_more_dead_or_other_failures_are_growth():
    known = one(5)
    known.see(DeadSet("a", 4, 0))
    assert not known.has_grown
    known.see(DeadSet("a", 5, 0))
    assert known.has_grown
    known.has_grown = False
    known.see(DeadSet("a", 5, 1))
    assert known.has_grown
