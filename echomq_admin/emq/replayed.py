"""What a call did, as the server keeps it for its replays: for a day, whatever became of the audit."""

from __future__ import annotations

from itertools import count

import msgpack
import redis

from .calls import answered, outcomes, step_id
from .keyspace import Keyspace

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, msgpack.UnpackException)
_ANSWERS = {b"remove": answered, b"restore": lambda reply: (False, outcomes(reply))}


def words(client: redis.Redis, queue: str, op_id: str) -> dict[str, str]:
    """Job id to outcome, of all chunks of one removal or restore; empty where none is kept.

    Raises redis-py's errors.
    """
    keys, found = Keyspace(queue), {}
    for step in count():
        raw = client.get(keys.kept_reply(step_id(op_id, step) or ""))
        told = None if raw is None else _words(raw)
        if told is None:
            return found
        found |= told


def _words(raw: bytes) -> dict[str, str] | None:
    unpacker = msgpack.Unpacker(raw=True)
    unpacker.feed(raw)
    try:
        verb, reply = unpacker.unpack(), unpacker.unpack()
        _, told = _ANSWERS[verb](reply)
    except _UNREADABLE:
        return None
    return {job_id: str(word) for job_id, word in told.items()}
