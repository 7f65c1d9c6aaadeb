"""Deleting a queue whole, with the lanes that none of its own keys names."""

from __future__ import annotations

from dataclasses import dataclass, field

import redis

from echomq_admin.emq import EmqError
from echomq_admin.emq.keyspace import lanes_pattern, parse
from echomq_admin.fleet import servers
from echomq_admin.fleet.servers import Server
from echomq_admin.operations import looks
from echomq_admin.operations.calls import Call

_SCAN_COUNT = 1000


@dataclass(frozen=True)
class Obliterated:
    """What one step did: `more` says whether another is needed, `lanes` what to tell it of.

    `late` is how many lanes were found after the last step; `None` when that is not known, or
    when the queue could not be paused again.
    """

    more: bool
    lanes: tuple[str, ...] = field(default=(), compare=False)
    late: int | None = 0


def obliterate(
    server: Server, call: Call, actor: str, lanes: tuple[str, ...] | None = None
) -> Obliterated:
    """One step; `lanes` are those that the step before knew, `None` looks for them.

    After the last step a lane may be there that the search missed. The queue is then paused
    again, as every step needs it, and there is more to do. A call that is repeated does not do
    so: by then the lanes may be those of a new queue of this name.
    """
    if lanes is None:
        lanes = lanes_of(server.client, call.queue)
    is_first_time = looks.is_begun(server, call) is False
    names = {"actor": actor, "op_id": call.step_op_id}
    if server.emq.obliterate(call.queue, lanes=lanes, **call.args, **names):
        return Obliterated(True, lanes)
    try:
        late = lanes_of(server.client, call.queue)
        if late and is_first_time:
            server.emq.pause(call.queue, actor=actor, op_id=f"{call.step_op_id}.again")
    except (EmqError, *servers.TROUBLE):
        return Obliterated(False, late=None)
    return Obliterated(bool(late) and is_first_time, late, len(late))


def lanes_of(client: redis.Redis, queue: str) -> tuple[str, ...]:
    """Every lane of the queue that the server holds now, in order. Raises redis-py's errors."""
    keys = client.scan_iter(match=lanes_pattern(queue), count=_SCAN_COUNT)
    found = filter(None, map(parse, keys))
    groups = {one.group for one in found if one.queue == queue and one.group is not None}
    return tuple(sorted(groups))
