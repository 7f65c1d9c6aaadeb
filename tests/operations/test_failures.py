"""Servers that do not answer, or answer with an error of their own."""

import pytest
import redis
from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    ResponseError,
    TryAgainError,
)

from echomq_admin.emq import EchoMQ, EmqError
from echomq_admin.emq.audit import tail
from echomq_admin.fleet import servers
from echomq_admin.operations import services
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.failures import before_sending, refusal
from echomq_admin.operations.services import Call, Invalid, ReadOnly, Refused, Trouble, Unreachable
from tests.operations.scenes import ON_SERVER, A, B, P, Q, active, dead, pending, scene
from tests.operations.wire_cut import wire
from tests.valkey import free_port, valkey

pytestmark = pytest.mark.django_db

PASSWORD = "hunter2-secret"
LOST = Call("requeue", "main", Q, (A,), {A: 3}, op_id="press-1")


@pytest.fixture(autouse=True)
def _forget():
    yield
    servers.forget()


@pytest.fixture
def boss(member):
    return member("admin")


def _refused(boss, call) -> Refused:
    with pytest.raises(Refused) as refused:
        services.perform(boss, call)
    return refused.value


@pytest.mark.parametrize("action", ON_SERVER)
def test_a_server_that_is_down_changes_nothing_and_is_named(settings, client, boss, action):
    settings.EMQ_SERVERS = f"main=redis://user:{PASSWORD}@127.0.0.1:{free_port()}/0"
    refused = _refused(boss, scene(client, action))
    assert type(refused) is Unreachable
    assert "main" in refused.sentence
    assert "Nothing was sent" in refused.sentence
    assert PASSWORD not in refused.sentence


@pytest.mark.parametrize("action", ON_SERVER)
def test_an_answer_that_was_lost_can_be_asked_for_again(
    settings, client, server_port, boss, action
):
    call = scene(client, action)
    EchoMQ(client).pause("warm-up", actor="x", op_id="warm-up")
    with wire(server_port) as cut:
        settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{cut.port}/0"
        servers.server("main").client.ping()
        _load(client, action)
        cut.cut_after = b"EVALSHA"
        refused = _refused(boss, call)
        assert type(refused) is Unreachable
        assert "not known" in refused.sentence
        assert "did not answer this" in refused.sentence
        assert "again: nothing moves twice" in refused.sentence
        cut.cut_after = None
        done = services.perform(boss, call)
        assert cut.cuts == 1
    assert not done.refusals
    assert [entry.op for entry in tail(client, Q).entries].count(action) == 1


def _load(client, action):
    """The script is known to the server, so that the lost answer is that of the move itself."""
    from echomq_admin.emq.scripts import SCRIPTS

    client.script_load(SCRIPTS[action].source)


def test_a_server_that_went_away_meanwhile_is_unreachable(settings, boss):
    with valkey() as port:
        with redis.Redis(port=port) as direct:
            dead(direct)
        settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{port}/0"
        servers.server("main").facts()
    refused = _refused(boss, LOST)
    assert type(refused) is Unreachable


def test_a_server_that_came_back_works_without_a_restart(settings, boss):
    port = free_port()
    settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{port}/0"
    assert type(_refused(boss, LOST)) is Unreachable
    with valkey(port=port):
        with redis.Redis(port=port) as direct:
            dead(direct)
        assert services.perform(boss, LOST).sentence == "1 requeued"


@pytest.fixture
def own(settings):
    """A server of this test alone, called main; gives a client that decodes nothing."""
    with valkey() as port, redis.Redis(port=port) as direct:
        settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{port}/0"
        yield direct


def test_a_server_that_became_a_replica_says_so_and_takes_over_again(own, boss):
    dead(own)
    servers.server("main").facts()
    own.replicaof("127.0.0.1", free_port())
    refused = _refused(boss, LOST)
    assert type(refused) is Trouble
    assert "read-only replica. Nothing was changed. Act on its primary" in refused.sentence
    own.replicaof("NO", "ONE")
    assert services.perform(boss, LOST).sentence == "1 requeued"


def test_a_known_replica_is_not_even_asked(own, boss):
    dead(own)
    own.replicaof("127.0.0.1", free_port())
    assert type(_refused(boss, LOST)) is ReadOnly


def test_a_user_without_the_right_is_told_to_get_it(own, settings, boss):
    dead(own)
    own.execute_command("ACL", "SETUSER", "looker", "on", f">{PASSWORD}", "~*", "+@read", "+@fast")
    own.execute_command("ACL", "SETUSER", "looker", "+info", "-evalsha")
    port = own.connection_pool.connection_kwargs["port"]
    settings.EMQ_SERVERS = f"main=redis://looker:{PASSWORD}@127.0.0.1:{port}/0"
    refused = _refused(boss, LOST)
    assert type(refused) is Trouble
    assert "lacks a right (EVALSHA). Nothing was changed." in refused.sentence
    assert PASSWORD not in refused.sentence


def test_a_wrong_password_is_told_without_it(own, settings, boss):
    own.execute_command("ACL", "SETUSER", "looker", "on", ">right")
    port = own.connection_pool.connection_kwargs["port"]
    settings.EMQ_SERVERS = f"main=redis://looker:{PASSWORD}@127.0.0.1:{port}/0"
    refused = _refused(boss, LOST)
    assert type(refused) is Trouble
    assert "refuses this user or password" in refused.sentence
    assert PASSWORD not in refused.sentence


def test_a_full_server_is_told_and_nothing_changed(own, boss):
    pending(own)
    pause = Call("pause", "main", Q)
    services.perform(boss, pause)
    services.perform(boss, Call("resume", "main", Q))
    own.config_set("maxmemory", 1)
    refused = _refused(boss, pause)
    assert type(refused) is Trouble
    assert "memory is full. Nothing was changed." in refused.sentence
    assert not own.exists(P + b"meta")


