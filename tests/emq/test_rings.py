"""The ring when many lanes leave it in one call, and when it holds a lane twice."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from tests.emq.orders import QUEUE, A, G, Orders

LANES = [f"lane-{n:03}" for n in range(50)]


@pytest.fixture
def full_ring(orders: Orders, emq: EchoMQ) -> Orders:
    """One waiting job in each of fifty lanes."""
    for lane in LANES:
        emq.enqueue(QUEUE, f"JOB{lane}", b"{}", group=lane)
    return orders


@pytest.mark.parametrize("leaving", [3, 8, 9, 30, 50])
def test_the_lanes_that_stay_keep_their_order(full_ring: Orders, emq: EchoMQ, leaving: int) -> None:
    gone = LANES[1 : leaving + 1] if leaving < len(LANES) else LANES
    emq.remove(QUEUE, [f"JOB{lane}" for lane in gone])
    assert full_ring.ring() == [lane for lane in LANES if lane not in gone]


def test_a_lane_that_stood_twice_stands_once(full_ring: Orders, emq: EchoMQ) -> None:
    full_ring.client.rpush(full_ring.key("ring"), LANES[0], LANES[0])
    emq.enqueue(QUEUE, "JOBanother", b"{}", group=LANES[0])
    assert full_ring.ring() == LANES


def test_many_lanes_that_stood_twice_stand_once(full_ring: Orders, emq: EchoMQ) -> None:
    full_ring.client.rpush(full_ring.key("ring"), *LANES)
    emq.bury(QUEUE, [f"JOB{lane}" for lane in LANES[:5]], b"poison")
    for lane in LANES[5:40]:
        full_ring.client.zadd(full_ring.key("active"), {f"JOBx{lane}": 1})
        row = {"attempts": 1, "group": lane}
        full_ring.client.hset(full_ring.row_key(f"JOBx{lane}"), mapping=row)
    emq.sweep(QUEUE, max_stalled=9)
    assert full_ring.ring() == LANES[5:] + LANES[40:]


def test_an_obliteration_that_stops_between_its_steps_leaves_lanes_that_serve(
    orders: Orders, emq: EchoMQ
) -> None:
    for job_id in ("JOB1", "JOB2", A):
        emq.enqueue(QUEUE, job_id, b"{}", group=G)
    emq.limit_lane(QUEUE, G, 2)
    assert emq.claim_lane(QUEUE, 60_000)
    assert emq.claim_lane(QUEUE, 60_000)
    emq.pause(QUEUE)
    assert emq.obliterate(QUEUE, force=True, budget=2)
    emq.resume(QUEUE)
    claim = emq.claim_lane(QUEUE, 60_000)
    assert claim is not None
    assert claim.job_id == "JOB2"
    assert orders.in_flight(G) == 1
