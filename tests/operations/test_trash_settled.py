"""The trash after calls that broke off, and at the end of its time."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from echomq_admin.agent import chores
from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import servers
from echomq_admin.ledger import copies
from echomq_admin.ledger.models import Gap
from echomq_admin.operations import keeping, restoring, services, trash
from echomq_admin.operations.models import Trashed
from echomq_admin.operations.refusals import Unreachable
from echomq_admin.operations.services import Call
from tests.operations.keepsakes import in_trash
from tests.operations.scenes import A, B, P, Q, active, dead
from tests.operations.wire_cut import wire


def main_server() -> servers.Server:
    return servers.server("main")


@pytest.fixture
def broken_restore(client, main, member, do, monkeypatch) -> Call:
    """The process ends when it has chosen what to restore and sent nothing; the call."""
    dead(client)
    do("remove", A)
    call = Call("restore", "main", Q, (A,), op_id="press-2")

    def ends(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(services, "send", ends)
        with pytest.raises(KeyboardInterrupt):
            services.perform(member("admin"), call)
    return call


@pytest.fixture
def broken_off(monkeypatch) -> None:
    """The process ends before it can write down what came of its calls."""
    monkeypatch.setattr(keeping, "after", lambda *args: None)


def test_a_removal_that_was_done_is_confirmed_by_the_trail(client, do, broken_off):
    dead(client)
    do("remove", A)
    assert in_trash() == []

    trash.settle(main_server())
    assert in_trash() == [A]


def test_a_removal_that_was_not_done_is_dropped_when_it_is_long_over(
    client, do, broken_off, monkeypatch
):
    active(client)
    do("remove", A)

    trash.settle(main_server())
    assert Trashed.objects.count() == 1
    monkeypatch.setattr(trash, "OVER_MS", -1)
    trash.settle(main_server())
    assert Trashed.objects.count() == 0
    assert client.exists(P + b"job:" + A.encode())


def test_a_removal_that_was_not_done_is_dropped_when_a_later_one_took_the_job(
    client, do, broken_off, monkeypatch
):
    active(client)
    do("remove", A)
    do("remove", A, force=True)
    assert Trashed.objects.count() == 2

    monkeypatch.setattr(trash, "OVER_MS", -1)
    trash.settle(main_server())
    trash.settle(main_server())
    assert in_trash() == [A]
    assert Trashed.objects.count() == 1


def test_a_removal_that_was_not_done_is_dropped_when_one_kept_just_before_took_the_job(
    client, do, broken_off, monkeypatch
):
    active(client)
    do("remove", A)
    do("remove", A, force=True)
    trash.settle(main_server())
    done = Trashed.objects.get(is_removed=True)
    Trashed.objects.filter(is_removed=False).update(at_ms=done.at_ms + 20)

    monkeypatch.setattr(trash, "OVER_MS", -1)
    trash.settle(main_server())
    assert in_trash() == [A]
    assert Trashed.objects.count() == 1


def test_a_restore_that_was_done_is_not_offered_again(client, do, monkeypatch):
    dead(client)
    do("remove", A)
    monkeypatch.setattr(keeping, "after", lambda *args: None)
    do("restore", A)
    monkeypatch.undo()
    EchoMQ(client).remove(Q, [A])

    trash.settle(main_server())
    assert in_trash() == []
    assert do("restore", A).outcomes == {A: "not_kept"}


def test_a_removal_whose_answer_was_lost_is_confirmed_by_the_same_call(
    client, main, member, settings, server_port
):
    dead(client)
    straight, call = settings.EMQ_SERVERS, Call("remove", "main", Q, (A,), op_id="press-1")
    with wire(server_port) as cut:
        settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{cut.port}/0"
        cut.cut_after = b"EVALSHA"
        with pytest.raises(Unreachable):
            services.perform(member("admin"), call)
    servers.forget()
    settings.EMQ_SERVERS = straight
    assert not client.exists(P + b"job:" + A.encode())

    assert services.perform(member("admin"), call).outcomes == {A: "removed"}
    assert in_trash() == [A]


def test_a_restore_that_broke_off_before_its_script_is_ended_by_the_same_call(
    client, main, member, do, broken_restore
):
    call = broken_restore
    assert services.perform(member("admin"), call).outcomes == {A: "restored"}
    assert client.zrange(P + b"dead", 0, -1) == [A.encode()]
    assert in_trash() == []


def test_another_restore_meanwhile_says_what_is_under_way_and_when_that_ends(
    client, do, broken_restore, monkeypatch
):
    done = do("restore", A)
    assert done.outcomes == {A: "under_way"}
    assert done.sentence == "0 restored, 1 being restored already"
    (row,) = Trashed.objects.all()
    ends = datetime.fromtimestamp((row.changed_ms + trash.OVER_MS) / 1000, UTC)
    assert "the restore press-2, which began at" in done.refusals[A]
    assert f"by {ends:%Y-%m-%d %H:%M:%S} UTC" in done.refusals[A]
    assert not client.exists(P + b"job:" + A.encode())

    Trashed.objects.update(changed_ms=1)
    assert do("restore", A).outcomes == {A: "restored"}


def test_while_the_trail_cannot_tell_whether_it_was_done_it_is_not_restored_again(
    client, do, broken_restore
):
    Trashed.objects.update(changed_ms=1)
    Gap.objects.create(server="main", queue=Q.encode(), after_id="1-0", found_at_ms=2, sentence="x")

    done = do("restore", A)
    assert done.outcomes == {A: "under_way"}
    assert "the trail does not tell whether it was done" in done.refusals[A]


def test_of_two_restores_at_once_one_is_left_alone(client, main, member, do, monkeypatch):
    dead(client)
    do("remove", A)
    marked = restoring._marked

    def later(call: Call, rows: list) -> set[int]:
        monkeypatch.setattr(restoring, "_marked", marked)
        assert do("restore", A).outcomes == {A: "restored"}
        return marked(call, rows)

    monkeypatch.setattr(restoring, "_marked", later)
    assert do("restore", A).outcomes == {A: "under_way"}


def test_what_was_removed_stays_while_the_trail_names_not_all_jobs_of_the_call(
    client, do, broken_off, monkeypatch
):
    dead(client)
    monkeypatch.setattr(copies, "MOST_BYTES", 5)
    do("remove", A)

    monkeypatch.setattr(trash, "OVER_MS", -1)
    trash.settle(main_server())
    assert not client.exists(P + b"job:" + A.encode())
    assert Trashed.objects.count() == 1


@pytest.mark.parametrize("is_known", [True, False])
def test_a_removal_whose_entry_is_gone_is_confirmed_by_the_kept_reply_and_never_dropped(
    client, main, member, monkeypatch, is_known
):
    def ends(*args: object) -> None:
        client.delete(b"emqadmin:{orders}:audit")
        raise KeyboardInterrupt

    dead(client)
    with monkeypatch.context() as patched:
        patched.setattr(keeping, "after", ends)
        with pytest.raises(KeyboardInterrupt):
            services.perform(member("admin"), Call("remove", "main", Q, (A,), op_id="press-1"))
    if not is_known:
        client.delete(b"emqadmin:{orders}:op:press-1")

    Trashed.objects.update(changed_ms=1)
    trash.settle(main_server())
    assert in_trash() == ([A] if is_known else [])
    assert Trashed.objects.count() == 1


# -- its end --------------------------------------------------------------------------------------


def test_what_is_too_old_is_pruned_and_the_rest_is_kept(client, do, settings):
    settings.EMQ_TRASH_DAYS = 2
    dead(client)
    dead(client, B)
    do("remove", A)
    Trashed.objects.update(at_ms=Trashed.objects.get().at_ms - 2 * trash.DAY_MS - 1)
    do("remove", B)

    assert trash.prune() == 1
    assert in_trash() == [B]


def test_the_agent_confirms_what_broke_off_and_deletes_what_is_old(client, do, broken_off):
    dead(client)
    dead(client, B)
    do("remove", A)
    do("remove", B)
    Trashed.objects.filter(job_id=B.encode()).update(at_ms=1)

    chores.Copying(main_server(), threading.Event(), 1.0)._do()
    chores.Pruning(threading.Event())._do()
    assert in_trash() == [A]
    assert Trashed.objects.count() == 1
