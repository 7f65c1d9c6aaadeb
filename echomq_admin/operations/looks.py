"""The few reads that an answer needs to be true. Where one fails, the answer says less."""

from __future__ import annotations

from collections.abc import Iterable

import redis

from echomq_admin.emq import reads
from echomq_admin.emq.keyspace import Keyspace, from_wire
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import Server
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call

_PARENT = "a flow parent that waits for its children"


def left(action: Action, server: Server, call: Call, ended: int) -> int | None:
    """How many lapsed leases or due jobs a bounded verb left behind; `None` is unknown."""
    if action.verb not in {"sweep", "reap", "reap_group", "promote"}:
        return 0
    if action.verb in {"sweep", "reap"} and ended < int(str(call.args["limit"])):
        return 0
    keys = Keyspace(call.queue)
    key = keys.schedule if action.verb == "promote" else keys.active
    try:
        now = reads.server_now_ms(server.client)
        return int(server.client.zcount(key, "-inf", now))
    except redis.RedisError:
        return None


def is_begun(server: Server, call: Call) -> bool | None:
    """Whether a script already ran under the op_id of the call; `None` is unknown."""
    try:
        return bool(server.client.exists(Keyspace(call.queue).kept_reply(call.op_id)))
    except redis.RedisError:
        return None


def flows(server: Server, queue: str, job_ids: Iterable[str]) -> dict[str, str]:
    """For each job of a flow, which part it has in it: its parent is named."""
    asked = list(job_ids)
    if not asked:
        return {}
    keys = Keyspace(queue)
    try:
        with server.client.pipeline(transaction=False) as pipeline:
            for job_id in asked:
                pipeline.hmget(keys.job(job_id), "parent", "parent_queue")
            rows = pipeline.execute()
    except redis.RedisError:
        return dict.fromkeys(asked, "part of a flow")
    return {job_id: _part(queue, *row) for job_id, row in zip(asked, rows, strict=True)}


def _part(queue: str, parent: bytes | None, parent_queue: bytes | None) -> str:
    if parent is None:
        return _PARENT
    where = from_wire(parent_queue) if parent_queue is not None else queue
    there = "" if where == queue else f" in queue {shown(where)}"
    return f"child of {shown(from_wire(parent))}{there}, which would wait for it for ever"
