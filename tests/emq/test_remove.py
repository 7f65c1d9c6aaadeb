"""Remove: a job goes with all its keys, unless somebody still needs it."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ, Outcome, kept
from tests.emq.orders import FUTURE_MS, QUEUE, A, B, C, G, Orders


def _side_keys(orders: Orders, job: str) -> None:
    base = orders.row_key(job)
    orders.client.rpush(base + b":logs", "line")
    orders.client.set(base + b":dependencies", "1")
    for name in (b":processed", b":failed", b":unsuccessful"):
        orders.client.hset(base + name, B, "x")


@pytest.mark.parametrize("place", ["pending", "schedule", "dead"])
def test_nothing_is_left_of_a_removed_job(orders: Orders, emq: EchoMQ, place: str) -> None:
    orders.put(place, A)
    _side_keys(orders, A)

    assert emq.remove(QUEUE, [A]) == {A: Outcome.REMOVED}
    assert orders.dump() == {}


def test_nothing_but_the_job_is_removed(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, B)
    _side_keys(orders, B)
    untouched = {key: value for key, value in orders.dump().items() if B.encode() in key}

    emq.remove(QUEUE, [A])
    assert orders.ids("dead") == [B]
    assert untouched.items() <= orders.dump().items()


def test_a_removed_job_leaves_its_lane_and_the_lane_leaves_the_ring(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("lane", A, group=G)
    orders.serve(G)

    assert emq.remove(QUEUE, [A]) == {A: Outcome.REMOVED}
    assert orders.dump() == {}


def test_an_active_job_is_removed_only_by_force_and_gives_its_slot_back(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("active", A, group=G)
    orders.put("lane", B, group=G)
    orders.client.hset(orders.key("gactive"), G, 1)
    orders.client.hset(orders.key("glimit"), G, 1)
    before = orders.dump()

    assert emq.remove(QUEUE, [A]) == {A: Outcome.ACTIVE}
    assert emq.remove(QUEUE, [A], {A: 1}) == {A: Outcome.ACTIVE}
    assert orders.dump() == before
    assert emq.remove(QUEUE, [A], force=True) == {A: Outcome.REMOVED}
    assert orders.in_flight(G) is None
    assert orders.ring() == [G]
    assert orders.wakes() == 1


def test_a_job_that_a_worker_took_meanwhile_is_kept(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)
    orders.client.zrem(orders.key("pending"), A)
    orders.client.zadd(orders.key("active"), {A: FUTURE_MS})

    assert emq.remove(QUEUE, [A], {A: 1}) == {A: Outcome.ACTIVE}
    assert orders.row(A)


def test_a_locked_job_is_removed_only_by_force(orders: Orders, emq: EchoMQ) -> None:
    orders.put("pending", A)
    orders.client.set(orders.key(f"job:{A}:lock"), "x")
    before = orders.dump()

    assert emq.remove(QUEUE, [A]) == {A: Outcome.LOCKED}
    assert orders.dump() == before
    assert emq.remove(QUEUE, [A], force=True) == {A: Outcome.REMOVED}
    assert orders.dump() == {}


@pytest.mark.parametrize(
    ("parent_row", "parent_queue", "expected"),
    [
        ({"state": "awaiting_children"}, None, Outcome.CHILD),
        ({"state": "awaiting_children"}, QUEUE, Outcome.CHILD),
        ({"state": "pending"}, None, Outcome.REMOVED),
        ({"state": "dead"}, QUEUE, Outcome.REMOVED),
        (None, None, Outcome.REMOVED),
        (None, QUEUE, Outcome.REMOVED),
        (None, "letters", Outcome.CHILD),
        ({"state": "pending"}, "letters", Outcome.CHILD),
    ],
)
def test_a_child_that_its_parent_waits_for_is_refused(
    orders: Orders,
    emq: EchoMQ,
    parent_row: dict[str, str] | None,
    parent_queue: str | None,
    expected: Outcome,
) -> None:
    fields = {"parent": C, "parent_policy": "fp"}
    orders.put("dead", A, **fields, **({"parent_queue": parent_queue} if parent_queue else {}))
    if parent_row is not None:
        orders.client.hset(orders.row_key(C), mapping=parent_row)

    assert emq.remove(QUEUE, [A]) == {A: expected}
    assert orders.where(A) == ([] if expected == Outcome.REMOVED else ["dead"])


def test_a_child_is_removed_by_force_and_its_parent_is_left_as_it_is(
    orders: Orders, emq: EchoMQ
) -> None:
    orders.put("dead", A, parent=C)
    orders.client.hset(orders.row_key(C), mapping={"state": "awaiting_children"})
    orders.client.set(orders.key(f"job:{C}:dependencies"), "1")

    assert emq.remove(QUEUE, [A], force=True) == {A: Outcome.REMOVED}
    assert orders.row(C) == {b"state": b"awaiting_children"}
    assert orders.client.get(orders.key(f"job:{C}:dependencies")) == b"1"


def test_a_parent_row_of_a_wrong_type_waits_for_nobody(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, parent=C)
    orders.client.set(orders.row_key(C), "x")

    assert emq.remove(QUEUE, [A]) == {A: Outcome.REMOVED}


def test_a_job_that_was_claimed_since_is_kept_even_by_force(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, attempts=2)

    assert emq.remove(QUEUE, [A], {A: 1}, force=True) == {A: Outcome.CHANGED}
    assert orders.where(A) == ["dead"]


def test_a_job_in_several_sets_leaves_all_of_them(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, group=G)
    for place in ("pending", "active", "schedule", "dead"):
        orders.only_id(place, A)
    orders.serve(G)

    assert emq.remove(QUEUE, [A], force=True) == {A: Outcome.REMOVED}
    assert orders.dump() == {}


@pytest.mark.parametrize(("holder", "is_deleted"), [(A, True), (B, False)])
def test_an_idempotency_key_goes_only_with_the_job_it_holds(
    orders: Orders, emq: EchoMQ, holder: str, is_deleted: bool
) -> None:
    orders.put("dead", A)
    orders.client.set(orders.key("de:daily:report"), holder)

    assert emq.remove(QUEUE, [A], dedup_id="daily:report") == {A: Outcome.REMOVED}
    assert orders.client.exists(orders.key("de:daily:report")) == (not is_deleted)


def test_an_idempotency_key_of_a_wrong_type_is_left(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A)
    orders.client.rpush(orders.key("de:daily"), A)

    assert emq.remove(QUEUE, [A], dedup_id="daily") == {A: Outcome.REMOVED}
    assert orders.client.exists(orders.key("de:daily")) == 1


def test_an_idempotency_key_goes_with_one_id_only(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A, B)

    for ids in ([A, B], []):
        with pytest.raises(ValueError, match="dedup_id"):
            emq.remove(QUEUE, ids, dedup_id="daily")
    assert orders.ids("dead") == [A, B]


def test_a_refused_job_keeps_its_idempotency_key(orders: Orders, emq: EchoMQ) -> None:
    orders.put("active", A)
    orders.client.set(orders.key("de:daily"), A)

    assert emq.remove(QUEUE, [A], dedup_id="daily") == {A: Outcome.ACTIVE}
    assert orders.client.get(orders.key("de:daily")) == A.encode()


# -- fenced by place ------------------------------------------------------------------------------

MOVES = {
    "requeued": ("dead", lambda orders: orders.emq.requeue(QUEUE, [A])),
    "buried": ("pending", lambda orders: orders.emq.bury(QUEUE, [A], "poison")),
    "promoted": ("schedule", lambda orders: orders.emq.promote_now(QUEUE, [A])),
}


def _place(orders: Orders, job: str = A) -> str:
    """Where a job is, as the console keeps it."""
    one = kept.read(orders.client, QUEUE, [job], 10**6, 10**7)[job]
    assert isinstance(one, kept.Kept)
    return one.place


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("force", [False, True])
def test_a_job_that_somebody_moved_since_it_was_seen_is_kept(
    orders: Orders, emq: EchoMQ, move: str, force: bool
) -> None:
    place, moves = MOVES[move]
    orders.put(place, A)
    seen = {A: _place(orders)}
    moves(orders)
    before = orders.dump()

    assert emq.remove(QUEUE, [A], force=force, seen=seen) == {A: Outcome.CHANGED}
    assert orders.dump() == before


@pytest.mark.parametrize("place", ["pending", "schedule", "dead", "active", "lane"])
def test_a_job_that_is_where_it_was_seen_is_removed(
    orders: Orders, emq: EchoMQ, place: str
) -> None:
    orders.put(place, A, **({"group": G} if place == "lane" else {}))
    orders.put("dead", B)

    assert _place(orders) == (f"lane:{G}" if place == "lane" else place)
    seen = {A: _place(orders)}
    assert emq.remove(QUEUE, [A, B], force=True, seen=seen) == {
        A: Outcome.REMOVED,
        B: Outcome.REMOVED,
    }


def test_a_job_that_waits_in_another_lane_by_now_is_kept(orders: Orders, emq: EchoMQ) -> None:
    orders.put("lane", A, group=G)
    assert emq.remove(QUEUE, [A], seen={A: "lane:other"}) == {A: Outcome.CHANGED}


def test_a_job_in_no_set_was_seen_nowhere(orders: Orders, emq: EchoMQ) -> None:
    orders.put("dead", A)
    orders.client.delete(orders.key("dead"))

    assert _place(orders) == "-"
    assert emq.remove(QUEUE, [A], seen={A: "dead"}) == {A: Outcome.CHANGED}
    assert emq.remove(QUEUE, [A], seen={A: "-"}) == {A: Outcome.REMOVED}
