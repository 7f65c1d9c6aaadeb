"""The express orders: silent twice, finished after an operator's requeue, never too many."""

from __future__ import annotations

from dataclasses import replace

import pytest

from echomq_admin.demo import story
from echomq_admin.demo.habits import HABITS
from echomq_admin.demo.minting import Minter
from echomq_admin.demo.queues import ORDERS, STORY_LANE
from echomq_admin.demo.story import Story
from echomq_admin.demo.worker import Plan, Worker
from echomq_admin.emq import EchoMQ, ids
from echomq_admin.emq.reads import server_now_ms

ACTIVE, DEAD = "emq:{orders}:active", "emq:{orders}:dead"
LANE = "emq:{orders}:g:express:pending"


@pytest.fixture
def emq(client) -> EchoMQ:
    return EchoMQ(client)


@pytest.fixture
def dying(emq) -> Worker:
    """The dying worker, its work cut short but not its silence."""
    habits = HABITS["dying"]
    quick = replace(habits, plan=lambda claim: Plan(silent=habits.plan(claim).silent))
    return Worker(emq, quick)


def order(client, emq, age_ms=0) -> str:
    job_id = ids.mint("JOB", server_now_ms(client) - age_ms, 9)
    emq.enqueue(ORDERS, job_id, "{}", group=STORY_LANE)
    return job_id


def lapse(client) -> None:
    for member in client.zrange(ACTIVE, 0, -1):
        client.zadd(ACTIVE, {member: 1})


def test_an_express_order_stalls_twice_dies_and_is_finished_after_its_requeue(
    client, emq, dying, caplog
):
    caplog.set_level("INFO")
    job_id = order(client, emq)
    dying.beat()
    lapse(client)
    assert emq.sweep(ORDERS, max_stalled=2).recovered == (job_id,)
    dying.beat()
    lapse(client)
    assert emq.sweep(ORDERS, max_stalled=2).dead == (job_id,)
    emq.requeue(ORDERS, [job_id])
    dying.beat()
    assert client.zscore(ACTIVE, job_id)
    dying.beat()
    assert not client.exists(f"emq:{{orders}}:job:{job_id}")
    assert client.hget("emq:{orders}:metrics:completed", "count") == b"1"
    assert caplog.messages[-1] == f"orders {job_id}: done at attempt 3"


def test_a_fresh_order_comes_while_nobody_acts(client):
    Story(client, Minter(client, 1)).beat()
    assert client.zcard(LANE) == 1


def test_the_oldest_untouched_order_is_cancelled_when_too_many_wait(client, emq, dying):
    orders = [order(client, emq, story.UNTOUCHED_MS + 1000 * n) for n in range(story.MOST, 0, -1)]
    dying.beat()
    lapse(client)
    Story(client, Minter(client, 1)).beat()
    assert client.zrange(ACTIVE, 0, -1) == [job_id.encode() for job_id in orders[1:]]
    assert client.zcard(LANE) == 1


def test_an_order_that_an_operator_has_in_hand_is_not_cancelled(client, emq, dying):
    for n in range(story.MOST, 0, -1):
        order(client, emq, story.UNTOUCHED_MS + 1000 * n)
    dying.beat()
    lapse(client)
    emq.sweep(ORDERS, max_stalled=2)
    dying.beat()
    lapse(client)
    Story(client, Minter(client, 1)).beat()
    assert client.zcard(ACTIVE) == story.MOST
    assert client.zcard(LANE) == 0
