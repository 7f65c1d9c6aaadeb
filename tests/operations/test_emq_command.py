"""`manage.py emq`: every action is a verb, with the rights of its action."""

import pytest
from django.contrib.auth.models import User

from echomq_admin.emq.audit import tail
from echomq_admin.operations.actions import ACTIONS, Role
from tests.operations.conftest import dump
from tests.operations.scenes import ON_SERVER, A, G, Q, dead, scene

WORDS = {
    "requeue": (A, "--token", f"{A}=3"),
    "return_to_dead": ("--errors", f"{A}=0:0:boom"),
    "sweep": ("--max-stalled", "2", "--limit", "50"),
    "reap": ("--limit", "50"),
    "reap_group": ("--group", G),
    "recover_now": (A, "--token", f"{A}=1", "--max-stalled", "2"),
    "extend": (A, "--token", f"{A}=1", "--lease-ms", "1000"),
    "promote": ("--limit", "5"),
    "promote_now": (A,),
    "pause": (),
    "resume": (),
    "bury": (A, "--reason", "poison", "--yes"),
    "remove": (A, "--yes"),
    "restore": (A, "--token", f"{A}=3"),
    "update_payload": (A, "--payload", "new"),
    "pause_lane": ("--group", G),
    "resume_lane": ("--group", G),
    "limit_lane": ("--group", G, "--n", "2"),
    "drain": ("--yes", "--budget", "10"),
    "obliterate": ("--yes", "--force"),
    "enqueue": (A, "--payload", "{}", "--group", G),
    "schedule": (A, "--payload", "{}", "--in-ms", "1000"),
}


@pytest.mark.parametrize("verb", ON_SERVER)
def test_every_action_is_a_verb_of_the_command(emq_command, client, admin, verb):
    scene(client, verb)
    before = dump(client)
    ran = emq_command(verb, Q, *WORDS[verb], "--as", admin, "--op-id", "typed")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.strip()
    assert dump(client) != before
    entry = tail(client, Q).entries[0]
    assert (entry.op, entry.actor, entry.op_id) == (verb, "admin-user", "typed")


@pytest.mark.parametrize("verb", ON_SERVER)
def test_every_verb_answers_one_json_document(emq_command, client, admin, verb):
    scene(client, verb)
    ran = emq_command(verb, f"main/{Q}", *WORDS[verb], "--as", admin, "--json")
    assert ran.code == 0
    assert ran.document["action"] == verb
    assert ran.document["sentence"]
    assert len(ran.document["op_id"]) == 32


@pytest.mark.parametrize("verb", ON_SERVER)
@pytest.mark.parametrize("role", ["nobody", "viewer", "operator"])
def test_a_verb_asks_for_the_role_of_its_action(emq_command, client, member, role, verb):
    scene(client, verb)
    before = dump(client)
    ran = emq_command(verb, Q, *WORDS[verb], "--as", member(role).username)
    if role == "operator" and ACTIONS[verb].role is Role.OPERATOR:
        assert ran.code == 0
    else:
        assert ran.code == 2
        assert f"the role {ACTIONS[verb].role}" in ran.err
        assert dump(client) == before


@pytest.mark.parametrize("verb", ["bury", "remove", "drain", "obliterate"])
def test_what_takes_jobs_away_asks_for_yes(emq_command, client, admin, verb):
    scene(client, verb)
    before = dump(client)
    words = [word for word in WORDS[verb] if word != "--yes"]
    ran = emq_command(verb, Q, *words, "--as", admin)
    assert (ran.code, dump(client)) == (2, before)
    assert "--yes" in ran.err


def test_who_lacks_the_role_is_told_that_before_a_yes_is_asked_for(emq_command, client, operator):
    ran = emq_command("remove", Q, A, "--as", operator)
    assert (ran.code, "the role admin" in ran.err, "--yes" in ran.err) == (2, True, False)


def test_an_unknown_user_is_told(emq_command, client):
    dead(client)
    ran = emq_command("requeue", Q, A, "--as", "nobody")
    assert (ran.code, ran.err) == (2, "There is no user nobody.\n")


def test_an_inactive_user_may_nothing(emq_command, client, admin):
    dead(client)
    User.objects.filter(username=admin).update(is_active=False)
    ran = emq_command("requeue", Q, A, "--as", admin)
    assert (ran.code, ran.err) == (2, "The user admin-user is not active.\n")
