"""The daily round of a job: it comes, is claimed, fails, waits, and ends."""

from __future__ import annotations

from hashlib import sha1

import pytest

from echomq_admin.emq import Claim, EchoMQ, EmqStale, EmqState, Gone, Outcome
from tests.emq.orders import FUTURE_MS, PAST_MS, QUEUE, A, B, C, G, Orders


def test_an_id_is_admitted_once(orders: Orders, emq: EchoMQ) -> None:
    assert emq.enqueue(QUEUE, A, b"first") is True
    assert emq.enqueue(QUEUE, A, b"second") is False
    assert emq.enqueue(QUEUE, A, b"second", G) is False
    assert emq.schedule(QUEUE, A, b"second", in_ms=0) is False
    assert orders.row(A) == {b"state": b"pending", b"attempts": b"0", b"payload": b"first"}
    assert orders.where(A) == ["pending"]


def test_claims_take_the_oldest_id_first(emq: EchoMQ) -> None:
    for job in (C, A, B):
        emq.enqueue(QUEUE, job, b"{}")

    assert [emq.claim(QUEUE, 30_000) for _ in range(4)] == [
        Claim(A, b"{}", 1, None), Claim(B, b"{}", 1, None), Claim(C, b"{}", 1, None), None,
    ]  # fmt: skip


def test_a_scheduled_job_waits_for_its_time(orders: Orders, emq: EchoMQ) -> None:
    assert emq.schedule(QUEUE, A, b"{}", at_ms=PAST_MS)
    assert emq.schedule(QUEUE, B, b"{}", at_ms=FUTURE_MS)
    before = orders.now_ms()
    assert emq.schedule(QUEUE, C, b"{}", in_ms=60_000)
    after = orders.now_ms()

    assert before + 60_000 <= (orders.score("schedule", C) or 0) <= after + 60_000
    assert orders.row(A)[b"state"] == b"scheduled"
    assert emq.claim(QUEUE, 30_000) is None
    assert emq.promote(QUEUE) == 1
    assert orders.where(A) == ["pending"]


