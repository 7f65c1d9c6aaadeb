"""A server that forgets its scripts, and answers of a script that are not its own."""

from __future__ import annotations

import pytest
import redis
from redis.exceptions import ResponseError

from echomq_admin.emq import EchoMQ, EmqError, EmqState, Outcome
from echomq_admin.emq.errors import translate
from tests.emq.orders import QUEUE, A, B, Orders
from tests.emq.verbs import CALLS, Call, name_of


@pytest.mark.parametrize("call", CALLS, ids=name_of)
def test_every_verb_works_after_the_server_forgot_its_scripts(orders: Orders, call: Call) -> None:
    call.prepare(orders)
    before = orders.dump()
    orders.client.script_flush()

    call.run(orders, actor="ann", op_id="op-1")
    assert orders.dump() != before


def test_a_bulk_call_goes_on_when_the_scripts_are_lost_in_between(
    orders: Orders, emq: EchoMQ
) -> None:
    ids = [f"JOB{n:011d}" for n in range(1500)]
    orders.put("dead", *ids)

    def forgetful(names: list[str]) -> object:
        for n, job in enumerate(names):
            if n in {0, 999, 1001}:
                orders.client.script_flush()
            yield job

    answer = emq.requeue(QUEUE, forgetful(ids), op_id="op-1")
    assert set(answer.values()) == {Outcome.REQUEUED}
    assert orders.ids("pending") == ids


def test_a_script_is_sent_once_and_then_named_by_its_hash(orders: Orders, emq: EchoMQ) -> None:
    orders.client.script_flush()
    orders.client.config_resetstat()
    for _ in range(5):
        emq.pause(QUEUE)

    calls = {name: stat["calls"] for name, stat in orders.client.info("commandstats").items()}
    assert calls["cmdstat_evalsha"] == 6
    assert calls["cmdstat_script|load"] == 1
    assert "cmdstat_eval" not in calls


def test_a_server_that_cannot_keep_scripts_is_asked_once_more_and_then_believed(
    orders: Orders, emq: EchoMQ, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders.client.script_flush()
    monkeypatch.setattr(orders.client, "script_load", lambda source: None)

    with pytest.raises(redis.exceptions.NoScriptError):
        emq.pause(QUEUE)


def test_an_unknown_word_of_the_protocol_keeps_its_text() -> None:
    refusal = translate(ResponseError("EMQNEW the moon is full"))
    assert type(refusal) is EmqError
    assert str(refusal) == "EMQNEW the moon is full"


def test_a_known_word_becomes_its_exception_and_a_sentence() -> None:
    refusal = translate(ResponseError("EMQSTATE not paused"))
    assert type(refusal) is EmqState
    assert str(refusal) == "not paused"


def test_trouble_that_is_not_the_protocols_stays_what_it_is(client: redis.Redis) -> None:
    assert translate(ResponseError("WRONGTYPE Operation against a key")) is None
    with pytest.raises(ResponseError, match="unknown"):
        client.execute_command("NOSUCHCOMMAND")


def test_a_replica_that_only_reads_refuses_with_its_own_error(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, B)
    before = orders.dump()
    orders.client.replicaof("127.0.0.1", "1")
    try:
        with pytest.raises(redis.exceptions.ReadOnlyError):
            emq.requeue(QUEUE, [A])
    finally:
        orders.client.replicaof("NO", "ONE")
    assert orders.dump() == before
    assert emq.requeue(QUEUE, [A]) == {A: Outcome.REQUEUED}
