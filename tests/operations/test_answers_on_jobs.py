"""What an action on named jobs says of each of them."""

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.operations.services import Invalid, Refused
from tests.operations.conftest import dump
from tests.operations.scenes import FAR_MS, A, B, C, P, Q, active, dead, pending

pytestmark = pytest.mark.usefixtures("main")


def test_a_requeue_counts_what_moved_and_what_did_not(client, do):
    dead(client, A)
    client.zadd(P + b"dead", {B: 0, C: 0})
    pending(client, C)
    client.zrem(P + b"dead", C)
    done = do("requeue", A, B, C)
    assert done.sentence == "1 requeued, 1 row missing, 1 no longer dead"
    assert done.outcomes == {A: "requeued", B: "gone", C: "not_dead"}
    assert "row missing" in done.refusals[B]
    assert "waiting again or was taken by a worker." in done.refusals[C]
    assert A not in done.refusals


def test_a_requeue_that_moves_nothing_says_0(client, do):
    pending(client, A)
    done = do("requeue", A)
    assert (done.sentence, done.note) == ("0 requeued, 1 no longer dead", "")


def test_a_requeue_says_which_counters_are_kept(client, do):
    dead(client, A, stalled=1)
    assert "Stall counts are kept" in do("requeue", A).note


def test_a_requeue_with_fresh_stalls_says_so(client, do):
    dead(client, A, stalled=1)
    done = do("requeue", A, reset_stalls=True)
    assert "Stall counts start over" in done.note
    assert client.hget(P + b"job:" + A.encode(), "attempts") == b"3"


def test_a_stale_token_is_refused_with_the_number_that_was_seen(client, do):
    dead(client, A, attempts=4)
    done = do("requeue", A, tokens={A: 3})
    assert done.outcomes == {A: "changed"}
    assert "no longer 3" in done.refusals[A]


def test_an_unreadable_row_is_refused_in_its_own_words(client, do):
    dead(client, A, attempts="many")
    done = do("requeue", A)
    assert done.sentence == "0 requeued, 1 unreadable row"
    assert "Repair the row" in done.refusals[A]


def test_a_job_that_came_back_can_be_returned_to_dead(client, do):
    dead(client, A, stalled=1)
    do("requeue", A, reset_stalls=True)
    done = do("return_to_dead", A, before={A: (3, "boom", 1)})
    assert done.sentence == "1 returned to dead"
    assert client.hmget(P + b"job:" + A.encode(), "last_error", "stalled") == [b"boom", b"1"]


def test_a_return_to_dead_of_a_job_that_was_claimed_names_its_old_attempts(client, do):
    pending(client, A)
    client.hset(P + b"job:" + A.encode(), "attempts", 4)
    done = do("return_to_dead", A, before={A: (3, "boom", 1)})
    assert "no longer 3" in done.refusals[A]


def test_recover_now_says_where_the_job_went(client, do):
    active(client, A)
    back = do("recover_now", A, tokens={A: 1}, max_stalled=2)
    assert (back.outcomes, back.sentence) == (
        {A: "recovered"},
        f"{A} recovered: it waits again, with one more stall",
    )


def test_recover_now_says_when_the_job_died(client, do):
    active(client, A)
    done = do("recover_now", A, tokens={A: 1})
    assert (done.outcomes, done.refusals) == ({A: "dead"}, {})
    assert done.sentence == f"{A} is dead: its stall count reached 1"


@pytest.mark.parametrize("action", ["recover_now", "extend", "update_payload"])
def test_one_job_with_a_stale_token_is_left_alone(client, refusal, action):
    active(client, A, attempts=2)
    before = dump(client)
    args = {"extend": {"lease_ms": 5}, "update_payload": {"payload": b"x"}}.get(action, {})
    refused = refusal(action, A, tokens={A: 1}, **args)
    assert type(refused) is Refused
    assert f"{A} changed meanwhile: its attempts are no longer 1" in refused.sentence
    assert dump(client) == before


def test_a_payload_that_is_not_the_one_seen_is_left_alone(client, refusal):
    pending(client, A)
    before = dump(client)
    refused = refusal("update_payload", A, payload=b"x", seen="ab" * 20)
    assert refused.sentence.startswith(f"The payload of {A} was changed meanwhile")
    assert "Nothing was changed." in refused.sentence
    assert dump(client) == before


@pytest.mark.parametrize("action", ["recover_now", "extend", "update_payload"])
def test_one_job_that_is_gone_is_said_to_be_gone(client, refusal, action):
    pending(client, B)
    args = {"extend": {"lease_ms": 5}, "update_payload": {"payload": b"x"}}.get(action, {})
    refused = refusal(action, A, tokens={A: 1}, **args)
    assert f"{A} is gone" in refused.sentence


