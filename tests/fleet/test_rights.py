"""Which rights the console needs, held against what it really sends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.keyspace import Keyspace
from echomq_admin.emq.replies import Answer, Batch
from echomq_admin.fleet.rights import Right, Rights
from echomq_admin.fleet.uses import called_by_scripts, uses
from tests.check.files import PACKAGE, own

_ASKED = re.compile(r'\.ask\(\s*"([a-z_]+)"')
# What only the page of a server asks may be refused without harm.
_METHODS = {
    "memory_usage": "MEMORY USAGE",
    "xinfo_stream": "XINFO STREAM",
    "dbsize": None,
    "config_get": None,
    "execute_command": None,
}


@contextmanager
def user(client: redis.Redis, port: int, *commands: str, keys: str = "*") -> Iterator[redis.Redis]:
    """A client of a user `look` with these rights alone."""
    client.acl_setuser("look", enabled=True, nopass=True, keys=[keys], commands=list(commands))
    try:
        with redis.Redis(port=port, username="look", password="x") as look:
            yield look
    finally:
        client.acl_deluser("look")


def rights(client: redis.Redis, name: str = "default", queue: str = "orders") -> dict[str, Right]:
    batch = Batch(client)
    asked = Rights(batch, name, queue)
    batch.run()
    return {right.what: right for right in asked.all()}


def test_a_user_who_may_do_everything_lacks_nothing(client):
    found = rights(client)
    assert [right for right in found.values() if right.refused or right.unknown] == []


def test_asking_changes_nothing_and_runs_neither_a_script_nor_a_scan(client):
    client.config_resetstat()
    rights(client)
    assert client.dbsize() == 0
    used = set(client.info("commandstats"))
    assert not {"cmdstat_scan", "cmdstat_evalsha", "cmdstat_zadd", "cmdstat_script|load"} & used


def test_rights_to_read_are_tried_and_others_unknown_to_who_may_not_ask(client, server_port):
    with user(client, server_port, "+@read", "+time", "+ping") as look:
        found = rights(look, "look")
    assert found["See jobs and counts"] == Right(
        "See jobs and counts", "What needs them shows “?” in counts and lists."
    )
    assert found["Know the server"].refused == ("INFO",)
    assert found["Move jobs"].refused == ()
    assert found["Move jobs"].unknown == "this user may not ask with ACL DRYRUN"


def test_rights_to_act_are_told_where_the_user_may_ask(client, server_port):
    with user(client, server_port, "+@all", "-xadd", "-script", "-zrank", "-lmove") as look:
        found = rights(look, "look")
    assert found["Keep the record"].refused == ("XADD",)
    assert found["Run scripts"].refused == ("SCRIPT LOAD",)
    assert found["Move jobs"].refused == ("LMOVE",)
    assert found["See jobs and counts"].refused == ("ZRANK",)
    assert found["Find queues and lanes"].refused == ()


def test_rights_are_those_for_the_keys_of_the_queue(client, server_port):
    with user(client, server_port, "+@all", keys="emq:{orders}:*") as look:
        here, there = rights(look, "look", "orders"), rights(look, "look", "other")
    assert here["See jobs and counts"].refused == ()
    assert here["Keep the record"].refused == ("SET", "XADD", "XINFO STREAM")
    assert "ZCARD" in there["See jobs and counts"].refused
    assert "TIME" not in there["See jobs and counts"].refused


def test_a_user_limited_to_the_keys_of_a_queue_may_do_everything_there(client, server_port):
    with user(client, server_port, "+@all", keys="*{orders}*") as look:
        found = rights(look, "look", "orders")
    assert [right for right in found.values() if right.refused or right.unknown] == []


def test_a_right_that_lacks_some_of_its_commands_is_there_in_part(client, server_port):
    with user(client, server_port, "+@all", "-memory", "-info") as look:
        found = rights(look, "look")
    lanes, server = found["See lanes and the ring"], found["Know the server"]
    assert (lanes.refused, lanes.in_part) == (("MEMORY USAGE",), True)
    assert (server.refused, server.in_part) == (("INFO",), False)


def test_keys_of_the_wrong_type_are_no_missing_right(client):
    keys = Keyspace("orders")
    for key in keys.fixed:
        client.set(key, "x")
    client.set(keys.audit, "x")
    found = rights(client)
    assert [right for right in found.values() if right.refused or right.unknown] == []


def test_jobs_of_any_size_are_not_fetched_for_it(client):
    keys = Keyspace("orders")
    client.hset(keys.job(""), mapping={"payload": "x" * 3_000_000})
    before = client.info("stats")["total_net_output_bytes"]
    rights(client)
    assert client.info("stats")["total_net_output_bytes"] - before < 50_000


@pytest.mark.parametrize("answer", ["ERR unknown subcommand 'DRYRUN'. Try ACL HELP.", "ERR odd"])
def test_a_server_that_cannot_be_asked_leaves_it_unknown(client, monkeypatch, answer):
    take = Answer.take

    def refusing(asked: Answer, reply: object) -> None:
        take(asked, reply)
        if asked.value == b"OK":
            asked.value, asked.fault = None, answer.removeprefix("ERR ")

    monkeypatch.setattr(Answer, "take", refusing)
    found = rights(client)
    assert found["Move jobs"].refused == ()
    assert found["Move jobs"].unknown
    assert found["See jobs and counts"].unknown is None


def test_every_read_of_pages_and_agent_is_among_the_uses():
    named = {_name(command) for use in uses(Keyspace("q")) for command in use.commands}
    files = [
        path for floor in ("emq", "fleet", "console") for path in own(".py", below=PACKAGE / floor)
    ]
    asked = {method for path in files for method in _ASKED.findall(path.read_text())}
    assert {"zcard", "hmget"} <= asked
    wanted = {_METHODS.get(method, method.upper()) for method in asked} - {None}
    assert wanted - named == set()


def test_every_command_of_the_scripts_is_among_the_uses():
    named = {_name(command) for use in uses(Keyspace("q")) for command in use.commands}
    assert {"ZADD", "XADD", "LMOVE"} <= set(called_by_scripts()) <= named


def test_a_user_with_the_rights_that_are_needed_can_act(client, server_port):
    commands = {
        "+" + _name(command).lower().replace(" ", "|")
        for use in uses(Keyspace("q"))
        for command in use.commands
    }
    with user(client, server_port, *sorted(commands)) as look:
        emq = EchoMQ(look)
        emq.enqueue("orders", "JOB0KHTOWnGLuA", "x", group="g")
        assert emq.claim_lane("orders", 1_000)
        assert emq.requeue("orders", ["JOB0KHTOWnGLuA"], actor="olena", op_id="a" * 32)


def _name(command: tuple) -> str:
    head, *rest = map(str, command)
    return f"{head} {rest[0]}" if head in {"MEMORY", "SCRIPT", "XINFO"} else head
