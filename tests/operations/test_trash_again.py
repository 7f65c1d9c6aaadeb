"""The same removal, or the same restore, sent again."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.operations import services, trashing
from echomq_admin.operations.models import Trashed
from echomq_admin.operations.services import Call
from tests.operations.keepsakes import in_trash
from tests.operations.scenes import A, P, Q, dead, pending


def test_the_same_call_again_keeps_and_removes_nothing_twice(client, main, member):
    dead(client)
    call = Call("remove", "main", Q, (A,), op_id="press-1")
    first = services.perform(member("admin"), call)

    again = services.perform(member("admin"), call)
    assert again.outcomes == first.outcomes == {A: "removed"}
    assert Trashed.objects.count() == 1


def test_two_presses_at_once_put_a_job_into_the_trash_once(client, main, member, do, monkeypatch):
    dead(client)
    call = Call("remove", "main", Q, (A,), op_id="press-1")
    write = trashing._write

    def later(*args: object) -> None:
        monkeypatch.setattr(trashing, "_write", write)
        assert services.perform(member("admin"), call).outcomes == {A: "removed"}
        write(*args)

    monkeypatch.setattr(trashing, "_write", later)
    assert services.perform(member("admin"), call).outcomes == {A: "removed"}
    assert in_trash() == [A]
    assert Trashed.objects.count() == 1

    assert do("restore", A).outcomes == {A: "restored"}
    EchoMQ(client).remove(Q, [A])
    assert do("restore", A).outcomes == {A: "not_kept"}


def test_the_same_call_again_leaves_a_new_life_of_the_job_alone(client, main, member):
    dead(client, payload="first")
    call = Call("remove", "main", Q, (A,), op_id="press-1")
    services.perform(member("admin"), call)
    pending(client)

    services.perform(member("admin"), call)
    assert client.zrange(P + b"pending", 0, -1) == [A.encode()]
    (row,) = Trashed.objects.all()
    assert b"first" in bytes(row.body)


def test_a_restore_again_moves_nothing_and_says_the_same(client, main, member, do):
    dead(client)
    do("remove", A)
    call = Call("restore", "main", Q, (A,), op_id="press-2")
    first = services.perform(member("admin"), call)
    do("remove", A, unkept=True)

    assert services.perform(member("admin"), call).outcomes == first.outcomes
    assert not client.exists(P + b"job:" + A.encode())


@pytest.mark.parametrize("is_known", [True, False])
def test_a_removal_again_leaves_a_restored_job_alone_and_says_so(
    client, main, member, do, is_known
):
    dead(client, attempts=0)
    call = Call("remove", "main", Q, (A,), {A: 0}, op_id="press-1")
    services.perform(member("admin"), call)
    do("restore", A)
    if not is_known:
        client.delete(b"emqadmin:{orders}:op:press-1")

    done = services.perform(member("admin"), call)
    assert done.outcomes == {A: "changed"}
    assert "removed it before, and it was restored since" in done.refusals[A]
    assert client.zrange(P + b"dead", 0, -1) == [A.encode()]
    assert in_trash() == []


def test_a_removal_again_leaves_a_new_life_alone_when_its_reply_is_kept_no_more(
    client, main, member
):
    dead(client, attempts=0)
    call = Call("remove", "main", Q, (A,), {A: 0}, op_id="press-1")
    services.perform(member("admin"), call)
    client.delete(b"emqadmin:{orders}:op:press-1")
    pending(client)

    assert services.perform(member("admin"), call).outcomes == {A: "removed"}
    assert client.zrange(P + b"pending", 0, -1) == [A.encode()]
