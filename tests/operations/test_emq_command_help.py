"""What `manage.py emq --help` and the help of a verb say."""

import re

import pytest
from django.core.management import load_command_class

from echomq_admin.console.words import SWEEP_STARTS_AT
from echomq_admin.operations.actions import ACTIONS, Role
from echomq_admin.operations.cli.readings import READINGS


def words_of(help_text: str) -> str:
    return " ".join(help_text.split())


@pytest.fixture
def help_of(capsys):
    """The help of some words of the command, as a terminal shows it."""

    def read(*words: str) -> str:
        parser = load_command_class("echomq_admin", "emq").create_parser("manage.py", "emq")
        with pytest.raises(SystemExit):
            parser.parse_args([*words, "--help"])
        return capsys.readouterr().out

    return read


def test_every_verb_has_one_line_under_its_role(help_of):
    listed = help_of().split("viewer, changes nothing:\n")[1]
    looks, operators = listed.split("operator:\n")
    operators, admins = operators.split("admin:\n")
    found = [re.findall(r"^  (\w+) +\S.*$", part, re.MULTILINE) for part in
             (looks, operators, admins)]  # fmt: skip
    verbs = [[v for v, one in ACTIONS.items() if one.role is role]
             for role in (Role.OPERATOR, Role.ADMIN)]  # fmt: skip
    assert found == [list(READINGS), [*verbs[0], "undo"], verbs[1]]
    assert max(map(len, listed.splitlines())) <= 100


@pytest.mark.parametrize("verb", ["sweep", "recover_now", "preview"])
def test_the_first_stall_that_kills_is_told(help_of, verb):
    said = f"default 1: the first stall kills; the page starts at {SWEEP_STARTS_AT}"
    assert said in words_of(help_of(verb))


@pytest.mark.parametrize("verb", sorted(ACTIONS))
def test_every_default_is_told_by_the_option_that_has_it(help_of, verb):
    text = words_of(help_of(verb))
    for argument in ACTIONS[verb].args:
        if argument.default:
            assert f"(default {argument.default}" in text
    assert "(default: a fresh one)" in text


def test_the_rows_of_a_page_have_a_default_too(help_of):
    assert "at most so many rows (default 25)" in words_of(help_of("jobs"))
