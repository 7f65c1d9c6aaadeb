"""Ids whose row is gone: dropped and told, never given a row, never in a worker's way."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, Gone, Outcome, Reaped, Swept
from tests.emq.orders import PAST_MS, QUEUE, A, B, C, G, Orders

MANY = [f"JOB{n:011d}" for n in range(250)]


@pytest.mark.parametrize("max_stalled", [1, 2])
def test_a_sweep_drops_a_lapsed_orphan_and_writes_no_row(
    orders: Orders, emq: EchoMQ, max_stalled: int
) -> None:
    orders.only_id("active", A, score=1)

    assert emq.sweep(QUEUE, max_stalled) == Swept(orphaned=(A,))
    assert orders.dump() == {}


def test_reaps_drop_a_lapsed_orphan_and_write_no_row(orders: Orders, emq: EchoMQ) -> None:
    for reap in (lambda: emq.reap(QUEUE), lambda: emq.reap_group(QUEUE, G)):
        orders.only_id("active", A, score=1)
        assert reap() == Reaped(orphaned=(A,))
        assert orders.dump() == {}


def test_an_orphan_whose_lease_still_runs_is_left_alone(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("active", A)

    assert emq.sweep(QUEUE) == Swept()
    assert orders.where(A) == ["active"]


def test_a_claim_drops_orphans_and_takes_the_next_job(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("pending", *MANY)
    orders.put("pending", "JOBz")

    claim = emq.claim(QUEUE, 30_000)
    assert claim is not None
    assert claim.job_id == "JOBz"
    assert orders.ids("pending") == []


def test_a_claim_of_nothing_but_orphans_answers_none(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("pending", *MANY)

    assert emq.claim(QUEUE, 30_000, actor="ann") is None
    assert orders.dump() == {}


def test_a_lane_claim_drops_orphans_and_goes_on(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("lane", *MANY, group="a")
    orders.only_id("lane", *MANY[:30], group="b")
    orders.put("lane", "JOBz", group="b")
    orders.serve("a", "b")

    claim = emq.claim_lane(QUEUE, 30_000)
    assert claim is not None
    assert (claim.job_id, claim.group) == ("JOBz", "b")
    assert emq.claim_lane(QUEUE, 30_000) is None
    assert orders.ring() == []
    assert orders.ids("lane", "a") == []


def test_a_lane_claim_of_nothing_but_orphans_empties_the_ring(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("lane", *MANY, group=G)
    orders.serve(G)

    assert emq.claim_lane(QUEUE, 30_000) is None
    assert orders.dump() == {}


def test_promote_drops_orphans_and_counts_only_what_moved(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("schedule", *MANY, score=PAST_MS)
    orders.put("schedule", "JOBz", score=PAST_MS + 1)

    assert emq.promote(QUEUE, 1000) == 1
    assert orders.ids("schedule") == []
    assert orders.where("JOBz") == ["pending"]


def test_the_limit_of_promote_counts_the_members_it_looks_at(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("schedule", A, score=PAST_MS)
    orders.put("schedule", B, C, score=PAST_MS + 1)

    assert emq.promote(QUEUE, 2) == 1
    assert orders.where(A) == []
    assert orders.where(B) == ["pending"]
    assert orders.where(C) == ["schedule"]


def test_requeue_of_an_orphan_answers_gone_and_leaves_the_id(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("dead", A, C)
    orders.put("dead", B)

    assert emq.requeue(QUEUE, [A, B, C]) == {
        A: Outcome.GONE,
        B: Outcome.REQUEUED,
        C: Outcome.GONE,
    }
    assert orders.ids("dead") == [A, C]
    assert orders.row(A) == {}


@pytest.mark.parametrize("place", ["pending", "active", "schedule", "dead"])
def test_remove_of_an_orphan_cleans_the_set_that_holds_it(
    orders: Orders, emq: EchoMQ, place: str
) -> None:
    orders.only_id(place, A)
    orders.client.rpush(orders.key(f"job:{A}:logs"), "left behind")

    assert emq.remove(QUEUE, [A]) == {A: Outcome.REMOVED}
    assert orders.dump() == {}


def test_remove_finds_an_orphan_in_a_lane_that_the_queue_names(orders: Orders, emq: EchoMQ) -> None:
    orders.only_id("lane", A, group="paused-one")
    orders.client.sadd(orders.key("paused"), "paused-one")
    orders.only_id("lane", B, group="served")
    orders.serve("served")

    assert emq.remove(QUEUE, [A, B]) == {A: Outcome.REMOVED, B: Outcome.REMOVED}
    assert orders.where(A) == orders.where(B) == []
    assert orders.ring() == []


def test_remove_of_an_id_that_nothing_holds_answers_gone(orders: Orders, emq: EchoMQ) -> None:
    assert emq.remove(QUEUE, [A]) == {A: Outcome.GONE}


def test_verbs_on_named_orphans_say_that_the_row_is_gone(orders: Orders, emq: EchoMQ) -> None:
    for place in ("pending", "active", "schedule", "dead"):
        orders.only_id(place, A)
    before = orders.dump()

    assert emq.promote_now(QUEUE, [A]) == {A: Outcome.GONE}
    assert emq.bury(QUEUE, [A], b"poison", force=True) == {A: Outcome.GONE}
    assert emq.return_to_dead(QUEUE, {A: (1, None, None)}) == {A: Outcome.GONE}
    for call in (
        lambda: emq.complete(QUEUE, A, 1),
        lambda: emq.extend(QUEUE, A, 1, 30_000),
        lambda: emq.recover_now(QUEUE, A, 1),
        lambda: emq.update_payload(QUEUE, A, b"x"),
    ):
        with pytest.raises(Gone):
            call()
    assert orders.dump() == before


def test_an_id_that_is_enqueued_anew_is_in_one_set_though_an_orphan_was_left(
    orders: Orders, emq: EchoMQ
) -> None:
    for place in ("active", "schedule", "dead"):
        orders.only_id(place, A)

    assert emq.enqueue(QUEUE, A, b"{}")
    assert orders.where(A) == ["pending"]


def test_a_lane_slot_that_an_orphan_kept_comes_back_with_a_new_limit(
    orders: Orders, emq: EchoMQ
) -> None:
    """An orphan's group is unknown, so its slot stays taken until someone says otherwise."""
    orders.client.hset(orders.key("glimit"), G, 1)
    orders.client.hset(orders.key("gactive"), G, 1)
    orders.only_id("active", A, score=1)
    orders.put("lane", B, group=G)

    emq.sweep(QUEUE)
    emq.limit_lane(QUEUE, G, 2)
    claim = emq.claim_lane(QUEUE, 30_000)
    assert claim is not None
    assert claim.job_id == B
