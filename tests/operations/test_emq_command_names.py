"""Servers, queues and ids of any bytes on the command line."""

import base64

import pytest

from tests.operations.conftest import dump
from tests.operations.scenes import A, B, P, Q, dead, pending


@pytest.mark.parametrize(
    "job_id", ["user/234", "a%2Fb", "a b", "ü", "..", "?x=1#y", "", "x" * 4096, "JOB\udcff\x00/"]
)
@pytest.mark.parametrize("form", ["raw", "~"])
def test_a_foreign_id_is_acted_on_exactly(emq_command, client, operator, job_id, form):
    raw = job_id.encode("utf-8", "surrogateescape")
    for member in (raw, A.encode()):
        client.hset(P + b"job:" + member, mapping={"state": "dead", "attempts": 3})
        client.zadd(P + b"dead", {member: 0})
    typed = job_id if form == "raw" else _tilde(raw)
    ran = emq_command("requeue", Q, typed, "--token", f"{typed}=3", "--as", operator, "--json")
    assert ran.code == 0
    assert client.zrange(P + b"pending", 0, -1) == [raw]
    (outcome,) = ran.document["outcomes"]
    assert outcome["job_name"] == _tilde(raw)


def _tilde(raw: bytes) -> str:
    return "~" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "queue",
    ["foo/bar.baz", "task:email", "q+name", "q name", "a#b", "a?b", "a%2Fb", "é", "..", "a}b",
     "a*[b]", "", "\udcff"],
)  # fmt: skip
@pytest.mark.parametrize("form", ["raw", "server", "~"])
def test_a_strange_queue_is_swept_and_paused_and_no_other(
    emq_command, client, operator, queue, form
):
    raw = queue.encode("utf-8", "surrogateescape")
    pending(client, B)
    client.zadd(b"emq:{" + raw + b"}:active", {A: 1})
    before = dump(client)
    typed = {"raw": queue, "server": f"main/{queue}", "~": f"main/{_tilde(raw)}"}[form]
    assert emq_command("pause", typed, "--as", operator).code == 0
    assert emq_command("sweep", typed, "--as", operator).code == 0
    after = dump(client)
    assert {key: value for key, value in after.items() if b"{orders}" in key} == {
        key: value for key, value in before.items() if b"{orders}" in key
    }
    assert client.hexists(b"emq:{" + raw + b"}:meta", "paused")


def test_a_server_is_taken_off_a_queue_with_a_slash_only_when_it_is_one(
    emq_command, client, operator
):
    client.zadd("emq:{main/orders}:pending", {A: 0})
    client.zadd("emq:{other/orders}:pending", {A: 0})
    assert emq_command("pause", "other/orders", "--as", operator).code == 0
    assert emq_command("pause", "main/main/orders", "--as", operator).code == 0
    assert client.hexists("emq:{other/orders}:meta", "paused")
    assert client.hexists("emq:{main/orders}:meta", "paused")
    assert not client.exists("emq:{orders}:meta")


def test_several_servers_ask_for_the_name_of_one(
    emq_command, client, operator, settings, server_url
):
    settings.EMQ_SERVERS = f"one={server_url} two={server_url}"
    dead(client)
    ran = emq_command("requeue", Q, A, "--as", operator)
    assert (ran.code, ran.err) == (
        2,
        "Several servers are configured: write SERVER/QUEUE (one, two).\n",
    )
    assert emq_command("requeue", f"two/{Q}", A, "--as", operator).code == 0


@pytest.mark.parametrize("words", [("requeue", "prod/orders", A), ("jobs", "prod/orders", "dead")])
def test_a_server_that_is_not_there_is_named_beside_those_that_are(
    emq_command, client, operator, words
):
    ran = emq_command(*words, "--as", operator)
    assert ran.err == (
        "There is no server prod, and server main has no queue prod/orders. "
        "EMQ_SERVERS names: main.\n"
    )


def test_what_can_be_no_server_is_not_called_one(emq_command, client, operator):
    ran = emq_command("requeue", "Prod_1/orders", A, "--as", operator)
    assert ran.err == "Server main has no queue Prod_1/orders.\n"


def test_among_several_servers_one_that_is_not_there_is_named(
    emq_command, client, operator, settings, server_url
):
    settings.EMQ_SERVERS = f"one={server_url} two={server_url}"
    ran = emq_command("requeue", "prod/orders", A, "--as", operator)
    assert ran.err.startswith("There is no server prod. Several servers are configured")


def test_without_a_server_the_setting_is_named(emq_command, settings, operator):
    settings.EMQ_SERVERS = ""
    ran = emq_command("pause", Q, "--as", operator)
    assert ran.code == 2
    assert "EMQ_SERVERS" in ran.err


def test_a_setting_that_cannot_be_read_is_a_usage_error(emq_command, settings, operator):
    settings.EMQ_SERVERS = "main"
    for words in (("counts",), ("pause", Q)):
        ran = emq_command(*words, "--as", operator)
        assert (ran.code, ran.out) == (2, "")
        assert "EMQ_SERVERS" in ran.err


def test_a_refused_id_that_is_not_plain_is_given_as_it_can_be_typed(emq_command, client, operator):
    client.zadd(P + b"dead", {b"a b\xff": 0})
    ran = emq_command("requeue", Q, "a b\udcff", "--as", operator)
    assert f"  a b\\xff ({_tilde(b'a b' + bytes([255]))}): row missing" in ran.out