@pytest.mark.parametrize("action", ["recover_now", "extend"])
def test_one_job_that_is_not_active_any_more_is_said_to_be_so(client, refusal, action):
    pending(client, A)
    args = {"lease_ms": 5} if action == "extend" else {}
    refused = refusal(action, A, tokens={A: 0}, **args)
    assert f"{A} is not active" in refused.sentence


def test_an_unreadable_job_is_said_to_be_so(client, refusal):
    active(client, A, attempts="x")
    assert "is unreadable" in refusal("extend", A, tokens={A: 1}, lease_ms=5).sentence


def test_bury_writes_the_reason(client, do):
    pending(client)
    assert do("bury", A, reason="poison").sentence == "1 buried"
    assert client.hget(P + b"job:" + A.encode(), "last_error") == b"poison"


def test_bury_of_an_active_job_asks_for_its_token(client, do):
    active(client, A)
    done = do("bury", A, reason="poison")
    assert done.outcomes == {A: "active"}
    assert "a worker holds its lease, so it was not buried" in done.refusals[A]


def _child(client, parent_queue=None):
    pending(client, A)
    row = {"parent": B} | ({"parent_queue": parent_queue} if parent_queue else {})
    client.hset(P + b"job:" + A.encode(), mapping=row)
    client.hset(P + b"job:" + B.encode(), "state", "awaiting_children")


@pytest.mark.parametrize("action", ["bury", "remove"])
def test_the_child_of_a_flow_is_refused_and_its_parent_named(client, do, action):
    _child(client)
    args = {"reason": "poison"} if action == "bury" else {}
    done = do(action, A, **args)
    assert f"child of {B}, which would wait for it for ever" in done.refusals[A]


def test_a_parent_in_another_queue_is_named_with_it(client, do):
    _child(client, "mails")
    assert f"child of {B} in queue mails" in do("remove", A).refusals[A]


def test_a_flow_parent_is_not_called_a_child(client, do):
    _child(client)
    client.hset(P + b"job:" + B.encode(), "attempts", 0)
    assert "a flow parent that waits" in do("bury", B, reason="x").refusals[B]


def test_remove_of_a_running_job_is_refused_and_the_row_kept(client, do):
    active(client, A)
    done = do("remove", A)
    assert done.sentence == "0 removed, 1 now running"
    assert "now running, not removed" in done.refusals[A]
    assert client.exists(P + b"job:" + A.encode())


def test_remove_of_a_locked_job_is_refused(client, do):
    pending(client, A)
    client.set(P + b"job:" + A.encode() + b":lock", "x")
    assert "presence marker" in do("remove", A).refusals[A]


def test_remove_by_force_takes_a_running_job(client, do):
    active(client, A)
    assert do("remove", A, force=True).sentence == "1 removed"


def test_remove_with_a_dedup_id_takes_one_job(client, refusal):
    dead(client, A)
    dead(client, B)
    refused = refusal("remove", A, B, dedup_id="x")
    assert isinstance(refused, Invalid)
    assert "dedup_id goes with exactly one id" in refused.sentence


def test_an_existing_job_is_not_enqueued_again(client, do):
    pending(client, A)
    done = do("enqueue", A, payload=b"other")
    assert done.sentence == "0 enqueued, 1 row exists already"
    assert done.outcomes == {A: "exists"}
    assert "Nothing was written" in done.refusals[A]
    assert client.hget(P + b"job:" + A.encode(), "payload") == b"{}"


def test_a_job_of_another_namespace_is_not_enqueued(refusal):
    refused = refusal("enqueue", "CMD0KHTOWnGLuA", payload=b"")
    assert "starts with JOB" in refused.sentence


def test_a_queue_name_that_producers_may_not_use_is_refused(refusal):
    assert isinstance(refusal("enqueue", A, queue="a b", payload=b""), Invalid)


@pytest.mark.parametrize("when", [{}, {"at_ms": 1, "in_ms": 1}])
def test_schedule_takes_one_instant(refusal, when):
    refused = refusal("schedule", A, payload=b"", **when)
    assert isinstance(refused, Invalid)
    assert "at_ms" in refused.sentence


def test_a_large_selection_is_moved_whole(client, do):
    ids = [f"JOB{number:011}" for number in range(2_500)]
    for job_id in ids:
        dead(client, job_id)
    assert do("requeue", *ids).sentence == "2,500 requeued"


def test_extend_says_how_long(client, do):
    active(client, A, 1)
    done = do("extend", A, tokens={A: 1}, lease_ms=30_000)
    assert done.sentence == f"lease of {A} extended: 30 s from now"
    assert EchoMQ(client).sweep(Q).recovered == ()
    assert client.zscore(P + b"active", A) < FAR_MS


def test_a_return_to_dead_writes_no_stall_count_where_there_was_none(client, do):
    pending(client, A)
    do("return_to_dead", A, before={A: (0, None, None)})
    row = client.hgetall(P + b"job:" + A.encode())
    assert row[b"state"] == b"dead"
    assert not row.keys() & {b"stalled", b"last_error"}
