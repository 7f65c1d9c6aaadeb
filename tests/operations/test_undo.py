"""A requeue is taken back for the jobs that still wait, with what they had as dead ones."""

from __future__ import annotations

import pytest
from django.db import Error as DatabaseError

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import servers
from echomq_admin.ledger import copying
from echomq_admin.ledger.models import Kind, TrailEntry
from echomq_admin.operations import befores, services, trash, undoing
from echomq_admin.operations.models import Before
from echomq_admin.operations.refusals import Invalid, NotAllowed, Refused
from echomq_admin.operations.services import Call, Done
from tests.operations.conftest import dump
from tests.operations.keepsakes import jobs_of
from tests.operations.scenes import A, B, C, P, Q, dead, pending

LONG = b"\xff\x00 long error " * 10_000


@pytest.fixture
def requeue(main, member):
    """Requeues as an operator under the op_id `press-1`."""

    def press(*job_ids: str, **args: object) -> Done:
        call = Call("requeue", "main", Q, job_ids, args=args, op_id="press-1")
        return services.perform(member("operator"), call)

    return press


@pytest.fixture
def undo(main, member):
    return lambda op_id="press-1": undoing.undo(member("operator"), "main", Q, op_id)


@pytest.mark.parametrize("reset_stalls", [False, True])
def test_errors_and_stalls_come_back_to_the_byte_however_long(client, requeue, undo, reset_stalls):
    dead(client, last_error=LONG, stalled=2)
    dead(client, B, stalled=0)
    client.hdel(P + b"job:" + B.encode(), "last_error")
    before = jobs_of(client)

    requeue(A, B, reset_stalls=reset_stalls)
    done = undo()
    assert done.outcomes == {A: "returned", B: "returned"}
    assert "to the byte" in done.note
    assert jobs_of(client) == before


def test_what_waits_no_more_is_left_and_said(client, requeue, undo):
    dead(client)
    dead(client, B)
    requeue(A, B)
    claimed = EchoMQ(client).claim(Q, 30_000)

    done = undo()
    assert claimed is not None
    assert done.outcomes == {A: "not_waiting", B: "returned"}
    assert done.sentence == "1 returned to dead, 1 no longer waiting"
    assert client.zrange(P + b"active", 0, -1) == [A.encode()]


def test_only_what_the_requeue_moved_is_returned(client, requeue, undo):
    dead(client)
    pending(client, B)
    requeue(A, B)
    assert Before.objects.count() == 1

    assert undo().outcomes == {A: "returned"}
    assert client.zrange(P + b"pending", 0, -1) == [B.encode()]


@pytest.mark.parametrize("stalled", ["abc", "9" * 30])
def test_a_stall_count_that_is_no_number_is_said(client, requeue, undo, stalled):
    dead(client)
    client.hset(P + b"job:" + A.encode(), "stalled", stalled)
    requeue(A)

    assert undo().note == (
        "Errors are what they were, to the byte. Of 1 job the stall count was no number: it is "
        "gone."
    )


def test_no_other_call_takes_the_op_id_of_an_undo(client, requeue, member):
    dead(client)
    name = undoing.undo_id("main", Q, "press-1")
    with pytest.raises(Invalid, match="that of an undo"):
        services.perform(member("operator"), Call("requeue", "main", Q, (A,), op_id=name))
    assert client.zrange(P + b"dead", 0, -1) == [A.encode()]


def test_a_strange_op_id_is_escaped_once(client, requeue, undo):
    dead(client)
    requeue(A)
    with pytest.raises(Refused) as caught:
        undo("a\n\x1b")
    assert "no requeue a\\x0a\\x1b in" in caught.value.sentence


def test_where_nothing_was_kept_the_text_of_the_audit_comes_back_and_it_is_said(
    client, requeue, undo
):
    dead(client, last_error=b"short", stalled=2)
    dead(client, B, last_error=LONG)
    requeue(A, B)
    Before.objects.all().delete()

    done = undo()
    assert done.outcomes == {A: "returned", B: "returned"}
    assert done.note == (
        "Of 2 jobs only the text of the audit was left: 1 came back with a cut error."
    )
    assert client.hmget(P + b"job:" + A.encode(), "last_error", "stalled") == [b"short", b"2"]
    kept = client.hget(P + b"job:" + B.encode(), "last_error")
    assert LONG.startswith(kept)
    assert 1_000 < len(kept) < len(LONG)


