"""The command line of undo and trash."""

from __future__ import annotations

import pytest

from echomq_admin.emq.keyspace import from_wire
from tests.operations.conftest import dump
from tests.operations.keepsakes import jobs_of
from tests.operations.scenes import A, B, P, Q, dead, lane


def test_a_requeue_is_undone_by_the_op_id_of_its_answer(emq_command, client, operator):
    dead(client, last_error=b"\xff long " * 20_000)
    before = jobs_of(client)
    requeued = emq_command("requeue", Q, A, "--as", operator, "--json").document

    ran = emq_command("undo", Q, requeued["op_id"], "--as", operator)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "1 returned to dead"
    assert jobs_of(client) == before


def test_an_answer_says_how_it_is_undone(emq_command, client, operator):
    dead(client)
    said = emq_command("requeue", Q, A, "--as", operator).out.splitlines()
    (line,) = (line for line in said if line.startswith("To undo it: emq undo "))
    ran = emq_command(*line.removeprefix("To undo it: emq ").split(), "--as", operator)
    assert ran.out.startswith("1 returned to dead\n")
    again = emq_command("requeue", Q, B, "--as", operator)
    assert "To undo it" not in again.out


def test_of_a_job_that_is_over_an_undo_says_only_that(emq_command, client, operator):
    dead(client)
    emq_command("requeue", Q, A, "--as", operator, "--op-id", "press-1")
    client.delete(P + b"job:" + A.encode(), P + b"pending")
    ran = emq_command("undo", Q, "press-1", "--as", operator)
    assert f"  {A}: no longer there: it finished, or was removed since." in ran.out
    assert "clean up" not in ran.out


def test_what_was_taken_meanwhile_is_said_and_the_code_is_1(emq_command, emq, client, operator):
    dead(client)
    emq_command("requeue", Q, A, "--as", operator, "--op-id", "press-1")
    emq.claim(Q, 30_000)

    ran = emq_command("undo", f"main/{Q}", "press-1", "--as", operator)
    assert ran.code == 1
    assert f"  {A}: no longer waiting" in ran.out


@pytest.mark.parametrize("is_json", [False, True])
def test_an_unknown_op_id_is_said(emq_command, client, operator, is_json):
    dead(client)
    before = dump(client)

    ran = emq_command("undo", Q, "nothing", "--as", operator, *["--json"] * is_json)
    assert ran.code == 1
    assert "knows no requeue nothing" in ran.err
    assert not is_json or ran.document["error"]["kind"] == "Refused"
    assert dump(client) == before


def test_a_viewer_may_look_at_the_trash_and_undo_nothing(emq_command, client, viewer, operator):
    dead(client)
    emq_command("requeue", Q, A, "--as", operator, "--op-id", "press-1")
    before = dump(client)

    ran = emq_command("undo", Q, "press-1", "--as", viewer)
    assert (ran.code, "the role operator" in ran.err) == (2, True)
    assert dump(client) == before
    assert emq_command("trash", "--as", viewer).code == 0


def test_the_trash_lists_what_was_removed_and_restore_puts_it_back(emq_command, client, admin):
    lane(client)
    before = jobs_of(client)
    emq_command("remove", Q, A, "--yes", "--as", admin, "--reason", "by mistake")

    ran = emq_command("trash", Q, "--as", admin)
    assert ran.out.startswith(f"{A} main/{Q} was in lane GRP0KHTOWnGLuA attempts=0 removed ")
    assert "by admin-user: by mistake" in ran.out
    assert ran.out.splitlines()[-1] == "1 of 1 in the trash"
    restored = emq_command("restore", Q, A, "--as", admin)
    assert (restored.code, restored.out.splitlines()[0]) == (0, "1 restored")
    assert jobs_of(client) == before
    assert emq_command("trash", "--as", admin).out == "0 of 0 in the trash\n"


def test_the_trash_as_a_document_goes_on_by_its_cursor(emq_command, client, admin):
    for job_id in (A, B):
        dead(client, job_id)
        emq_command("remove", Q, job_id, "--yes", "--as", admin)

    first = emq_command("trash", "main/", "--limit", "1", "--as", admin, "--json").document
    assert (first["total"], [row["job"] for row in first["jobs"]]) == (2, [B])
    words = ("--cursor", first["next"], "--as", admin, "--json")
    second = emq_command("trash", *words).document
    assert ([row["job"] for row in second["jobs"]], second["next"]) == ([A], None)
    assert second["jobs"][0]["was_in"] == [{"set": "dead", "score": 0.0}]


def test_names_of_any_bytes_are_told_in_the_form_that_can_be_typed(emq_command, client, admin):
    job_id = from_wire(b"JOB\xff")
    client.hset(P + b"job:JOB\xff", mapping={"state": "dead", "attempts": 1})
    client.zadd(P + b"dead", {b"JOB\xff": 0})
    emq_command("remove", Q, "~Sk9C_w", "--yes", "--as", admin)

    (row,) = emq_command("trash", "--as", admin, "--json").document["jobs"]
    assert row["job_name"] == "~Sk9C_w"
    assert emq_command("restore", Q, row["job_name"], "--as", admin).code == 0
    assert client.exists(P + b"job:" + job_id.encode("utf-8", "surrogateescape"))
