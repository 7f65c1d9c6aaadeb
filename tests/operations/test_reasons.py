"""Reasons: from anybody, and of what an admin does demanded by EMQ_REASONS."""

from __future__ import annotations

import pytest
from django.core.management import load_command_class

from echomq_admin.ledger.models import TrailEntry
from echomq_admin.operations import services
from echomq_admin.operations.actions import ACTIONS, Role
from echomq_admin.operations.arguments import MAX_REASON
from echomq_admin.operations.checks import checked, needs_reason
from echomq_admin.operations.services import Call, Invalid
from tests.console.scene import dump
from tests.operations.scenes import A, Q, dead, pending

OF_ADMINS = sorted(verb for verb, action in ACTIONS.items() if action.role is Role.ADMIN)
OF_OPERATORS = sorted(ACTIONS.keys() - set(OF_ADMINS))
PAUSE = ACTIONS["pause_lane"]


def lane(reason: str) -> Call:
    return Call("pause_lane", "main", Q, args={"group": "g"}, reason=reason)


@pytest.mark.parametrize("verb", OF_ADMINS)
def test_the_setting_demands_a_reason_of_admins(settings, verb):
    assert not needs_reason(ACTIONS[verb])
    settings.EMQ_REASONS = True
    assert needs_reason(ACTIONS[verb])


@pytest.mark.parametrize("verb", OF_OPERATORS)
def test_the_setting_asks_operators_for_none(settings, verb):
    settings.EMQ_REASONS = True
    assert not needs_reason(ACTIONS[verb])


@pytest.mark.parametrize("reason", ["", "  ", "\n"])
def test_a_call_without_the_reason_is_refused_with_what_to_do(
    main, member, client, settings, reason
):
    settings.EMQ_REASONS = True
    pending(client)
    before = dump(client)
    call = Call("remove", "main", Q, (A,), reason=reason)
    with pytest.raises(Invalid, match=r"Remove needs a reason .*EMQ_REASONS.* Say why"):
        services.perform(member("admin"), call)
    assert dump(client) == before


def test_a_call_with_a_reason_goes_through_and_keeps_it(main, member, client, settings):
    settings.EMQ_REASONS = True
    dead(client)
    done = services.perform(
        member("admin"), Call("remove", "main", Q, (A,), reason="  the customer left  ")
    )
    assert done.sentence.startswith("1 removed")
    assert done.call.reason == "the customer left"


def test_without_the_setting_a_reason_may_be_left_out(main, member, client):
    dead(client)
    assert services.perform(member("admin"), Call("remove", "main", Q, (A,))).call.reason == ""


def test_the_reason_that_bury_takes_counts_and_goes_to_the_trail(settings):
    settings.EMQ_REASONS = True
    call = Call("bury", "main", Q, (A,), args={"reason": "poison"})
    assert checked(ACTIONS["bury"], call).reason == "poison"


def test_what_bury_takes_may_be_any_bytes_and_becomes_a_text():
    call = Call("bury", "main", Q, (A,), args={"reason": "a\udcffb\0"})
    assert checked(ACTIONS["bury"], call).reason == "a\\xffb\\x00"


def test_a_reason_of_its_own_goes_before_that_of_bury():
    call = Call("bury", "main", Q, (A,), args={"reason": "poison"}, reason="as agreed")
    assert checked(ACTIONS["bury"], call).reason == "as agreed"


@pytest.mark.parametrize("reason", ["ü" * (MAX_REASON // 2), "x" * MAX_REASON, "a\nb", "<b>&"])
def test_any_text_up_to_the_length_is_taken(reason):
    assert checked(PAUSE, lane(reason)).reason == reason


@pytest.mark.parametrize("reason", ["x" * (MAX_REASON + 1), "ü" * (MAX_REASON // 2 + 1)])
def test_a_longer_one_is_refused(reason):
    with pytest.raises(Invalid, match=r"Reason is longer than 1,000 bytes\."):
        checked(PAUSE, lane(reason))


@pytest.mark.parametrize("reason", ["a\0b", "a\udcffb", "\ud800"])
def test_what_is_no_text_is_refused(reason):
    with pytest.raises(Invalid, match="Reason holds a"):
        checked(PAUSE, lane(reason))


@pytest.mark.parametrize("verb", sorted(ACTIONS))
def test_every_verb_of_the_command_line_takes_a_reason(capsys, verb):
    parser = load_command_class("echomq_admin", "emq").create_parser("manage.py", "emq")
    with pytest.raises(SystemExit):
        parser.parse_args([verb, "--help"])
    assert "--reason REASON" in capsys.readouterr().out


def test_the_command_line_keeps_the_reason_with_what_was_done(emq_command, client, admin):
    dead(client)
    assert emq_command("remove", Q, A, "--yes", "--reason", "left", "--as", admin).code == 0
    assert TrailEntry.objects.get(kind="moved").reason == "left"


def test_the_command_line_says_what_is_missing(emq_command, client, admin, settings):
    settings.EMQ_REASONS = True
    dead(client)
    ran = emq_command("remove", Q, A, "--yes", "--as", admin)
    assert ran.code == 2
    assert "Remove needs a reason on this console (EMQ_REASONS)." in ran.err


@pytest.mark.parametrize("verb", ["hide_queue", "set_queue"])
def test_what_the_console_keeps_is_asked_for_reasons_too(main, member, client, settings, verb):
    settings.EMQ_REASONS = True
    pending(client)
    args = {"note": "x"} if verb == "set_queue" else {}
    with pytest.raises(Invalid, match="needs a reason"):
        services.perform(member("admin"), Call(verb, "main", Q, args=args))
    services.perform(member("admin"), Call(verb, "main", Q, args=args, reason="tidy"))
    assert TrailEntry.objects.get(kind="kept").reason == "tidy"


def test_every_step_of_one_press_has_its_reason(main, member, client, settings):
    settings.EMQ_REASONS = True
    for number in range(5):
        pending(client, f"JOB{number:011}")
    call = Call("drain", "main", Q, args={"budget": 2}, reason="a test run")
    done = list(services.steps(member("admin"), call))
    assert {one.call.reason for one in done} == {"a test run"}
    assert done[-1].sentence.startswith("5 ") or sum(one.result.removed for one in done) == 5
