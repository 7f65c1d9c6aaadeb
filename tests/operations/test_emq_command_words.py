"""What can be typed to `manage.py emq`, and what cannot be meant."""

import io
import json
import sys

import pytest

from echomq_admin.emq.audit import tail
from echomq_admin.fleet import servers
from tests.operations.conftest import dump
from tests.operations.scenes import A, B, D, G, P, Q, dead, pending
from tests.operations.wire_cut import wire
from tests.valkey import free_port


def test_a_return_to_dead_reads_its_jobs_as_json(emq_command, client, operator, monkeypatch):
    pending(client, A)
    pending(client, B)
    text = json.dumps({A: [0, 1, "boom"], B: [0, 0, None]})
    assert emq_command("return_to_dead", Q, "--errors", text, "--as", operator).code == 0
    assert client.hget(P + b"job:" + A.encode(), "last_error") == b"boom"
    assert client.hget(P + b"job:" + B.encode(), "last_error") is None


def test_a_return_to_dead_reads_its_jobs_from_stdin(emq_command, client, operator, monkeypatch):
    pending(client, A)
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({A: [0, 1, "boom"]})))
    assert emq_command("return_to_dead", Q, A, "--errors", "-", "--as", operator).code == 0


@pytest.mark.parametrize("text", ["", "x", f"{A}=1", "{", "[1]", '{"a": 1}', '{"a": [1, 2]}'])
def test_errors_that_cannot_be_read_are_a_usage_error(emq_command, client, operator, text):
    pending(client)
    ran = emq_command("return_to_dead", Q, A, "--errors", text, "--as", operator)
    assert ran.code == 2
    assert "--errors" in ran.err


def test_a_payload_may_come_from_stdin_as_any_bytes(emq_command, client, admin, monkeypatch):
    pending(client)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\x80\xff\n")))
    assert emq_command("update_payload", Q, A, "--payload", "-", "--as", admin).code == 0
    assert client.hget(P + b"job:" + A.encode(), "payload") == b"\x80\xff\n"


@pytest.mark.parametrize(
    "words",
    [
        ("requeue", Q),
        ("sweep", Q, A),
        ("sweep", Q, "--force"),
        ("limit_lane", Q, "--group", G),
        ("limit_lane", Q, "--group", G, "--n", "1", "--no-limit"),
        ("explode", Q),
        ("claim", Q),
        (),
    ],
)
def test_words_that_a_verb_does_not_know_are_refused(emq_command, admin, words):
    from django.core.management import CommandError

    with pytest.raises(CommandError):
        emq_command(*words, "--as", admin)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sweep", Q, "--max-stalled", "0"), "Max stalled must be from 1"),
        (("sweep", Q, "--limit", "many"), "Limit must be a whole number"),
        (("recover_now", Q, A), "needs the token"),
        (("requeue", Q, A, "--token", A), "--token is ID=N"),
        (("requeue", Q, A, "--token", f"{B}=1"), "none of the jobs of this call"),
        (("requeue", Q, A, "--token", f"{A}=x"), "Token must be a whole number"),
        (("requeue", Q, "~!"), "no name in ~ form"),
        (("requeue", "~!", A), "no name in ~ form"),
        (("pause", "oders"), "has no queue oders"),
        (("requeue", Q, A, "--op-id", "a b"), "An op_id is"),
        (("schedule", Q, D, "--payload", "x"), "at_ms"),
        (("jobs", Q, "dead", "--limit", "0"), "Limit must be from 1"),
        (("jobs", "oders", "dead"), "has no queue oders"),
    ],
)
def test_what_cannot_be_meant_ends_with_2_and_a_sentence(emq_command, client, admin, words, said):
    dead(client)
    before = dump(client)
    ran = emq_command(*words, "--as", admin)
    assert (ran.code, dump(client)) == (2, before)
    assert said in ran.err


def test_a_usage_error_is_a_document_too(emq_command, client, admin):
    dead(client)
    ran = emq_command("requeue", Q, "~!", "--as", admin, "--json")
    assert "~ form" in ran.document["error"]["sentence"]


@pytest.mark.parametrize("words", [("requeue", Q, A), ("counts",), ("jobs", Q, "dead")])
def test_a_server_that_is_down_ends_with_3(emq_command, settings, operator, words):
    settings.EMQ_SERVERS = f"main=redis://u:hunter2@127.0.0.1:{free_port()}"
    ran = emq_command(*words, "--as", operator)
    assert ran.code == 3
    assert "main" in ran.err
    assert "hunter2" not in ran.err + ran.out


def test_a_lost_answer_says_how_to_repeat_it(emq_command, client, settings, server_port, operator):
    dead(client)
    pending(client, B)
    emq_command("pause", Q, "--as", operator)
    emq_command("requeue", Q, B, "--as", operator)
    with wire(server_port) as cut:
        settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{cut.port}/0"
        servers.server("main").facts()
        cut.cut_after = b"EVALSHA"
        ran = emq_command("requeue", Q, A, "--as", operator)
        assert ran.code == 3
        repeat = ran.err.split("On the command line: ")[1].split()
        cut.cut_after = None
        ran = emq_command("requeue", Q, A, "--as", operator, *repeat)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "1 requeued")
    assert [entry.op for entry in tail(client, Q).entries].count("requeue") == 1


def test_the_read_only_switch_ends_with_2(emq_command, client, settings, operator):
    settings.EMQ_READ_ONLY = True
    dead(client)
    ran = emq_command("requeue", Q, A, "--as", operator, "--json")
    assert ran.code == 2
    assert ran.document["error"]["kind"] == "ReadOnly"


@pytest.mark.parametrize("text", [f"{A}=0:", f'{{"{A}": [0, null, null]}}'])
def test_a_return_to_dead_may_name_no_stall_count(emq_command, client, operator, text):
    pending(client, A)
    assert emq_command("return_to_dead", Q, "--errors", text, "--as", operator).code == 0
    assert not client.hexists(P + b"job:" + A.encode(), "stalled")


def test_a_token_of_another_job_is_named_as_everywhere(emq_command, client, operator):
    dead(client)
    ran = emq_command("requeue", Q, A, "--token", "\udcff=1", "--as", operator)
    assert ran.code == 2
    assert "--token names \\xff, which is none" in ran.err
    ran = emq_command("requeue", Q, A, "--token", "\udcff", "--as", operator)
    assert "not \\xff." in ran.err
