"""What a call did, as the server keeps it a day for its replays, whatever becomes of the audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count, takewhile
from typing import Any

import msgpack
import redis

from .calls import answered, outcomes, step_id
from .keyspace import Keyspace
from .records import Outcome
from .replies import Batch

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, msgpack.UnpackException)
_ANSWERS: dict[bytes, Callable[[Any], Mapping[str, Outcome]]] = {
    b"remove": lambda reply: answered(reply)[1],
    b"restore": outcomes,
}


def words(client: redis.Redis, queue: str, op_id: str) -> dict[str, str]:
    """Job id to outcome, of all chunks of one removal or restore; empty where none is kept.

    Raises what `Batch` raises.
    """
    names = (step_id(op_id, step) or "" for step in count())
    replies = (_reply(client, Keyspace(queue).kept_reply(name)) for name in names)
    found: dict[str, str] = {}
    for told in takewhile(bool, map(_words, takewhile(bool, replies))):
        found |= told
    return found


def _reply(client: redis.Redis, key: bytes) -> bytes:
    """Empty for none, and for one that the server does not let the console read."""
    batch = Batch(client)
    answer = batch.ask("get", key)
    batch.run()
    return answer.value or b""


def _words(raw: bytes) -> dict[str, str]:
    unpacker: Any = msgpack.Unpacker(raw=True)
    unpacker.feed(raw)
    try:
        verb, reply = unpacker.unpack(), unpacker.unpack()
        told = _ANSWERS[verb](reply)
    except _UNREADABLE:
        return {}
    return {job_id: str(word) for job_id, word in told.items()}