def test_a_server_that_forgot_its_scripts_is_given_them_again(own, boss):
    dead(own)
    services.perform(boss, Call("pause", "main", Q))
    own.script_flush()
    assert services.perform(boss, LOST).sentence == "1 requeued"


def test_what_is_left_stays_unsaid_when_the_second_look_fails(settings, client, server_port, boss):
    active(client, A, 1)
    active(client, B, 2)
    with wire(server_port) as cut:
        settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{cut.port}/0"
        servers.server("main").facts()
        cut.cut_after = b"\r\nTIME\r\n"
        done = services.perform(boss, Call("sweep", "main", Q, args={"limit": 1}))
    assert (
        done.sentence
        == "0 recovered, 1 dead, at max stalled 1; whether more leases have lapsed is not known"
    )


def test_a_child_is_refused_even_when_its_parent_cannot_be_read(
    settings, client, server_port, boss
):
    pending(client, A)
    client.hset(P + b"job:" + A.encode(), mapping={"parent": B, "parent_queue": "mails"})
    with wire(server_port) as cut:
        settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{cut.port}/0"
        servers.server("main").facts()
        cut.cut_after = b"\r\nHMGET\r\n"
        done = services.perform(boss, Call("remove", "main", Q, (A,)))
    assert "part of a flow. It was not removed." in done.refusals[A]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ResponseError("MISCONF Errors writing to the AOF file"), "cannot save to its disk"),
        (ResponseError("BUSY Valkey is busy running a script"), "busy with a script"),
        (ResponseError("NOREPLICAS Not enough good replicas"), "too few of its replicas"),
        (ResponseError("WRONGTYPE Operation against a key"), "a wrong type"),
        (ResponseError("NOAUTH Authentication required."), "does not accept the console's user"),
        (BusyLoadingError("Valkey is loading the dataset"), "loading its data"),
        (ClusterDownError("Hash slot not served"), "cluster is down"),
        (MasterDownError("Link with MASTER is down"), "primary is down"),
        (MovedError("3999 127.0.0.1:6381"), "another node of its cluster"),
        (AskError("3999 127.0.0.1:6381"), "moving the queue's slot"),
        (TryAgainError("Multiple keys request during rehashing"), "moving the queue's slot"),
        (ResponseError("CROSSSLOT Keys don't hash to the same slot"), "several slots"),
    ],
)
def test_an_error_of_the_server_becomes_a_sentence(settings, error, words):
    settings.EMQ_SERVERS = f"main=redis://user:{PASSWORD}@127.0.0.1:1/0"
    refused = refusal(error, ACTIONS["requeue"], servers.server("main"), LOST)
    assert type(refused) is Trouble
    assert words in refused.sentence
    assert "Nothing was changed." in refused.sentence


def test_an_error_that_is_not_known_is_quoted_short_and_promises_nothing(settings):
    settings.EMQ_SERVERS = "main=redis://127.0.0.1:1/0"
    error = ResponseError("ACL failure in script: \x1b[31m" + "x" * 5_000)
    refused = refusal(error, ACTIONS["requeue"], servers.server("main"), LOST)
    assert "not certain" in refused.sentence
    assert len(refused.sentence) < 600
    assert refused.sentence.isprintable()


def test_a_refusal_of_a_newer_protocol_is_quoted(settings):
    settings.EMQ_SERVERS = "main=redis://127.0.0.1:1/0"
    error = EmqError("EMQMAX the queue is full")
    refused = refusal(error, ACTIONS["requeue"], servers.server("main"), LOST)
    assert type(refused) is Refused
    assert "EMQMAX the queue is full. Nothing was changed." in refused.sentence


def test_an_error_in_the_first_block_of_many_changed_nothing(settings, client, server_url, boss):
    settings.EMQ_SERVERS = f"main={server_url}"
    dead(client)
    client.set(P + b"ring", "x")
    refused = _refused(boss, Call("requeue", "main", Q, (A, B)))
    assert "Nothing was changed." in refused.sentence


def test_an_error_behind_the_first_block_does_not_claim_that_nothing_moved(
    settings, client, server_url
):
    settings.EMQ_SERVERS = f"main={server_url}"
    dead(client)
    EchoMQ(client).requeue(Q, [A], actor="x", op_id="press-1")
    many = Call("requeue", "main", Q, (A, B), op_id="press-1")
    error = ResponseError("MISCONF Errors writing to the AOF file")
    refused = refusal(error, ACTIONS["requeue"], servers.server("main"), many)
    assert "Nothing was changed" not in refused.sentence
    assert "press-1) does the rest" in refused.sentence


def test_what_cannot_be_looked_up_is_not_claimed(settings):
    settings.EMQ_SERVERS = "main=redis://127.0.0.1:1/0"
    call = Call("sweep", "main", Q, args={"limit": 5}, op_id="press-1")
    error = ResponseError("BUSY Valkey is busy running a script")
    refused = refusal(error, ACTIONS["sweep"], servers.server("main"), call)
    assert "Nothing was changed" not in refused.sentence


def test_a_server_that_loads_is_no_lost_answer(settings):
    settings.EMQ_SERVERS = "main=redis://127.0.0.1:1/0"
    refused = before_sending(BusyLoadingError("loading"), servers.server("main"), LOST)
    assert type(refused) is Trouble


def test_a_setting_that_cannot_be_read_is_told_without_its_addresses(settings, boss):
    settings.EMQ_SERVERS = f"main=redis://u:{PASSWORD}@[::1 main"
    refused = _refused(boss, LOST)
    assert type(refused) is Invalid
    assert "EMQ_SERVERS" in refused.sentence
    assert PASSWORD not in refused.sentence
