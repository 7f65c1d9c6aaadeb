import inspect

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.operations.actions import ACTIONS, MANY, Consent, Role
from tests.operations.scenes import IN_CONSOLE, ON_SERVER, SEEDS

WORKER_VERBS = {"claim", "claim_lane", "complete", "retry"}
OPERATOR = {
    "requeue", "return_to_dead", "sweep", "reap", "reap_group", "recover_now", "extend",
    "promote", "promote_now", "pause", "resume", "add_queue", "forget_queue",
}  # fmt: skip


def _verbs() -> set[str]:
    """The verbs; `change_limit` is `limit_lane` with an answer."""
    return {
        name
        for name, member in inspect.getmembers(EchoMQ, inspect.isfunction)
        if "actor" in inspect.signature(member).parameters and not name.startswith("_")
    } - {"call", "change_limit"}


def test_every_verb_but_those_of_workers_is_an_action():
    assert set(ON_SERVER) == _verbs() - WORKER_VERBS


def test_what_only_the_console_keeps_is_none_of_the_verbs_and_names_no_jobs():
    assert not set(IN_CONSOLE) & _verbs()
    for name in IN_CONSOLE:
        action = ACTIONS[name]
        assert (action.target, action.fenced, action.outcomes) == ("queue", "never", {})
        assert {action.destroys, action.in_steps, action.needs_yes} == {False}


def test_every_action_has_a_scene_in_these_tests():
    assert set(SEEDS) == set(ON_SERVER)


def test_operators_may_what_can_be_taken_back_and_admins_the_rest():
    assert {name for name, action in ACTIONS.items() if action.role is Role.OPERATOR} == OPERATOR
    assert all(action.role is not Role.VIEWER for action in ACTIONS.values())


@pytest.mark.parametrize("name", ON_SERVER)
def test_an_action_declares_exactly_the_parameters_of_its_verb(name):
    action = ACTIONS[name]
    parameters = set(inspect.signature(getattr(EchoMQ, name)).parameters)
    parameters -= {"self", "queue", "job_id", "job_ids", "jobs", "token", "tokens"}
    # Which lanes there are, and where a job was, the console finds itself.
    parameters -= {"actor", "op_id", "lanes"} | ({"seen"} if name == "remove" else set())
    assert {argument.name for argument in action.args} - {"before", "unkept"} == parameters


@pytest.mark.parametrize("name", ON_SERVER)
def test_an_action_takes_tokens_where_its_verb_does(name):
    parameters = inspect.signature(getattr(EchoMQ, name)).parameters
    token = parameters.get("token") or parameters.get("tokens")
    expected = "never" if token is None else "may" if token.default is None else "must"
    # The door itself heeds the tokens of a restore: they say which removal is meant.
    assert ACTIONS[name].fenced == ("may" if name == "restore" else expected)


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_only_the_first_word_of_an_action_is_a_success_where_jobs_are_named(name):
    action = ACTIONS[name]
    if action.target == "jobs":
        first, *others = action.outcomes.values()
        assert not first.why
        assert all(word.why for word in others)


@pytest.mark.parametrize("name", ["bury", "remove", "drain", "obliterate"])
def test_what_takes_jobs_away_needs_a_yes_on_the_command_line(name):
    assert ACTIONS[name].needs_yes


def test_no_other_action_needs_a_yes():
    assert sum(action.needs_yes for action in ACTIONS.values()) == 4


def test_consent_grows_with_the_number_and_with_what_is_destroyed():
    assert ACTIONS["requeue"].consent_for(1) is Consent.CLICK
    assert ACTIONS["requeue"].consent_for(2) is Consent.DIALOG
    assert ACTIONS["requeue"].consent_for(MANY) is Consent.TYPE_NAME
    assert ACTIONS["remove"].consent_for(2) is Consent.DIALOG
    assert ACTIONS["remove"].consent_for(1, {"unkept": True}) is Consent.TYPE_NAME
    assert ACTIONS["remove"].consent_for(MANY) is Consent.TYPE_NAME
    assert ACTIONS["drain"].consent_for(0) is Consent.TYPE_NAME
    assert ACTIONS["sweep"].consent_for(1) is Consent.DIALOG


def test_an_undo_names_an_action():
    assert {action.undo for action in ACTIONS.values() if action.undo} <= set(ACTIONS)
