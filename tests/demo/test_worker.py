"""A worker's beat: what it renews, finishes, fails, loses and hands back."""

from __future__ import annotations

import pytest

from echomq_admin.demo.worker import Habits, Plan, Source, Worker
from echomq_admin.emq import EchoMQ
from tests.waiting import wait_for

A, B = "JOB0KHTOWnGLuA", "JOB0KHTOWnGLuB"


@pytest.fixture
def emq(client) -> EchoMQ:
    return EchoMQ(client)


def worker(emq, plan, **habits) -> Worker:
    return Worker(emq, Habits((Source("q"),), lambda claim: plan, **habits))


def test_done_work_is_completed(client, emq):
    emq.enqueue("q", A, "x")
    one = worker(emq, Plan())
    one.beat()
    one.beat()
    assert client.keys("emq:{q}:job:*") == []


def test_failed_work_comes_back_until_its_attempts_are_used_up(client, emq):
    emq.enqueue("q", A, "x")
    one = worker(emq, Plan(error="boom"), max_attempts=2, backoff_ms=0)
    one.beat()
    one.beat()
    assert client.zcard("emq:{q}:schedule") == 1
    emq.promote("q")
    one.beat()
    one.beat()
    assert client.zrange("emq:{q}:dead", 0, -1) == [A.encode()]
    assert client.hget(f"emq:{{q}}:job:{A}", "last_error") == b"boom"


def test_long_work_renews_its_lease(client, emq):
    emq.enqueue("q", A, "x")
    one = worker(emq, Plan(work_s=60), lease_ms=900)
    one.beat()
    first = client.zscore("emq:{q}:active", A)

    def renewed() -> bool:
        one.beat()
        return client.zscore("emq:{q}:active", A) > first

    wait_for(renewed)


def test_work_that_was_taken_away_is_let_go(client, emq):
    emq.enqueue("q", A, "x")
    one = worker(emq, Plan())
    one.beat()
    client.zadd("emq:{q}:active", {A: 1})
    emq.sweep("q", max_stalled=2)
    client.delete(f"emq:{{q}}:job:{A}", "emq:{q}:pending")
    one.beat()
    assert client.keys("emq:{q}:job:*") == []


def test_no_more_is_claimed_than_there_are_hands(client, emq):
    for job_id in (A, B):
        emq.enqueue("q", job_id, "x")
    worker(emq, Plan(work_s=60)).beat()
    assert client.zcard("emq:{q}:pending") == 1


def test_a_worker_that_leaves_hands_its_jobs_back(client, emq):
    emq.enqueue("q", A, "x")
    one = worker(emq, Plan(work_s=60))
    one.beat()
    one.leave()
    assert client.zcard("emq:{q}:active") == 0
    assert emq.promote("q") == 1
    assert emq.claim("q", 1000).job_id == A
