"""An undo comes late: the requeue was undone before, or its jobs were moved again since."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.operations import services, undoing
from echomq_admin.operations.refusals import Refused
from echomq_admin.operations.services import Call, Done
from tests.operations.conftest import dump
from tests.operations.scenes import A, B, P, Q, dead


@pytest.fixture
def requeue(main, member):
    """Requeues as an operator under the op_id `press-1`."""

    def press(*job_ids: str) -> Done:
        call = Call("requeue", "main", Q, job_ids, op_id="press-1")
        return services.perform(member("operator"), call)

    return press


@pytest.fixture
def undo(main, member):
    return lambda: undoing.undo(member("operator"), "main", Q, "press-1")


@pytest.mark.parametrize("actor", [None, "ann"])
def test_a_second_undo_moves_nothing_and_says_when_the_first_was(client, requeue, undo, actor):
    dead(client)
    requeue(A)
    undo()
    EchoMQ(client).requeue(Q, [A], actor=actor, op_id="press-2")
    before = dump(client)

    with pytest.raises(Refused, match=r"was undone before, at .* UTC: 1 returned to dead then"):
        undo()
    assert dump(client) == before


@pytest.mark.parametrize("between", ["bury", "remove"])
def test_what_a_later_call_moved_is_left_and_said(client, main, member, requeue, undo, between):
    dead(client)
    dead(client, B)
    requeue(A, B)
    args = {"reason": "poison"} if between == "bury" else {}
    services.perform(member("admin"), Call(between, "main", Q, (A,), args=args, op_id="press-2"))
    again = Call("requeue" if between == "bury" else "restore", "main", Q, (A,), op_id="press-3")
    services.perform(member("admin"), again)

    done = undo()
    assert done.outcomes == {A: "changed", B: "returned"}
    assert done.sentence == "1 returned to dead, 1 moved again since"
    assert f"was moved by {again.action} press-3 of admin-user at " in done.refusals[A]
    assert client.zrange(P + b"pending", 0, -1) == [A.encode()]


def test_when_all_was_moved_again_nothing_is_sent(client, main, member, requeue, undo):
    dead(client)
    requeue(A)
    admin = member("admin")
    services.perform(admin, Call("bury", "main", Q, (A,), args={"reason": "x"}, op_id="press-2"))
    services.perform(admin, Call("requeue", "main", Q, (A,), op_id="press-3"))
    before = dump(client)

    with pytest.raises(Refused, match="was moved again since; it was moved by requeue press-3"):
        undo()
    assert dump(client) == before


def test_a_new_payload_is_no_move(client, main, member, requeue, undo):
    dead(client, attempts=0)
    requeue(A)
    call = Call("update_payload", "main", Q, (A,), {A: 0}, {"payload": b"{}"}, "press-2")
    services.perform(member("admin"), call)

    assert undo().outcomes == {A: "returned"}
