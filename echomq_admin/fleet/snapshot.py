"""One shared look at a server for all viewers of this process."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from datetime import datetime
from weakref import WeakKeyDictionary

import redis
from django.utils import timezone

from echomq_admin.emq.reads import QueueCounts, counts
from echomq_admin.fleet.discovery import known
from echomq_admin.fleet.servers import Facts, Server, trouble

FRESH_S = 1.0


@dataclass(frozen=True)
class ServerSnapshot:
    """The sizes of all known queues of one server, by name.

    `error` is a sentence while the server cannot be read; the other fields are then those of
    the last good look, taken at `stale_since` (host clock, only for the eye), or empty when
    there was none. `age_s` is how long ago that look was, `now_ms` the server's clock then.
    """

    server: str
    now_ms: int | None = None
    queues: tuple[QueueCounts, ...] = ()
    facts: Facts | None = None
    error: str | None = None
    age_s: float = 0.0
    stale_since: datetime | None = None


class _Viewpoint:
    """The last look at one server, and when it is time for the next."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.next_at = 0.0
        self.seen_at: tuple[float, datetime] | None = None
        self.last: ServerSnapshot | None = None

    def look(self, server: Server) -> None:
        started = time.monotonic()
        try:
            now_ms, queues = counts(server.client, known(server.name))
            self.last = ServerSnapshot(server.name, now_ms, tuple(queues), server.facts())
            self.seen_at = (time.monotonic(), timezone.now())
        except (redis.RedisError, OSError) as error:
            kept = self.last or ServerSnapshot(server.name)
            since = self.seen_at[1] if self.seen_at else None
            self.last = replace(kept, error=trouble(server, error), stale_since=since)
        # A server that makes everyone wait before it fails is asked less often.
        took = time.monotonic() - started
        self.next_at = started + took + max(FRESH_S, 2 * took if self.last.error else 0.0)

    def now(self, server: Server) -> ServerSnapshot:
        """The shared look. While one viewer takes a new one, the others get the last."""
        if self.lock.acquire(blocking=self.last is None):
            try:
                if time.monotonic() >= self.next_at:
                    self.look(server)
            finally:
                self.lock.release()
        assert self.last is not None
        age = time.monotonic() - self.seen_at[0] if self.seen_at else 0.0
        return replace(self.last, age_s=age)


_lock = threading.Lock()
_viewpoints: WeakKeyDictionary[Server, _Viewpoint] = WeakKeyDictionary()


def snapshot(server: Server) -> ServerSnapshot:
    """The shared snapshot, read anew at most once a second. Trouble is told, never raised."""
    return _viewpoint(server).now(server)


def refresh(server: Server) -> None:
    """Make the next snapshot a new look, as after a change that this process made."""
    _viewpoint(server).next_at = 0.0


def _viewpoint(server: Server) -> _Viewpoint:
    with _lock:
        return _viewpoints.setdefault(server, _Viewpoint())
