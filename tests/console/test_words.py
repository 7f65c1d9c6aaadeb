"""Sentences that say what will happen."""

from __future__ import annotations

import pytest

from echomq_admin.console import words


def test_one_job_is_told_its_next_attempt():
    assert "The next claim is attempt 4." in words.attempts_kept([3])


def test_several_jobs_are_told_that_each_adds_one():
    assert "adds one" in words.attempts_kept([3, None])


@pytest.mark.parametrize(
    ("stalls", "said"),
    [
        (
            [1],
            "The stall count stays 1: the next stall is the 2nd, and a sweep with max stalled 2 or "
            "lower sends it to dead, with 3 or higher it comes back.",
        ),
        (
            [0, 0],
            "Stall counts stay 0: the next stall is the 1st, and a sweep with max stalled 1 or "
            "lower sends them to dead, with 2 or higher they come back.",
        ),
        (
            [0, 1, 5],
            "Stall counts stay 0 to 5: at their next stall a sweep with max stalled 2 sends "
            "2 of 3 to dead again.",
        ),
        ([None], "Stall counts stay as they are; not all of them can be read."),
        ([0, None], "Stall counts stay as they are; not all of them can be read."),
    ],
)
def test_what_the_next_stall_does_is_said(stalls, said):
    assert words.stalls_kept(stalls) == said


def test_a_reset_starts_at_the_first_stall():
    assert words.stalls_reset([5]).startswith(
        "The stall count starts at 0: the next stall is the 1st"
    )


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (112, "112th")],
)
def test_numbers_are_counted_as_people_count(number, said):
    assert words.ordinal(number) == said


@pytest.mark.parametrize(
    ("verdict", "lane", "said", "short"),
    [
        ("recovered", None, "recovers it into pending, stall 2", "to pending, stall 2"),
        ("recovered", "vip", "recovers it into lane vip, stall 2", "to its lane, stall 2"),
        ("dead", "vip", "sends it to dead, stall 2", "to dead, stall 2"),
        ("orphaned", None, "row missing, id dropped", "row missing, id dropped"),
        ("unreadable", None, "unreadable, sent to dead", "unreadable, sent to dead"),
    ],
)
def test_the_fate_of_a_lease_is_said(verdict, lane, said, short):
    assert words.fate(verdict, 1, lane) == said
    assert words.short_fate(verdict, 1, lane) == short


@pytest.mark.parametrize(
    ("stalled", "said"),
    [
        (0, "no stall yet; a sweep with max stalled 2 sends it to dead at 2"),
        (1, "its lease lapsed once and a sweep took it back; "
            "a sweep with max stalled 2 sends it to dead at 2"),
    ],
)  # fmt: skip
def test_a_stall_count_is_explained(stalled, said):
    assert words.stalls(stalled, 2) == said
