"""Sentences that say what will happen."""

from __future__ import annotations

import shlex
from types import SimpleNamespace

import pytest

from echomq_admin.console import words
from echomq_admin.management.commands.emq import Command


def test_one_job_is_told_its_next_attempt():
    assert "The next claim is attempt 4." in words.attempts_kept([3])


def test_several_jobs_are_told_that_each_adds_one():
    assert "adds one" in words.attempts_kept([3, None])


@pytest.mark.parametrize(
    ("stalls", "max_stalled", "said"),
    [
        ([1], 2, "Its stall count stays 1: at this queue's max stalled 2 the next stall sends it "
                 "to dead."),
        ([1], 3, "Its stall count stays 1: at this queue's max stalled 3 the next stall puts it "
                 "back."),
        ([0, 0], 1, "Stall counts stay 0: at this queue's max stalled 1 the next stall sends each "
                    "to dead."),
        ([0, 1, 5], 2, "Stall counts stay 0 to 5: at this queue's max stalled 2 the next stall "
                       "sends 2 of 3 to dead."),
        ([None], 2, "Stall counts stay as they are; not all of them can be read."),
        ([0, None], 2, "Stall counts stay as they are; not all of them can be read."),
    ],
)  # fmt: skip
def test_what_the_next_stall_does_is_said_by_the_setting_of_the_queue(stalls, max_stalled, said):
    assert words.stalls_kept(stalls, max_stalled) == said


@pytest.mark.parametrize(("max_stalled", "fate"), [(1, "sends it to dead"), (2, "puts it back")])
def test_a_reset_starts_at_the_first_stall(max_stalled, fate):
    assert words.stalls_reset([5], max_stalled) == (
        f"Its stall count starts at 0: at this queue's max stalled {max_stalled} the next stall "
        f"{fate}."
    )


@pytest.mark.parametrize("who", ["olena", "-rf", "a b"])
def test_a_command_names_the_account_in_a_way_that_a_shell_and_the_parser_take(who):
    place = SimpleNamespace(server=SimpleNamespace(name="prod"), queue="orders")
    typed = shlex.split(words.command(place, "job", "JOB1", who=who))
    parsed = Command().create_parser("manage.py", "emq").parse_args(typed[3:])
    assert (parsed.verb, parsed.user) == ("job", who)


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
