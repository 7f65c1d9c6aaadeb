"""A queue as workers of other programs work on it, and the observer that watches them.

Their scripts follow the upstream ones where the console's are stricter: a late extend revives a
lease that has ended, a late retry puts a waiting job into schedule, and reprocess forgets the lane.
"""

from __future__ import annotations

import redis

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.keyspace import to_wire
from echomq_admin.fleet import memory
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.endings.models import Ending, EndingKind, ErrorText, Lane, Source
from echomq_admin.ledger.observing.lead import Lead
from echomq_admin.ledger.observing.observer import Observer
from echomq_admin.ledger.observing.pace import Pace

Q = "orders"
JOB = "JOB0KHTOWnGLuA"
RECOVERED, DEAD, REAPED = EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.REAPED
FAILED, UNCERTAIN = EndingKind.FAILED, EndingKind.UNCERTAIN

_EXTEND = """
if redis.call('HGET', KEYS[2], 'attempts') ~= ARGV[2] then return redis.error_reply('EMQSTALE') end
local t = redis.call('TIME')
redis.call('ZADD', KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[3], ARGV[1])
return 1
"""
_RETRY = """
if redis.call('HGET', KEYS[3], 'attempts') ~= ARGV[2] then return redis.error_reply('EMQSTALE') end
local t = redis.call('TIME')
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[3], 'state', 'scheduled', 'last_error', ARGV[4])
redis.call('ZADD', KEYS[2], t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[3], ARGV[1])
return 'scheduled'
"""
_REPROCESS = """
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return redis.error_reply('EMQSTATE') end
redis.call('HDEL', KEYS[3], 'last_error')
redis.call('HSET', KEYS[3], 'state', 'pending')
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1
"""


class Fleet:
    """Workers and sweepers of one server, none of whom is an actor of the console."""

    def __init__(self, client: redis.Redis, server: Server) -> None:
        self.client, self.server = client, server
        self.emq = EchoMQ(client)
        self.restart()

    def know(self, *queues: str) -> None:
        memory.learn(self.server.name, {to_wire(queue): set() for queue in queues})

    def beat(self) -> None:
        """It is the turn of every queue, however long ago the last beat was."""
        self.observer._pace = Pace()
        self.observer.beat()

    def restart(self) -> None:
        """Another agent takes over from what is in the database."""
        lead = Lead(self.server.name, patience_s=0)
        assert lead.hold()
        self.observer = Observer(self.server, lead.term)

    def key(self, name: str, queue: str = Q) -> bytes:
        return b"emq:{%s}:%s" % (to_wire(queue), to_wire(name))

    def row(self, job_id: str = JOB, queue: str = Q) -> bytes:
        return self.key(f"job:{job_id}", queue)

    def now_ms(self) -> int:
        seconds, micros = self.client.time()
        return seconds * 1000 + micros // 1000

    def start(self, job_id: str = JOB, lease_ms: int = 30_000, queue: str = Q, lane=None) -> int:
        """Enqueue a job and claim it, which has to be the first one that waits; its token."""
        self.emq.enqueue(queue, job_id, "{}", lane)
        return self.claim(job_id, lease_ms, queue, lane)

    def claim(self, job_id: str = JOB, lease_ms: int = 30_000, queue: str = Q, lane=None) -> int:
        claim = (self.emq.claim_lane if lane else self.emq.claim)(queue, lease_ms)
        assert claim is not None
        assert claim.job_id == job_id
        return claim.attempts

    def lapse(self, job_id: str = JOB, queue: str = Q) -> None:
        """A lease is a minute past its deadline, and was seen so."""
        past = self.now_ms() - 60_000
        self.client.zadd(self.key("active", queue), {to_wire(job_id): past}, xx=True)
        self.beat()

    def extend_late(self, token: int, job_id: str = JOB, lease_ms: int = 30_000) -> None:
        keys = (self.key("active"), self.row(job_id))
        self.client.eval(_EXTEND, 2, *keys, job_id, token, lease_ms)

    def retry_late(self, token: int, error: str, job_id: str = JOB, delay_ms: int = 0) -> None:
        keys = (self.key("active"), self.key("schedule"), self.row(job_id))
        self.client.eval(_RETRY, 3, *keys, job_id, token, delay_ms, error)

    def reprocess(self, job_id: str = JOB) -> None:
        keys = (self.key("dead"), self.key("pending"), self.row(job_id))
        self.client.eval(_REPROCESS, 3, *keys, job_id)

    def fail_and_wait(self, token: int, error: str = "boom", job_id: str = JOB) -> None:
        """An attempt fails, and the job is promoted at once."""
        self.emq.retry(Q, job_id, token, 0, 9, error)
        self.emq.promote(Q)


def told(queue: str | None = None) -> list[tuple[str, int, EndingKind]]:
    """What is in the ledger: job, attempts and kind, in the order of leases."""
    rows = Ending.objects.filter(source=Source.OBSERVER).order_by("job", "life", "attempts", "n")
    if queue is not None:
        rows = rows.filter(place__queue=to_wire(queue))
    return [(bytes(row.job).decode(), row.attempts, EndingKind(row.kind)) for row in rows]


def kinds() -> list[EndingKind]:
    return [kind for _, _, kind in told()]


def error_of(ending: Ending) -> bytes | None:
    row = ErrorText.objects.filter(pk=ending.error_id).first()
    return None if row is None else bytes(row.text)


def lane_of(ending: Ending) -> bytes | None:
    row = Lane.objects.filter(pk=ending.lane_id).first()
    return None if row is None else bytes(row.name)
