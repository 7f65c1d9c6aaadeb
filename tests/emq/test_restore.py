"""A removed job comes back as it was: its row, what belongs to it, and where it waited."""

from __future__ import annotations

import pytest
import redis

from echomq_admin.emq import EchoMQ, Outcome
from echomq_admin.emq.kept import Kept, Unkept, read
from tests.emq.orders import FUTURE_MS, QUEUE, A, B, C, G, Orders

MOST = 8_000_000


def keep(orders: Orders, *jobs: str, dedup_id: str | None = None) -> dict[str, Kept]:
    found = read(orders.client, orders.queue, jobs, MOST, MOST, dedup_id)
    assert all(isinstance(one, Kept) for one in found.values())
    return found  # type: ignore[return-value]


def there_and_back(orders: Orders, job: str = A, dedup_id: str | None = None) -> None:
    kept = keep(orders, job, dedup_id=dedup_id)
    assert orders.emq.remove(QUEUE, [job], force=True, dedup_id=dedup_id) == {job: Outcome.REMOVED}
    assert not orders.client.exists(orders.row_key(job))
    assert orders.emq.restore(QUEUE, kept) == {job: Outcome.RESTORED}


@pytest.mark.parametrize("place", ["pending", "schedule", "dead"])
def test_a_job_goes_back_to_its_set_with_every_byte(orders: Orders, place: str) -> None:
    orders.put(
        place, A, B, attempts=3, stalled=2, last_error=b"\xff\x00", payload=b"\x80\xff", odd=b"\x00"
    )
    before = orders.dump()

    there_and_back(orders)
    assert orders.dump() == before


def test_a_job_of_a_lane_goes_back_to_it_and_the_lane_to_the_ring(orders: Orders) -> None:
    orders.put("lane", A, group=G)
    orders.serve(G)
    before = orders.dump()

    there_and_back(orders)
    assert orders.wakes() == 1
    orders.client.delete(orders.key("wake"))
    assert orders.dump() == before


def test_a_lane_at_its_limit_or_paused_takes_it_without_a_place_on_the_ring(orders: Orders) -> None:
    orders.put("lane", A, group=G)
    orders.client.sadd(orders.key("paused"), G)

    there_and_back(orders)
    assert (orders.ids("lane", G), orders.ring(), orders.wakes()) == ([A], [], 0)


@pytest.mark.parametrize("group", [None, G], ids=["flat", "in a lane"])
def test_what_was_active_waits_again_with_its_attempts_and_takes_no_slot(
    orders: Orders, group: str | None
) -> None:
    orders.put("active", A, attempts=4, **({} if group is None else {"group": group}))
    if group:
        orders.client.hset(orders.key("gactive"), group, 1)

    there_and_back(orders)
    assert orders.where(A) == ["pending" if group is None else f"lane {group}"]
    assert (orders.row(A)[b"state"], orders.row(A)[b"attempts"]) == (b"pending", b"4")
    assert orders.in_flight(G) is None


def test_a_parent_that_waits_for_its_children_is_in_no_set_again(orders: Orders) -> None:
    orders.client.hset(orders.row_key(A), mapping={"state": "awaiting_children", "attempts": 0})
    orders.client.set(orders.key(f"job:{A}:dependencies"), 2)
    for side in ("processed", "failed", "unsuccessful"):
        orders.client.hset(orders.key(f"job:{A}:{side}"), mapping={B: b"\xff", C: ""})
    before = orders.dump()

    there_and_back(orders)
    assert orders.dump() == before


def test_log_lines_come_back_in_front_of_later_ones(orders: Orders) -> None:
    orders.put("dead", A)
    lines = [b"line %d" % n for n in range(12_000)]
    orders.client.rpush(orders.key(f"job:{A}:logs"), *lines)
    kept = keep(orders, A)
    orders.emq.remove(QUEUE, [A])
    orders.client.rpush(orders.key(f"job:{A}:logs"), "late")

    orders.emq.restore(QUEUE, kept)
    assert orders.client.lrange(orders.key(f"job:{A}:logs"), 0, -1) == [*lines, b"late"]


def test_a_row_of_many_fields_comes_back_whole(orders: Orders) -> None:
    orders.put("dead", A, **{f"field{n}": n for n in range(12_001)})
    before = orders.row(A)

    there_and_back(orders)
    assert orders.row(A) == before


def test_the_idempotency_key_comes_back_with_the_end_that_it_had(orders: Orders) -> None:
    orders.put("pending", A)
    orders.client.set(orders.key("de:daily"), A, px=600_000)

    there_and_back(orders, dedup_id="daily")
    assert orders.client.get(orders.key("de:daily")) == A.encode()
    assert 500_000 < orders.client.pttl(orders.key("de:daily")) <= 600_000


