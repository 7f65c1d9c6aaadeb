"""Every action by every kind of user, and what stops it."""

import logging
import time
from dataclasses import replace

import pytest
from django.contrib.auth.models import AnonymousUser

from echomq_admin.emq.audit import tail
from echomq_admin.fleet import servers
from echomq_admin.operations import services
from echomq_admin.operations.actions import ACTIONS, Role
from echomq_admin.operations.services import Call, Invalid, NotAllowed, ReadOnly, Refused
from tests.operations.conftest import dump
from tests.operations.scenes import ON_SERVER, A, P, Q, dead, pending, scene

pytestmark = pytest.mark.usefixtures("main")


def _may(role: str, action: str) -> bool:
    return role == "admin" or (role == "operator" and ACTIONS[action].role is Role.OPERATOR)


@pytest.mark.parametrize("action", ON_SERVER)
@pytest.mark.parametrize("role", ["nobody", "viewer", "operator", "admin"])
def test_an_action_changes_the_queue_only_for_those_who_may(client, member, role, action):
    call = scene(client, action)
    before = dump(client)
    if _may(role, action):
        services.perform(member(role), call)
        assert dump(client) != before
    else:
        with pytest.raises(NotAllowed) as refused:
            services.perform(member(role), call)
        assert f"the role {ACTIONS[action].role}" in refused.value.sentence
        assert dump(client) == before


@pytest.mark.parametrize("action", ON_SERVER)
def test_somebody_who_is_not_signed_in_may_nothing(client, action):
    call = scene(client, action)
    before = dump(client)
    with pytest.raises(NotAllowed):
        services.perform(AnonymousUser(), call)
    assert dump(client) == before


@pytest.mark.parametrize("action", ON_SERVER)
def test_the_audit_names_the_user_the_verb_and_the_press(client, member, action):
    services.perform(member("admin"), scene(client, action))
    entry = tail(client, Q).entries[0]
    assert (entry.actor, entry.op, entry.op_id) == ("admin-user", action, "press-1")


@pytest.mark.parametrize("action", ON_SERVER)
def test_the_same_press_again_moves_nothing_and_answers_the_same(client, member, action):
    admin, call = member("admin"), scene(client, action)
    first = services.perform(admin, call)
    once = dump(client)
    again = services.perform(admin, call)
    assert dump(client) == once
    assert (again.outcomes, again.result, again.sentence) == (
        first.outcomes,
        first.result,
        first.sentence,
    )


@pytest.mark.parametrize("action", ON_SERVER)
def test_the_read_only_switch_stops_every_action(client, member, settings, action):
    settings.EMQ_READ_ONLY = True
    call = scene(client, action)
    before = dump(client)
    with pytest.raises(ReadOnly, match="EMQ_READ_ONLY"):
        services.perform(member("admin"), call)
    assert dump(client) == before


@pytest.mark.parametrize("action", ON_SERVER)
def test_a_wire_version_that_is_not_known_stops_every_action(client, member, action):
    client.set("{emq}:version", "echomq:4.0.0")
    call = scene(client, action)
    before = dump(client)
    with pytest.raises(ReadOnly, match=r"echomq:4\.0\.0"):
        services.perform(member("admin"), call)
    assert dump(client) == before


def test_a_queue_that_does_not_exist_is_not_made_by_an_action(client, refusal):
    refused = refusal("pause", queue="oders")
    assert isinstance(refused, Invalid)
    assert refused.sentence == "Server main has no queue oders."
    assert dump(client) == {}


def test_a_server_that_is_not_configured_is_named(member):
    with pytest.raises(Invalid, match="no server elsewhere"):
        services.perform(member("admin"), Call("pause", "elsewhere", Q))


def test_an_action_that_does_not_exist_is_refused(member):
    with pytest.raises(Invalid, match="no action explode"):
        services.perform(member("admin"), Call("explode", "main", Q))


def test_an_op_id_of_another_action_is_refused(client, member):
    admin = member("admin")
    pending(client)
    services.perform(admin, Call("pause", "main", Q, op_id="press"))
    before = dump(client)
    with pytest.raises(Refused, match="sent before, for another action"):
        services.perform(admin, Call("resume", "main", Q, op_id="press"))
    assert dump(client) == before


def test_a_key_of_a_wrong_type_is_told_and_nothing_changed(client, refusal):
    dead(client, A)
    client.set(P + b"ring", "x")
    before = dump(client)
    refused = refusal("requeue", A)
    assert "ring" in refused.sentence
    assert "Nothing was changed." in refused.sentence
    assert dump(client) == before


def test_a_refused_attempt_is_logged_with_user_action_and_target(client, member, caplog):
    dead(client, A)
    with caplog.at_level(logging.WARNING), pytest.raises(NotAllowed):
        services.perform(member("viewer"), Call("requeue", "main", "a\nb", (A,)))
    (record,) = caplog.records
    assert record.name == "echomq_admin.operations.services"
    assert "requeue on main/a\\x0ab (jobs: 1) by viewer-user" in record.getMessage()


def test_a_replica_that_became_the_primary_is_asked_anew_before_it_is_refused(do, client):
    dead(client, A)
    server = servers.server("main")
    kept = replace(server.facts(), role="slave", read_only="This server is a replica.")
    server._facts = (time.monotonic(), kept)
    assert do("requeue", A).sentence.startswith("1 requeued")
    assert server.facts().read_only is None
