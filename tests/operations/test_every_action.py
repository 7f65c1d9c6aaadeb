"""What holds of every action alike: stale, gone, cut off, repeated; and that the trail has it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.audit import tail
from echomq_admin.emq.scripts import SCRIPTS
from echomq_admin.fleet import servers
from echomq_admin.ledger import copying
from echomq_admin.ledger.models import Kind, TrailEntry, TrailJob, job_key
from echomq_admin.operations import services
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.services import Call, Invalid, NotAllowed, Refused, Unreachable
from tests.operations.conftest import dump
from tests.operations.scenes import IN_CONSOLE, ON_SERVER, A, D, P, Q, pending, scene
from tests.operations.wire_cut import wire

pytestmark = pytest.mark.usefixtures("main")

FENCED = [name for name in ON_SERVER if ACTIONS[name].fenced != "never" and name != "restore"]
MADE = {"enqueue", "schedule"}
ON_JOBS = [name for name in ON_SERVER if ACTIONS[name].target in {"job", "jobs"}]
# What makes a job finds none there, and what restores one needs it to be gone.
ON_LIVING_JOBS = [name for name in ON_JOBS if name not in MADE | {"restore"}]


def _told(boss, call: Call) -> str:
    """Why nothing moved: the refusal of the call, or of its only job."""
    try:
        done = services.perform(boss, call)
    except Refused as refused:
        return refused.sentence
    (sentence,) = done.refusals.values()
    return sentence


def _moved(client) -> list[str]:
    return [entry.op for entry in tail(client, Q).entries]


def _entries(call: Call) -> list[TrailEntry]:
    return list(TrailEntry.objects.filter(kind=Kind.MOVED, op_id=call.op_id, op=call.action))


@pytest.fixture
def boss(member):
    return member("admin")


@pytest.mark.parametrize("action", FENCED)
def test_a_token_of_an_older_lease_moves_nothing_and_is_named(client, boss, action):
    call = scene(client, action)
    attempts = int(client.hget(P + b"job:" + A.encode(), "attempts"))
    before = dump(client)
    said = _told(boss, replace(call, tokens={A: attempts + 7}))
    assert "changed meanwhile: its attempts are no longer" in said
    assert f"no longer {attempts + 7}" in said
    assert {key: value for key, value in dump(client).items() if b":op:" not in key} == before


def test_a_removal_of_other_attempts_is_not_the_one_that_is_restored(client, boss):
    call = scene(client, "restore")
    before = dump(client)
    assert "not in the trash" in _told(boss, replace(call, tokens={A: 7}))
    assert dump(client) == before


@pytest.mark.parametrize("action", ON_LIVING_JOBS)
def test_a_job_that_is_gone_is_said_to_be_gone_and_not_made_anew(client, boss, action):
    call = scene(client, action)
    pending(client, D)
    _finish(client)
    before = dump(client)
    said = _told(boss, call)
    assert "gone" in said or "row missing" in said or "no longer there" in said
    after = {key: value for key, value in dump(client).items() if b":op:" not in key}
    assert after == before
    assert _moved(client) == []


def _finish(client):
    """What a worker does that completes the job, as far as its sets and its row go."""
    for name in (b"pending", b"active", b"schedule", b"dead"):
        client.zrem(P + name, A)
    client.delete(P + b"job:" + A.encode())


@pytest.mark.parametrize("action", ON_SERVER)
def test_a_call_that_never_reached_the_server_moved_nothing_and_can_be_sent_again(
    settings, client, server_port, boss, action
):
    call = scene(client, action)
    before = dump(client)
    with wire(server_port) as cut:
        settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{cut.port}/0"
        servers.server("main").client.ping()
        client.script_load(SCRIPTS[action].source)
        cut.cut_before = b"EVALSHA"
        with pytest.raises(Unreachable) as refused:
            services.perform(boss, call)
        assert "again: nothing moves twice" in refused.value.sentence
        assert dump(client) == before
        cut.cut_before = None
        done = services.perform(boss, call)
        assert cut.cuts == 1
    assert not done.refusals
    assert _moved(client) == [action]
    assert len(_entries(call)) == 1


@pytest.mark.parametrize("action", ON_SERVER)
def test_a_call_whose_answer_was_lost_is_in_the_trail_once_its_stream_is_copied(
    settings, client, server_port, boss, action
):
    call = replace(scene(client, action), reason="a long story")
    EchoMQ(client).pause("warm-up", actor="x", op_id="warm-up")
    with wire(server_port) as cut:
        settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{cut.port}/0"
        servers.server("main").client.ping()
        client.script_load(SCRIPTS[action].source)
        cut.cut_after = b"EVALSHA"
        with pytest.raises(Unreachable):
            services.perform(boss, call)
        cut.cut_after = None
        assert _entries(call) == []
        copying.copy(servers.server("main"), Q)
        copying.copy(servers.server("main"), Q)
    (entry,) = _entries(call)
    assert (entry.actor, entry.server, bytes(entry.queue)) == ("admin-user", "main", Q.encode())
    assert entry.reason == "a long story"


@pytest.mark.parametrize("action", ON_SERVER)
def test_the_trail_has_what_was_done_once_however_often_it_is_sent(client, boss, action):
    call = replace(scene(client, action), reason="as agreed")
    services.perform(boss, call)
    services.perform(boss, call)
    copying.copy(servers.server("main"), Q)
    (entry,) = _entries(call)
    (told,) = [one for one in tail(client, Q).entries if one.op_id == call.op_id]
    assert (entry.stream_id, entry.at_ms, entry.n) == (told.entry_id, told.at_ms, told.n)
    assert (entry.actor, entry.reason) == ("admin-user", "as agreed")
    named = TrailJob.objects.filter(entry=entry).values_list("job", flat=True)
    assert {bytes(key) for key in named} == {job_key(job.job_id) for job in told.jobs}


@pytest.mark.parametrize("action", [*ON_SERVER, *IN_CONSOLE])
@pytest.mark.parametrize("role", ["nobody", "viewer"])
def test_an_attempt_without_the_right_is_in_the_trail(client, member, role, action):
    pending(client)
    with pytest.raises(NotAllowed) as refused:
        services.perform(member(role), Call(action, "main", Q, (A,), op_id="press-1"))
    entry = TrailEntry.objects.get()
    assert (entry.kind, entry.op, entry.actor) == (Kind.REFUSED, action, f"{role}-user")
    assert entry.sentence == refused.value.sentence
    assert (entry.server, bytes(entry.queue), entry.op_id) == ("main", Q.encode(), "press-1")


@pytest.mark.parametrize("action", [name for name in FENCED if ACTIONS[name].fenced == "must"])
def test_a_lease_that_is_ended_by_hand_needs_the_token_that_was_seen(client, boss, action):
    call = replace(scene(client, action), tokens={})
    before = dump(client)
    with pytest.raises(Invalid, match="needs the token"):
        services.perform(boss, call)
    assert dump(client) == before
