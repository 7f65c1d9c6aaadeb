"""Deaths that were counted between two looks, and who came to be dead."""

from __future__ import annotations

import pytest

from echomq_admin.emq.sights import NEWEST, Active, Rows, Sight
from echomq_admin.ledger.observing.toll import Toll

SIGHTS = {b"x": Sight(True)}


def look(toll: Toll, failed: int, *dead: str, at: int = 0, after: int | None = None):
    """A look at which the queue had counted `failed`, and `after` at its end."""
    active = Active(failed=failed if toll.is_counted else None)
    asked = toll.is_open(active, has_rows=True)
    members = [(raw.encode(), 0.0) for raw in dead]
    rows = Rows(SIGHTS, failed, failed if after is None else after, members if asked else None)
    return toll.take(active, rows, at, is_idle=False)


@pytest.fixture
def toll() -> Toll:
    return Toll(0)


def test_who_was_not_dead_at_the_last_look_has_come(toll):
    look(toll, 1, "a", at=1_000)
    deaths = look(toll, 3, "a", "b", "c", at=2_000)
    assert (deaths.count, deaths.came, deaths.since_ms) == (2, {b"b", b"c"}, 1_000)


def test_while_nobody_died_the_dead_are_not_read_again(toll):
    look(toll, 1, "a")
    assert not toll.is_open(Active(failed=1), has_rows=True)
    assert toll.is_open(Active(failed=2), has_rows=False)


def test_the_dead_of_a_queue_in_which_nothing_happens_are_not_read():
    assert not Toll().is_open(Active(), has_rows=False)


def test_before_it_was_known_who_is_dead_nobody_has_come(toll):
    assert look(toll, 2, "a", "b").came == set()


def test_whoever_died_behind_the_count_of_the_last_look_is_counted_and_has_not_come(toll):
    look(toll, 1, "a", "b", after=2)
    deaths = look(toll, 3, "a", "b", "c")
    assert (deaths.count, deaths.came) == (2, {b"c"})


def test_after_a_look_that_did_not_read_the_dead_nobody_has_come(toll):
    look(toll, 1, "a")
    toll.take(Active(failed=2), Rows(SIGHTS, 2, 2), 0, is_idle=False)
    deaths = look(toll, 3, "a", "b", "c")
    assert (deaths.count, deaths.came) == (1, set())


def test_of_a_large_set_only_its_end_tells_who_came(toll):
    ids = [f"JOB{at:011}" for at in range(NEWEST + 1)]
    look(toll, 1, *ids[1:])
    # The last one was removed: one more at the beginning is within what is read.
    deaths = look(toll, 2, *ids[:-1])
    assert deaths.came == set()
    assert look(toll, 3, *ids[2:-1], "JOBnew", "JOBnow").came == {b"JOBnew", b"JOBnow"}


def test_a_clock_that_was_set_back_tells_of_nobody(toll):
    look(toll, 1, "a", at=5_000)
    assert look(toll, 2, "a", "b", at=4_000).came == set()


def test_a_count_that_fell_tells_nothing(toll):
    look(toll, 5, "a")
    deaths = look(toll, 2, "a", "b")
    assert (deaths.count, deaths.came) == (None, set())


def test_a_set_that_cannot_be_read_tells_of_nobody(toll):
    look(toll, 1, "a")
    deaths = toll.take(Active(failed=2), Rows(SIGHTS, 2, 2, None), 9, is_idle=False)
    assert (deaths.count, deaths.came) == (1, set())


def test_a_queue_that_begins_to_work_is_counted_from_its_first_rows():
    toll = Toll()
    toll.take(Active(), Rows(SIGHTS, 4, 4, [(b"a", 0.0)]), 1_000, is_idle=True)
    assert look(toll, 5, "a", "b", at=2_000).came == {b"b"}


def test_who_died_while_the_look_came_to_the_rows_has_come_at_the_next(toll):
    look(toll, 1, "a", "b", after=2, at=1_000)
    toll.died_meanwhile([b"b"])
    deaths = look(toll, 3, "a", "b", "c", at=2_000)
    assert (deaths.count, deaths.came, deaths.since_ms) == (2, {b"b", b"c"}, 1_000)
    assert look(toll, 4, "a", "b", "c", "d", at=3_000).came == {b"d"}


def test_of_a_queue_that_begins_to_work_they_may_have_died_before_the_count():
    toll = Toll()
    toll.take(Active(), Rows(SIGHTS, 4, 4, [(b"a", 0.0)]), 1_000, is_idle=True)
    toll.died_meanwhile([b"a"])
    assert look(toll, 5, "a", "b", at=2_000).came == {b"b"}
