"""The whole protocol as one object."""

from __future__ import annotations

from .operator import OperatorVerbs, QueueVerbs
from .worker import WorkerVerbs


class EchoMQ(WorkerVerbs, OperatorVerbs, QueueVerbs):
    """Every verb of the wire on one client, which must not decode.

    Every verb takes `actor` (who; makes the script write an audit entry when it changed
    anything) and `op_id` (the name of this call; a second call under it moves nothing and
    answers the same for 24 h). A verb that loops names its calls `op_id`, `op_id.1`, ….
    """
