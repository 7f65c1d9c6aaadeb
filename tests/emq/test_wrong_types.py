"""Keys of a wrong type: a call refuses, names the key and has written nothing."""

from __future__ import annotations

import contextlib

import pytest

from echomq_admin.emq import EchoMQ, EmqError, EmqState
from tests.emq.orders import PAST_MS, QUEUE, A, B, G, Orders
from tests.emq.verbs import CALLS, Call, name_of

# A key of the queue, and whether a string is the wrong thing to find there.
KEYS = (
    "pending", "active", "schedule", "dead", "ring", "paused", "glimit", "gactive", "wake",
    "meta", "metrics:completed", "metrics:failed",
)  # fmt: skip
OTHERS = ("gweight", "repeat", "limiter", "flow:outbox")
every_verb = pytest.mark.parametrize("call", CALLS, ids=name_of)

# The keys that a verb cannot do without, whatever the state: these it must refuse.
NEEDED = {
    "enqueue": ("pending",),
    "schedule": ("schedule",),
    "claim": ("pending", "active", "meta"),
    "claim_lane": ("ring", "active", "gactive", "meta"),
    "complete": ("active", "metrics:completed"),
    "retry": ("active", "schedule"),
    "extend": ("active",),
    "promote": ("schedule", "pending"),
    "reap": ("active", "pending", "gactive", "ring"),
    "reap_group": ("active", "gactive", "ring"),
    "sweep": ("active", "pending", "gactive", "ring"),
    "requeue": ("dead", "pending", "ring", "wake"),
    "return_to_dead": ("dead", "pending"),
    "promote_now": ("schedule", "pending"),
    "bury": ("dead", "pending", "active"),
    "remove": ("dead", "pending", "active", "schedule"),
    "restore": ("dead", "pending", "schedule"),
    "recover_now": ("active", "pending"),
    "update_payload": (),
    "pause": ("meta",),
    "resume": ("meta",),
    "pause_lane": ("paused", "ring"),
    "resume_lane": ("paused", "ring"),
    "limit_lane": ("glimit",),
    "drain": ("pending", "schedule"),
    "obliterate": ("meta", "active", "dead"),
}


@every_verb
@pytest.mark.parametrize("name", KEYS + OTHERS)
def test_a_verb_does_all_of_its_work_or_names_the_wrong_key_and_does_none(
    orders: Orders, call: Call, name: str
) -> None:
    call.prepare(orders)
    orders.client.delete(orders.key(name))
    wrong = orders.client.rpush if name == "limiter" else orders.client.set
    wrong(orders.key(name), "wrong")
    before = orders.dump_all()

    refusal = _refusal(orders, call)
    if refusal is None:
        assert name not in NEEDED[call.verb]
    else:
        assert name in refusal
        assert orders.dump_all() == before


def _refusal(orders: Orders, call: Call) -> str | None:
    try:
        call.run(orders, actor="ann", op_id="op-1")
    except EmqState as refusal:
        return str(refusal)
    return None


@every_verb
def test_a_verb_refuses_a_wrong_audit_stream_before_it_moves_anything(
    orders: Orders, call: Call
) -> None:
    call.prepare(orders)
    orders.client.set("emqadmin:{orders}:audit", "wrong")
    before = orders.dump_all()

    with pytest.raises(EmqState, match="audit"):
        call.run(orders, actor="ann")
    assert orders.dump_all() == before


@every_verb
def test_a_verb_refuses_a_wrong_place_for_its_reply_before_it_moves_anything(
    orders: Orders, call: Call
) -> None:
    call.prepare(orders)
    orders.client.rpush("emqadmin:{orders}:op:op-1", "wrong")
    before = orders.dump_all()

    with pytest.raises(EmqState, match="kept reply"):
        call.run(orders, op_id="op-1")
    assert orders.dump_all() == before


@every_verb
def test_a_wrong_lane_never_leaves_a_verb_half_done(orders: Orders, call: Call) -> None:
    """Whatever becomes of the call, no id is lost and none is in two places."""
    call.prepare(orders)
    lane = orders.key(f"g:{G}:pending")
    lost_with_it = orders.ids("lane", G)
    orders.client.delete(lane)
    orders.client.set(lane, "wrong")
    rows = {job for job in (A, B) if orders.row(job)}

    with contextlib.suppress(EmqError):
        call.run(orders, actor="ann")
    for job in (A, B):
        assert len(orders.where(job)) <= 1
        if job in rows and job not in lost_with_it and orders.row(job):
            assert len(orders.where(job)) == 1


def test_a_lapsed_job_of_a_wrong_lane_is_set_aside(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, score=PAST_MS, group=G)
    orders.put("active", B, score=PAST_MS)
    orders.client.set(orders.key(f"g:{G}:pending"), "wrong")

    swept = emq.sweep(QUEUE, 2)
    assert swept.unreadable == (A,)
    assert swept.recovered == (B,)
    assert orders.where(A) == ["dead"]


def test_a_wrong_lane_leaves_the_ring_when_it_is_met(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, group="good")
    orders.client.set(orders.key("g:bad:pending"), "wrong")
    orders.serve("bad", "good")

    claim = emq.claim_lane(QUEUE, 30_000)
    assert claim is not None
    assert claim.job_id == A
    assert orders.ring() == []


def test_a_producer_is_refused_a_wrong_lane(orders: Orders, emq: EchoMQ) -> None:
    orders.client.set(orders.key(f"g:{G}:pending"), "wrong")
    before = orders.dump()

    with pytest.raises(EmqState, match="lane"):
        emq.enqueue(QUEUE, A, b"{}", G)
    assert orders.dump() == before