@pytest.mark.parametrize("when", [{}, {"at_ms": 1, "in_ms": 1}])
def test_a_schedule_needs_one_instant(emq: EchoMQ, when: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at_ms"):
        emq.schedule(QUEUE, A, b"{}", **when)


def test_each_claim_has_its_own_token_and_only_the_last_one_counts(
    orders: Orders, emq: EchoMQ
) -> None:
    emq.enqueue(QUEUE, A, b"{}")
    tokens = []
    for _ in range(3):
        claim = emq.claim(QUEUE, 30_000)
        assert claim is not None
        tokens.append(claim.attempts)
        orders.lapse(A)
        if len(tokens) < 3:
            emq.reap(QUEUE)
    assert tokens == [1, 2, 3]

    for stale in (0, 1, 2, 4, -1):
        with pytest.raises(EmqStale):
            emq.complete(QUEUE, A, stale)
    emq.complete(QUEUE, A, 3)
    assert orders.dump() == {orders.key("metrics:completed"): {b"count": b"1"}}


def test_a_failed_attempt_waits_and_the_last_one_dies(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, attempts=1)
    before = orders.now_ms()
    assert emq.retry(QUEUE, A, 1, 5000, 2, "boom") == Outcome.SCHEDULED
    after = orders.now_ms()
    assert before + 5000 <= (orders.score("schedule", A) or 0) <= after + 5000
    assert orders.row(A)[b"last_error"] == b"boom"
    assert orders.count("failed") == 0

    emq.promote_now(QUEUE, [A])
    emq.claim(QUEUE, 30_000)
    assert emq.retry(QUEUE, A, 2, 5000, 2, b"boom again") == Outcome.DEAD
    assert orders.where(A) == ["dead"]
    assert orders.row(A)[b"state"] == b"dead"
    assert orders.count("failed") == 1


def test_a_job_that_is_gone_has_nobody_to_answer_for_it(emq: EchoMQ) -> None:
    with pytest.raises(Gone):
        emq.complete(QUEUE, A, 1)
    with pytest.raises(Gone):
        emq.extend(QUEUE, A, 1, 30_000)
    with pytest.raises(EmqStale):
        emq.retry(QUEUE, A, 1, 0, 3, b"boom")


@pytest.mark.parametrize("place", ["pending", "schedule", "dead"])
def test_only_an_active_job_is_retried_or_extended(orders: Orders, emq: EchoMQ, place: str) -> None:
    orders.put(place, A)
    before = orders.dump()

    with pytest.raises(EmqState):
        emq.retry(QUEUE, A, 1, 0, 3, b"boom")
    with pytest.raises(EmqState):
        emq.extend(QUEUE, A, 1, 30_000)
    assert orders.dump() == before


def test_an_id_may_live_again_and_counts_its_attempts_anew(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A, attempts=7)
    emq.complete(QUEUE, A, 7)

    assert emq.enqueue(QUEUE, A, b"{}")
    claim = emq.claim(QUEUE, 30_000)
    assert claim is not None
    assert claim.attempts == 1


def test_a_payload_is_replaced_in_any_state_and_only_as_it_was_seen(
    orders: Orders, emq: EchoMQ
) -> None:
    for place in ("pending", "active", "schedule", "dead"):
        orders.put(place, A, attempts=2)
        emq.update_payload(QUEUE, A, f"new in {place}")
        emq.update_payload(QUEUE, A, f"newer in {place}", token=2)
        with pytest.raises(EmqStale):
            emq.update_payload(QUEUE, A, b"too late", token=1)
        assert orders.row(A)[b"payload"] == f"newer in {place}".encode()
        emq.remove(QUEUE, [A], force=True)
    with pytest.raises(Gone):
        emq.update_payload(QUEUE, A, b"new")


def test_a_paused_queue_hands_out_nothing_and_moves_nothing(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)
    assert emq.pause(QUEUE) is True
    assert emq.pause(QUEUE) is False
    before = orders.dump()

    assert emq.claim(QUEUE, 30_000) is None
    assert emq.claim_lane(QUEUE, 30_000) is None
    assert orders.dump() == before
    assert emq.resume(QUEUE) is True
    assert emq.resume(QUEUE) is False
    assert orders.client.exists(orders.key("meta")) == 0


def test_other_fields_of_meta_are_left_alone(orders: Orders, emq: EchoMQ) -> None:
    orders.client.hset(orders.key("meta"), mapping={"concurrency": 4, "max": 10})
    emq.pause(QUEUE)
    emq.resume(QUEUE)

    assert orders.client.hgetall(orders.key("meta")) == {b"concurrency": b"4", b"max": b"10"}


def test_the_fence_is_never_written(orders: Orders, emq: EchoMQ) -> None:
    orders.client.set("{emq}:version", "echomq:3.0.0")
    emq.enqueue(QUEUE, A, b"{}", actor="ann", op_id="op-1")

    assert orders.client.get("{emq}:version") == b"echomq:3.0.0"
    written = {key.split(b"{")[0] for key in orders.client.keys("*")}
    assert written == {b"emq:", b"emqadmin:", b""}


@pytest.mark.parametrize("payload", [b"old", b"", None, b"\x00\xff" * 500])
def test_a_payload_is_only_replaced_while_it_is_the_one_that_was_seen(
    orders: Orders, emq: EchoMQ, payload: bytes | None
) -> None:
    orders.put("dead", A, attempts=2)
    orders.client.hdel(orders.key(f"job:{A}"), "payload")
    if payload is not None:
        orders.client.hset(orders.key(f"job:{A}"), "payload", payload)
    before = orders.dump()
    with pytest.raises(EmqState, match="the payload of the job changed meanwhile"):
        emq.update_payload(QUEUE, A, b"new", seen=sha1(b"another").hexdigest(), actor="ann")
    assert orders.dump() == before
    emq.update_payload(QUEUE, A, b"new", token=2, seen=sha1(payload or b"").hexdigest())
    assert orders.row(A)[b"payload"] == b"new"
