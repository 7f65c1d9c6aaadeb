"""Whole keyspaces as plain Python values: read from a server, written to one, compared.

A keyspace is a dict from key to value: `Zset` (member to score), `dict` (a hash), `list`
(of a stream: its raw entries), `set` or `bytes`. Keys are written here as the wire has them, so
that these tests do not lean on the grammar that they hold to account.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import redis

Keyspace = dict[bytes, Any]

_DUMP = """
local dump = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local kind = redis.call('TYPE', key).ok
  local value = false
  if kind == 'zset' then value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  elseif kind == 'hash' then value = redis.call('HGETALL', key)
  elseif kind == 'list' then value = redis.call('LRANGE', key, 0, -1)
  elseif kind == 'set' then value = redis.call('SMEMBERS', key)
  elseif kind == 'string' then value = redis.call('GET', key)
  elseif kind == 'stream' then value = redis.call('XRANGE', key, '-', '+') end
  dump[#dump + 1] = {key, kind, value}
end
return {redis.call('TIME'), dump}
"""


class Zset(dict[bytes, Any]):
    """A sorted set: member to score."""

    def in_order(self) -> list[bytes]:
        """The members as the server ranges over them: by score, then by bytes."""
        return sorted(self, key=lambda member: (self[member], member))


def dump(client: redis.Redis, pattern: str = "emq:*") -> Keyspace:
    """Every key that matches, in one call."""
    return dump_at(client, pattern)[1]


def dump_at(client: redis.Redis, pattern: str = "emq:*") -> tuple[int, Keyspace]:
    """The server's clock in ms and every key that matches, of one instant."""
    (seconds, micros), rows = client.eval(_DUMP, 0, pattern)
    return int(seconds) * 1000 + int(micros) // 1000, {
        key: _read(kind, value) for key, kind, value in rows
    }


def _read(kind: bytes, value: Any) -> Any:
    if kind == b"zset":
        return Zset(zip(value[::2], map(float, value[1::2]), strict=True))
    if kind == b"hash":
        return dict(zip(value[::2], value[1::2], strict=True))
    return set(value) if kind == b"set" else value


def load(client: redis.Redis, keyspace: Mapping[bytes, Any]) -> None:
    """Write a keyspace."""
    pipe = client.pipeline(transaction=False)
    for key, value in keyspace.items():
        if isinstance(value, Zset):
            pipe.zadd(key, value)
        elif isinstance(value, dict):
            pipe.hset(key, mapping=value)
        elif isinstance(value, list):
            pipe.rpush(key, *value)
        elif isinstance(value, set):
            pipe.sadd(key, *value)
        else:
            pipe.set(key, value)
    pipe.execute()


def server_now_ms(client: redis.Redis) -> int:
    seconds, micros = client.time()
    return int(seconds) * 1000 + int(micros) // 1000


def wire(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
