"""What the transitions cost on the server, against a bare loop that only moves."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import redis

from echomq_admin.emq import EchoMQ, ids
from tests.bench.figures import Figure

BARE = """
for i = 1, #ARGV do
  local id = ARGV[i]
  redis.call('ZREM', 'emq:{bench}:dead', id)
  redis.call('HDEL', 'emq:{bench}:job:' .. id, 'last_error')
  redis.call('HSET', 'emq:{bench}:job:' .. id, 'state', 'pending')
  redis.call('ZADD', 'emq:{bench}:pending', 0, id)
end
"""
CALL = 1000
QUEUE = "bench"
ERROR = b"smtp timeout after 30000 ms while talking to mx1.example.net"[:60]


def job_ids(count: int) -> list[str]:
    start = ids.EPOCH_MS + 60_000_000_000
    return [ids.mint("JOB", start + n // 4096, sequence=n % 4096) for n in range(count)]


def seed_dead(client: redis.Redis, count: int, rows: int | None = None) -> list[str]:
    """Fill the dead set of the bench queue; only the newest `rows` get a row."""
    names = job_ids(count)
    for start in range(0, count, 10_000):
        pipe = client.pipeline(transaction=False)
        part = names[start : start + 10_000]
        pipe.zadd("emq:{bench}:dead", dict.fromkeys(part, 0))
        for name in part if rows is None else part[max(0, count - rows - start) :]:
            pipe.hset(f"emq:{{bench}}:job:{name}", mapping=_dead_row())
        pipe.execute()
    return names


def _dead_row() -> dict[str, bytes | str]:
    return {"state": "dead", "attempts": "3", "payload": '{"to":"x"}', "last_error": ERROR}


def requeue(client: redis.Redis, size: int = 20_000) -> Iterator[Figure]:
    """Jobs per second of server time, in the median call: ours with audit, over the bare loop."""
    emq = EchoMQ(client)
    emq.requeue(QUEUE, ["JOBwarm"])
    bare = client.register_script(BARE)
    rates = []
    for move in (lambda part: bare(args=part), lambda part: _requeue(emq, part)):
        client.flushdb()
        names = seed_dead(client, size)
        _log_every_call(client)
        for start in range(0, size, CALL):
            move(names[start : start + CALL])
        rates.append(CALL / statistics.median(_script_ms(client)))
    floor, ours = rates
    yield Figure("requeue with audit", ours, "jobs/ms", floor, "ratio >= 0.40")


def _requeue(emq: EchoMQ, part: list[str]) -> None:
    answer = emq.requeue(QUEUE, part, tokens=dict.fromkeys(part, 3), actor="bench")
    if set(answer.values()) != {"requeued"}:
        raise AssertionError("the bench moved less than it measured")


def _log_every_call(client: redis.Redis) -> None:
    client.config_set("slowlog-log-slower-than", 0)
    client.config_set("slowlog-max-len", 10_000)
    client.slowlog_reset()


def _script_ms(client: redis.Redis) -> list[float]:
    """What the server itself spent on each script call since, in ms."""
    log = client.slowlog_get(10_000)
    return [e["duration"] / 1000 for e in log if e["command"].startswith(b"EVALSHA")]


def sweep(client: redis.Redis, size: int = 30_000) -> Iterator[Figure]:
    """The slowest call of a sweep over many lapsed leases, in three lanes, in server time."""
    client.flushdb()
    _seed_lapsed(client, size)
    emq = EchoMQ(client)
    emq.sweep("warm")
    _log_every_call(client)
    swept = 0
    while ended := _ended(emq):
        swept += ended
    if swept != size:
        raise AssertionError(f"swept {swept} of {size}")
    yield Figure(
        f"sweep of {size:,}, slowest call", max(_script_ms(client)), "ms", 20.0, "ratio <= 1"
    )


def _ended(emq: EchoMQ) -> int:
    answer = emq.sweep(QUEUE, max_stalled=2, limit=CALL, actor="bench")
    return len(answer.recovered) + len(answer.dead)


def _seed_lapsed(client: redis.Redis, size: int) -> None:
    names = job_ids(size)
    for start in range(0, size, 10_000):
        pipe = client.pipeline(transaction=False)
        for place, name in enumerate(names[start : start + 10_000]):
            row = {
                "state": "active",
                "attempts": "1",
                "payload": "{}",
                "group": f"lane-{place % 3}",
            }
            row |= {"stalled": str(place % 2)}
            pipe.zadd("emq:{bench}:active", {name: 1 + place})
            pipe.hset(f"emq:{{bench}}:job:{name}", mapping=row)
            pipe.hincrby("emq:{bench}:gactive", f"lane-{place % 3}")
        pipe.execute()
