"""Every verb with a state in which it moves something: for tests that speak of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from echomq_admin.emq.kept import Held, Kept
from tests.emq.orders import PAST_MS, QUEUE, A, B, C, G, Orders


@dataclass(frozen=True)
class Call:
    """A verb, its arguments after the queue, and what must be there for it to move something."""

    verb: str
    args: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)
    prepare: Callable[[Orders], None] = lambda orders: None

    def run(self, orders: Orders, **named: Any) -> Any:
        """Run it on the queue, with `actor` and `op_id` if wanted."""
        return getattr(orders.emq, self.verb)(QUEUE, *self.args, **self.named, **named)


def _dead(orders: Orders) -> None:
    orders.put("dead", A, B, attempts=3, stalled=1, last_error="boom")
    orders.put("dead", C, attempts=3, group=G, last_error="boom")


def _lane(orders: Orders) -> None:
    orders.put("lane", A, group=G)
    orders.serve(G)


def _paused_lane(orders: Orders) -> None:
    orders.put("lane", A, group=G)
    orders.client.sadd(orders.key("paused"), G)


def _paused(orders: Orders) -> None:
    orders.put("dead", A)
    orders.client.hset(orders.key("meta"), "paused", 1)


def _lapsed(orders: Orders) -> None:
    orders.put("active", A, score=PAST_MS)
    orders.put("active", B, score=PAST_MS, group=G)
    orders.client.hset(orders.key("gactive"), G, 1)


def _put(place: str, job: str = A, **fields: Any) -> Callable[[Orders], None]:
    return lambda orders: orders.put(place, job, **fields)


_KEPT = Kept({b"state": b"dead", b"attempts": b"1", b"payload": b"{}"}, (Held("dead", 0),))


WORKER_CALLS = (
    Call("enqueue", (A, b"{}")),
    Call("schedule", (A, b"{}"), {"in_ms": 60_000}),
    Call("claim", (30_000,), prepare=_put("pending")),
    Call("claim_lane", (30_000,), prepare=_lane),
    Call("complete", (A, 1), prepare=_put("active")),
    Call("retry", (A, 1, 60_000, 3, b"boom"), prepare=_put("active")),
    Call("extend", (A, 1, 60_000), prepare=_put("active")),
)
OPERATOR_CALLS = (
    Call("promote", prepare=_put("schedule", score=PAST_MS)),
    Call("reap", prepare=_lapsed),
    Call("reap_group", (G,), prepare=_lapsed),
    Call("sweep", (2,), prepare=_lapsed),
    Call("requeue", ([A, B, C],), prepare=_dead),
    Call("return_to_dead", ({A: (1, b"boom", 2)},), prepare=_put("pending")),
    Call("promote_now", ([A],), prepare=_put("schedule")),
    Call("bury", ([A], b"poison"), prepare=_put("pending")),
    Call("remove", ([A, C],), prepare=_dead),
    Call("restore", ({A: _KEPT},), prepare=_put("pending", B)),
    Call("recover_now", (A, 1, 2), prepare=_put("active")),
    Call("update_payload", (A, b"[]"), prepare=_put("pending")),
    Call("pause", prepare=_put("pending")),
    Call("resume", prepare=_paused),
    Call("pause_lane", (G,), prepare=_lane),
    Call("resume_lane", (G,), prepare=_paused_lane),
    Call("limit_lane", (G, 2), prepare=_lane),
    Call("drain", (True,), prepare=_put("pending")),
    Call("obliterate", prepare=_paused),
)
CALLS = WORKER_CALLS + OPERATOR_CALLS


def name_of(call: Call) -> str:
    """The id of a parametrised test."""
    return call.verb
