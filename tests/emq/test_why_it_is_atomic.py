"""Why every transition is one script: the same sweep as separate round trips loses and doubles."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import redis

from echomq_admin.emq import EchoMQ, Swept
from tests.emq.orders import PAST_MS, QUEUE, A, Orders

JOBS = [f"JOB{n:011d}" for n in range(10)]
ROUNDS = 1000


def sweep_by_round_trips(orders: Orders, recovered: list[str]) -> Iterator[None]:
    """A sweep as an application would write it; each `yield` is where another may come between."""
    now_ms = orders.now_ms()
    lapsed = orders.client.zrangebyscore(orders.key("active"), "-inf", now_ms)
    yield
    for raw in lapsed:
        job = raw.decode()
        stalled = int(orders.client.hget(orders.row_key(job), "stalled") or 0)
        yield
        orders.client.hset(orders.row_key(job), mapping={"stalled": stalled + 1})
        orders.client.zrem(orders.key("active"), job)
        orders.client.zadd(orders.key("pending"), {job: 0})
        recovered.append(job)


def in_turns(*sweeps: Iterator[None]) -> None:
    """Let every sweep make one step, then every sweep the next, until all are done."""
    running = list(sweeps)
    while running:
        running = [sweep for sweep in running if next(sweep, True) is None]


def test_two_sweeps_by_round_trips_recover_twice_and_lose_stall_counts(orders: Orders) -> None:
    orders.put("active", *JOBS, score=PAST_MS)
    recovered: list[str] = []

    in_turns(sweep_by_round_trips(orders, recovered), sweep_by_round_trips(orders, recovered))

    counted = sum(int(orders.row(job)[b"stalled"]) for job in JOBS)
    assert len(recovered) - len(set(recovered)) == len(JOBS), "every job is recovered twice"
    assert len(recovered) - counted == len(JOBS), "and one count of each is lost"


def test_a_sweep_by_round_trips_takes_a_job_from_the_worker_that_just_claimed_it(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("active", A, score=PAST_MS)
    slow = sweep_by_round_trips(orders, [])
    next(slow)
    emq.sweep(QUEUE, 2)
    claim = emq.claim(QUEUE, 30_000)
    in_turns(slow)

    assert claim is not None
    assert orders.where(A) == ["pending"], "a second worker will run it beside the first"


def test_two_sweeps_by_script_never_do_in_a_thousand_rounds(orders: Orders) -> None:
    with (
        ThreadPoolExecutor(2) as threads,
        redis.Redis.from_pool(orders.client.connection_pool) as second,
    ):
        sweepers = (EchoMQ(orders.client), EchoMQ(second))
        for round_number in range(1, ROUNDS + 1):
            _claim_and_go_silent(orders)
            swept = list(
                threads.map(lambda emq: emq.sweep(QUEUE, ROUNDS + 1, actor="ann"), sweepers)
            )
            _recovered_once(swept)
            assert _stall_counts(orders) == {round_number}
    assert orders.client.xlen("emqadmin:{orders}:audit") <= 2 * ROUNDS


def _claim_and_go_silent(orders: Orders) -> None:
    pipe = orders.client.pipeline(transaction=False)
    pipe.delete(orders.key("pending"))
    for job in JOBS[:3]:
        pipe.hset(orders.row_key(job), mapping={"state": "active", "attempts": 1, "payload": ""})
        pipe.zadd(orders.key("active"), {job: PAST_MS})
    pipe.execute()


def _recovered_once(swept: list[Swept]) -> None:
    assert sorted(job for sweep in swept for job in sweep.recovered) == JOBS[:3]
    assert not any(sweep.dead or sweep.orphaned or sweep.unreadable for sweep in swept)


def _stall_counts(orders: Orders) -> set[int]:
    pipe = orders.client.pipeline(transaction=False)
    for job in JOBS[:3]:
        pipe.hget(orders.row_key(job), "stalled")
    return {int(stalled) for stalled in pipe.execute()}