def test_an_error_too_large_to_be_kept_is_left_to_the_audit(client, requeue, undo, monkeypatch):
    monkeypatch.setattr(befores, "MOST_OF_AN_ERROR", 1_000)
    dead(client, last_error=LONG)
    dead(client, B)
    requeue(A, B)
    assert [bytes(row.job_id) for row in Before.objects.all()] == [B.encode()]

    assert undo().note.startswith("Of 1 job only the text of the audit was left")


def test_a_requeue_goes_on_when_the_database_does_not_keep_what_it_had(
    client, requeue, undo, monkeypatch
):
    def fails(*args: object, **named: object) -> None:
        raise DatabaseError("disk full")

    monkeypatch.setattr(Before.objects, "bulk_create", fails)
    dead(client)
    assert requeue(A).outcomes == {A: "requeued"}
    assert undo().outcomes == {A: "returned"}


def test_a_requeue_that_another_console_made_can_be_undone_by_its_entry(client, undo):
    dead(client, stalled=1)
    before = jobs_of(client)
    EchoMQ(client).requeue(Q, [A], actor="ann", op_id="press-1")

    assert undo().outcomes == {A: "returned"}
    assert jobs_of(client) == before


def test_a_call_that_broke_off_before_it_was_confirmed_can_be_undone(client, requeue, undo):
    dead(client)
    pending(client, B)
    requeue(A, B)
    # What a process leaves that ends between the sending and the confirming.
    row = Before.objects.get()
    row.pk, row.job_id = None, B.encode()
    row.attempts = 0
    row.save()

    assert undo().outcomes == {A: "returned"}


def test_a_requeue_of_more_than_1000_jobs_keeps_nothing_and_is_not_undone(client, requeue, undo):
    ids = [f"JOB{n:011d}" for n in range(1_001)]
    with client.pipeline() as pipe:
        for job_id in ids:
            dead(pipe, job_id)
        pipe.execute()
    requeue(*ids)
    before = dump(client)
    assert Before.objects.count() == 0

    with pytest.raises(Refused, match="more than 1,000 jobs"):
        undo()
    assert dump(client) == before


@pytest.mark.parametrize("op_id", ["nothing", "a/b", "\udcff", "press-1.1"])
def test_an_unknown_call_is_said_to_be_unknown(client, requeue, undo, op_id):
    dead(client)
    requeue(A)

    with pytest.raises(Refused, match="knows no requeue"):
        undo(op_id)


def test_the_op_id_of_another_action_undoes_nothing(client, main, member, undo):
    pending(client)
    call = Call("bury", "main", Q, (A,), args={"reason": "poison"}, op_id="press-1")
    services.perform(member("admin"), call)

    with pytest.raises(Refused, match="knows no requeue"):
        undo()


def test_the_op_id_of_another_queue_undoes_nothing(client, requeue, member):
    dead(client)
    requeue(A)
    EchoMQ(client).enqueue("others", C, b"{}")

    with pytest.raises(Refused, match="knows no requeue"):
        undoing.undo(member("operator"), "main", "others", "press-1")


def test_it_takes_the_role_of_an_operator(client, requeue, member):
    dead(client)
    requeue(A)
    before = dump(client)

    with pytest.raises(NotAllowed, match="the role operator"):
        undoing.undo(member("viewer"), "main", Q, "press-1")
    assert dump(client) == before
    assert TrailEntry.objects.filter(kind=Kind.REFUSED, op="return_to_dead").count() == 1


def test_a_server_that_is_not_configured_is_said(main, member):
    with pytest.raises(Invalid, match="no server elsewhere"):
        undoing.undo(member("operator"), "elsewhere", Q, "press-1")


def test_a_call_that_is_sent_again_keeps_what_the_first_one_found(client, requeue, undo):
    dead(client, last_error=LONG, stalled=1)
    before = jobs_of(client)
    requeue(A)
    requeue(A)

    undo()
    assert jobs_of(client) == before


def test_what_was_kept_for_undo_is_pruned_like_the_trash(client, requeue, settings):
    settings.EMQ_TRASH_DAYS = 1
    dead(client)
    requeue(A)
    assert trash.prune() == 0

    Before.objects.update(at_ms=1)
    assert trash.prune() == 1


def test_the_undo_stands_in_the_trail_under_its_own_name(client, requeue, undo):
    dead(client)
    requeue(A)
    done = undo()

    copying.copy(servers.server("main"), Q)
    ops = list(TrailEntry.objects.order_by("pk").values_list("op", "op_id"))
    assert ops == [("requeue", "press-1"), ("return_to_dead", done.call.op_id)]
