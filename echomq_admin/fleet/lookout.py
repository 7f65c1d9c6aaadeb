"""The look at one server that all viewers of this process share.

A thread of its own takes the looks, one at a time and about one a second, while anybody asks.
Whoever asks gets the last look and never speaks to the server, so that a server which is slow,
stuck or gone holds no page up. The thread touches the server only: what to look at is read from
the database by those who ask.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils import timezone

from echomq_admin.emq.reads import QueueCounts, counts
from echomq_admin.fleet.discovery import known
from echomq_admin.fleet.servers import TROUBLE, Facts, Server, trouble

AWAKE_S = 10.0  # so long after the last question the looks go on
PATIENCE_S = 1.0  # so long a question waits for a look that has to be new
_FAREWELL_S = 0.5

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServerSnapshot:
    """The sizes of all known queues of one server, by name.

    `error` is a sentence while the server cannot be read or has not answered yet; the other
    fields are then those of the last good look, taken at `stale_since` (host clock, only for
    the eye), or empty when there was none. `age_s` is how long ago that look was, `now_ms` the
    server's clock then.
    """

    server: str
    now_ms: int | None = None
    queues: tuple[QueueCounts, ...] = ()
    facts: Facts | None = None
    error: str | None = None
    age_s: float = 0.0
    stale_since: datetime | None = None


class Lookout:
    """The last look at a server, and the thread that takes the next while it is wanted.

    All times are of the monotonic clock. `every_s` says how far apart the looks begin.
    """

    def __init__(self, server: Server, every_s: Callable[[], float]) -> None:
        self._server = server
        self._every_s = every_s
        self._reading = threading.Lock()
        self._queues: dict[str, Sequence[str]] = {}
        self._queues_at = float("-inf")
        self._turn = threading.Condition()
        self._thread: threading.Thread | None = None
        self._asked_at = float("-inf")
        self._new_since = float("-inf")  # a look that began before this is too old
        self._is_waking = True  # nobody asked for long, so what is kept says nothing of now
        self._under_way: float | None = None  # when the look began that is being taken
        self._from = float("-inf")  # it tells of no earlier moment than this
        self._last = ServerSnapshot(server.name)
        self._last_from = float("-inf")
        self._next_at = float("-inf")
        self._seen: tuple[float, datetime] | None = None
        self._is_baffled = False
        server.when_closed.append(self.end)

    def ask(self) -> None:
        """Let there be looks from now on. Reads the database at most as often as a look is due."""
        now = time.monotonic()
        with self._turn:
            if now - self._asked_at > AWAKE_S:
                self._new_since, self._is_waking = now, True
            self._asked_at = now
        with self._reading:
            if self._queues_at < max(self._new_since, now - self._every_s()):
                read_at = time.monotonic()
                self._queues = known(self._server.name)
                self._queues_at = read_at
        with self._turn:
            if not self._server.is_closed and not (self._thread and self._thread.is_alive()):
                name = f"lookout {self._server.name}"
                self._thread = threading.Thread(target=self._watch, name=name, daemon=True)
                self._thread.start()
            self._turn.notify_all()

    def want_new(self) -> None:
        """Make those who ask wait for a look that begins after this moment."""
        with self._turn:
            self._new_since = time.monotonic()

    def tell(self) -> ServerSnapshot:
        """The last look. Waits for one that has to be new, but not beyond `PATIENCE_S` after
        it was first wanted, whoever asks."""
        with self._turn:
            left = self._new_since + PATIENCE_S - time.monotonic()
            self._turn.wait_for(self._is_new, max(0.0, left))
            return self._told(time.monotonic())

    def end(self) -> None:
        """Take no more looks, the server being closed. Waits half a second for one under way."""
        with self._turn:
            thread = self._thread
            self._turn.notify_all()
        if thread is not None:
            thread.join(_FAREWELL_S)

    def _is_new(self) -> bool:
        return self._server.is_closed or self._last_from >= self._new_since

    def _told(self, now: float) -> ServerSnapshot:
        seen_at, stale_since = self._seen or (now, None)
        told = replace(self._last, age_s=now - seen_at)
        waits_s = 0.0 if self._under_way is None else now - self._under_way
        is_slow = waits_s > self._server.patience_s and not told.error
        if not (self._is_waking or is_slow):
            return told
        silence = f"{self._server.name} has not answered yet at {self._server.target}."
        return replace(told, error=silence, stale_since=stale_since)

    def _watch(self) -> None:
        while self._may_look():
            look = self._look()
            with self._turn:
                self._keep(look)
                self._turn.notify_all()
        if self._server.is_closed:
            self._server.client.connection_pool.disconnect()

    def _may_look(self) -> bool:
        """Wait for the next look; false when it is not wanted any more."""
        with self._turn:
            while True:
                now = time.monotonic()
                if self._server.is_closed or now - self._asked_at > AWAKE_S:
                    self._thread = None
                    return False
                is_new_wanted = not self._is_new() and self._queues_at >= self._new_since
                if now >= self._next_at or is_new_wanted:
                    self._under_way, self._from = now, min(now, self._queues_at)
                    return True
                ends = self._asked_at + AWAKE_S
                self._turn.wait(max(0.001, min(self._next_at, ends) - now))

    def _look(self) -> ServerSnapshot:
        """A good look, or one with nothing but its error."""
        server = self._server
        try:
            now_ms, queues = counts(server.client, self._queues)
            return ServerSnapshot(server.name, now_ms, tuple(queues), server.facts())
        except TROUBLE as error:
            return ServerSnapshot(server.name, error=trouble(server, error))
        except Exception as error:
            if not self._is_baffled:
                log.exception("the look at %s failed", server.name)
            self._is_baffled = True
            return ServerSnapshot(server.name, error=trouble(server, error))

    def _keep(self, look: ServerSnapshot) -> None:
        began, now = self._under_way or 0.0, time.monotonic()
        if look.error:
            since = self._seen[1] if self._seen else None
            look = replace(self._last, error=look.error, stale_since=since)
        else:
            self._seen = (now, timezone.now())
            self._is_baffled = False
        self._last, self._last_from = look, self._from
        self._under_way, self._is_waking = None, False
        # A slow server is asked for no more than half of the time.
        self._next_at = began + max(self._every_s(), 2 * (now - began))
