"""The few looks that an answer needs to be true. Where a read fails, the answer says less."""

from __future__ import annotations

from collections.abc import Iterable

from echomq_admin.emq import reads
from echomq_admin.emq.keyspace import Keyspace, from_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import Server
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call
from echomq_admin.operations.verdicts import flow

# So long a script's reply is kept under its op_id.
KEPT_MS = 86_400_000


def no_queue(server: Server, queue: str) -> str:
    """That a server does not know the queue, and where it was meant to name a server, not that."""
    stranger, names = strange_server(queue), ", ".join(one.name for one in servers.servers())
    if stranger is None:
        return f"Server {server.name} has no queue {shown(queue)}."
    return (
        f"There is no server {stranger}, and server {server.name} has no queue {shown(queue)}. "
        f"EMQ_SERVERS names: {names}."
    )


def strange_server(place: str) -> str | None:
    """What stands before a slash, when it could be a server's name and is none."""
    head, slash, _ = place.partition("/")
    known = {one.name for one in servers.servers()}
    return head if slash and servers.is_name(head) and head not in known else None


def left(action: Action, server: Server, call: Call, ended: int) -> int | None:
    """How many lapsed leases or due jobs a bounded verb did not reach; `None` is unknown.

    Reaping a lane looks at all lapsed leases in their order and leaves those of other lanes: only
    what lies behind its limit was not reached.
    """
    if action.verb not in {"sweep", "reap", "reap_group", "promote"}:
        return 0
    if action.verb in {"sweep", "reap"} and ended < int(str(call.args["limit"])):
        return 0
    keys = Keyspace(call.queue)
    key = keys.schedule if action.verb == "promote" else keys.active
    try:
        now = reads.server_now_ms(server.client)
        found = int(server.client.zcount(key, "-inf", now))
    except servers.TROUBLE:
        return None
    if action.verb == "reap_group":
        return max(0, ended + found - int(str(call.args["limit"])))
    return found


def is_begun(server: Server, call: Call) -> bool | None:
    """Whether a script already ran under the op_id of this step; `None` is unknown."""
    try:
        return bool(server.client.exists(Keyspace(call.queue).kept_reply(call.step_op_id)))
    except servers.TROUBLE:
        return None


def begun_ago_ms(server: Server, call: Call) -> int | None:
    """How long ago a script ran under the op_id of this step; `None` for never, or unknown."""
    try:
        left = server.client.pttl(Keyspace(call.queue).kept_reply(call.step_op_id))
    except servers.TROUBLE:
        return None
    return None if left < 0 else max(0, KEPT_MS - int(left))


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
    except servers.TROUBLE:
        return dict.fromkeys(asked, "part of a flow")
    named = ((None if one is None else from_wire(one) for one in row) for row in rows)
    return {job_id: flow(queue, *row) for job_id, row in zip(asked, named, strict=True)}