def test_an_idempotency_key_that_names_another_job_by_now_is_left(orders: Orders) -> None:
    orders.put("pending", A)
    orders.client.set(orders.key("de:daily"), A)
    kept = keep(orders, A, dedup_id="daily")
    orders.emq.remove(QUEUE, [A], dedup_id="daily")
    orders.client.set(orders.key("de:daily"), B)

    orders.emq.restore(QUEUE, kept)
    assert orders.client.get(orders.key("de:daily")) == B.encode()


def test_an_idempotency_key_whose_time_is_over_stays_away(orders: Orders) -> None:
    orders.put("pending", A)
    kept = Kept(orders.row(A), keep(orders, A)[A].places, dedup=("daily", 1))
    orders.emq.remove(QUEUE, [A])

    orders.emq.restore(QUEUE, {A: kept})
    assert not orders.client.exists(orders.key("de:daily"))


@pytest.mark.parametrize("place", ["pending", "active", "schedule", "dead"])
def test_an_id_that_has_a_row_again_is_left_as_it_is(
    orders: Orders, emq: EchoMQ, place: str
) -> None:
    orders.put("dead", A)
    kept = keep(orders, A)
    emq.remove(QUEUE, [A])
    orders.put(place, A, payload=b"anew")
    before = orders.dump()

    assert emq.restore(QUEUE, kept) == {A: Outcome.EXISTS}
    assert orders.dump() == before


def test_an_id_that_a_set_or_its_lane_holds_is_left_as_it_is(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, group=G)
    orders.put("dead", B)
    kept = keep(orders, A, B)
    emq.remove(QUEUE, [A, B])
    orders.only_id("lane", A, group=G)
    orders.only_id("schedule", B)

    assert emq.restore(QUEUE, kept) == {A: Outcome.EXISTS, B: Outcome.EXISTS}
    assert not orders.client.exists(orders.row_key(A), orders.row_key(B))


def test_a_job_whose_id_ends_like_a_side_key_is_not_written_over(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("dead", A)
    orders.client.hset(orders.key(f"job:{A}:processed"), "child", "1")
    kept = keep(orders, A)
    emq.remove(QUEUE, [A])
    orders.put("pending", f"{A}:processed")

    assert emq.restore(QUEUE, kept) == {A: Outcome.EXISTS}


def test_the_row_of_another_job_behind_a_row_is_not_kept_as_a_side_key(orders: Orders) -> None:
    orders.put("dead", A)
    orders.put("pending", f"{A}:processed")

    assert keep(orders, A)[A].children == {}


def test_a_lane_that_is_no_sorted_set_takes_no_job(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, group=G)
    kept = keep(orders, A)
    emq.remove(QUEUE, [A])
    orders.client.set(orders.key(f"g:{G}:pending"), "x")

    assert emq.restore(QUEUE, kept) == {A: Outcome.UNREADABLE}
    assert not orders.client.exists(orders.row_key(A))


def test_a_job_larger_than_allowed_is_not_read(orders: Orders) -> None:
    orders.put("dead", A, payload=b"x" * 100_000)
    orders.put("dead", B)

    found = read(orders.client, QUEUE, [A, B, C], 50_000, MOST)
    assert isinstance(found[A], Unkept)
    assert found[A].size > 100_000
    assert isinstance(found[B], Kept)
    assert C not in found


def test_a_row_that_is_no_hash_cannot_be_kept(orders: Orders) -> None:
    orders.client.set(orders.row_key(A), "x")

    assert read(orders.client, QUEUE, [A], MOST, MOST) == {A: Unkept(why="its row is no hash")}


def test_a_scheduled_job_keeps_the_time_that_it_is_due(orders: Orders) -> None:
    orders.put("schedule", A, score=FUTURE_MS + 7)

    there_and_back(orders)
    assert orders.score("schedule", A) == FUTURE_MS + 7


def test_250_jobs_come_back_in_one_call_of_three_scripts(orders: Orders, emq: EchoMQ) -> None:
    ids = [f"JOB{n:011d}" for n in range(250)]
    orders.put("dead", *ids)
    before, kept = orders.dump(), keep(orders, *ids)
    emq.remove(QUEUE, ids)

    assert set(emq.restore(QUEUE, kept, op_id="op-1").values()) == {Outcome.RESTORED}
    assert orders.dump() == before
    assert orders.client.exists("emqadmin:{orders}:op:op-1.2") == 1


def test_a_user_who_may_not_set_changes_nothing(orders: Orders, server_port: int) -> None:
    orders.put("dead", A)
    kept = keep(orders, A)
    orders.emq.remove(QUEUE, [A])
    orders.client.acl_setuser(
        "unset", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-set"]
    )
    before = orders.dump_all()
    try:
        weak = redis.Redis(port=server_port, username="unset", password="x")
        with weak, pytest.raises(redis.ResponseError, match="SET"):
            EchoMQ(weak).restore(QUEUE, kept)
        assert orders.dump_all() == before
    finally:
        orders.client.acl_deluser("unset")
