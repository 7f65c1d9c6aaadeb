"""For each action a state in which it does something, and the call that does it."""

from __future__ import annotations

import redis

from echomq_admin.emq import EchoMQ, kept
from echomq_admin.ledger.models import job_key
from echomq_admin.ledger.notes import host_ms
from echomq_admin.operations import packing
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.models import Trashed
from echomq_admin.operations.services import Call

Q = "orders"
P = b"emq:{orders}:"
A, B, C, D = (f"JOB0KHTOWnGLu{letter}" for letter in "ABCD")
G = "GRP0KHTOWnGLuA"
FAR_MS = 10**13
# The actions that move jobs on a server, and those that change what the console itself keeps.
ON_SERVER = sorted(verb for verb, action in ACTIONS.items() if action.changes == "server")
IN_CONSOLE = sorted(ACTIONS.keys() - set(ON_SERVER))


def pending(client: redis.Redis, job_id: str = A, group: str | None = None) -> None:
    EchoMQ(client).enqueue(Q, job_id, b"{}", group)


def active(
    client: redis.Redis, job_id: str = A, deadline_ms: float = FAR_MS, attempts: int = 1
) -> None:
    row = {"state": "active", "attempts": attempts, "payload": "{}"}
    client.hset(P + b"job:" + job_id.encode(), mapping=row)
    client.zadd(P + b"active", {job_id: deadline_ms})


def dead(client: redis.Redis, job_id: str = A, attempts: int = 3, **fields: object) -> None:
    row = {"state": "dead", "attempts": attempts, "payload": "{}", "last_error": "boom"} | fields
    client.hset(P + b"job:" + job_id.encode(), mapping=row)
    client.zadd(P + b"dead", {job_id: 0})


def trashed(client: redis.Redis) -> None:
    """A job that was removed through the console, which keeps it."""
    dead(client)
    one = kept.read(client, Q, [A], 10**6, 10**6)[A]
    Trashed.objects.create(
        op_id="earlier",
        server="main",
        queue=Q.encode(),
        job_id=A.encode(),
        key=job_key(A),
        actor="somebody",
        at_ms=host_ms(),
        changed_ms=1,
        attempts=one.attempts,
        size=one.size,
        places=packing.places(one),
        body=packing.body(one),
        is_removed=True,
    )
    EchoMQ(client).remove(Q, [A])


def lapsed_of_lane(client: redis.Redis) -> None:
    active(client, deadline_ms=1)
    client.hset(P + b"job:" + A.encode(), "group", G)
    client.hset(P + b"gactive", G, 1)


def scheduled(client: redis.Redis, in_ms: int = 10**9) -> None:
    EchoMQ(client).schedule(Q, A, b"{}", in_ms=in_ms)


def paused_queue(client: redis.Redis) -> None:
    pending(client)
    EchoMQ(client).pause(Q)


def paused_lane(client: redis.Redis) -> None:
    pending(client, group=G)
    EchoMQ(client).pause_lane(Q, G)


def lane(client: redis.Redis) -> None:
    pending(client, group=G)


SEEDS = {
    "requeue": dead,
    "return_to_dead": pending,
    "sweep": lambda client: active(client, deadline_ms=1),
    "reap": lambda client: active(client, deadline_ms=1),
    "reap_group": lapsed_of_lane,
    "recover_now": active,
    "extend": active,
    "promote": lambda client: scheduled(client, 0),
    "promote_now": scheduled,
    "pause": pending,
    "resume": paused_queue,
    "bury": pending,
    "remove": dead,
    "restore": trashed,
    "update_payload": pending,
    "pause_lane": lane,
    "resume_lane": paused_lane,
    "limit_lane": lane,
    "drain": pending,
    "obliterate": paused_queue,
    "enqueue": lambda client: pending(client, B),
    "schedule": lambda client: pending(client, B),
}
_CALLS = {
    "requeue": {"job_ids": (A,), "tokens": {A: 3}},
    "return_to_dead": {"job_ids": (A,), "args": {"before": {A: (0, "boom", 0)}}},
    "reap_group": {"args": {"group": G}},
    "recover_now": {"job_ids": (A,), "tokens": {A: 1}},
    "extend": {"job_ids": (A,), "tokens": {A: 1}, "args": {"lease_ms": 1000}},
    "promote_now": {"job_ids": (A,)},
    "bury": {"job_ids": (A,), "args": {"reason": "poison"}},
    "remove": {"job_ids": (A,)},
    "restore": {"job_ids": (A,), "tokens": {A: 3}},
    "update_payload": {"job_ids": (A,), "args": {"payload": b"new"}},
    "pause_lane": {"args": {"group": G}},
    "resume_lane": {"args": {"group": G}},
    "limit_lane": {"args": {"group": G, "n": 2}},
    "enqueue": {"job_ids": (A,), "args": {"payload": b"{}"}},
    "schedule": {"job_ids": (A,), "args": {"payload": b"{}", "in_ms": 1000}},
}


def scene(client: redis.Redis, action: str) -> Call:
    """Seed the state and return the call."""
    SEEDS[action](client)
    return Call(action, "main", Q, **_CALLS.get(action, {}), op_id="press-1")
