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
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from echomq_admin.emq.reads import QueueCounts, counts
from echomq_admin.fleet.discovery import known
from echomq_admin.fleet.pace import Pace
from echomq_admin.fleet.rounds import Known, Rounds, portions
from echomq_admin.fleet.servers import TROUBLE, Facts, Server, trouble
from echomq_admin.fleet.sight import ServerSnapshot, Sight

AWAKE_S = 10.0  # so long after the last question the looks go on
PATIENCE_S = 1.0  # so long a question waits for a look that has to be new
_FAREWELL_S = 0.5

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Look:
    """A look under way: when it began, and the moment of which it tells at least."""

    began: float
    of: float
    queues: dict[str, Sequence[str]]


class Lookout:
    """The last look at a server, and the thread that takes the next while it is wanted.

    All times are of the monotonic clock. `every_s` says how far apart the looks begin.
    """

    def __init__(self, server: Server, every_s: Callable[[], float]) -> None:
        self._server = server
        self._every_s = every_s
        self._reading = threading.Lock()
        self._known_at = float("-inf")
        self._rounds = Rounds()
        self._pace = Pace()
        self._sight = Sight(server)
        self._turn = threading.Condition()
        self._thread: threading.Thread | None = None
        self._asked_at = float("-inf")
        self._new_since = float("-inf")  # a look that began before this is too old
        self._all_since = float("-inf")  # so is what was read of any queue before this
        self._is_behind = True  # some queue was not read since then
        self._is_pressed = False  # somebody waits for a queue that was not read lately
        self._under_way: _Look | None = None
        self._heard_at = float("-inf")  # when the server has answered last
        self._last_of = float("-inf")
        self._is_baffled = False
        server.when_closed.append(self.end)

    def ask(self, queues: Collection[str] = ()) -> None:
        """Let there be looks from now on, and these queues be read by each of them.

        Reads the database at most as often as a look is due.
        """
        now = time.monotonic()
        with self._turn:
            if now - self._asked_at > AWAKE_S:
                self._new_since = self._all_since = now
                self._is_behind = True
                self._sight.wake()
            self._asked_at = now
            self._rounds.want(queues, now)
            since = max(self._new_since, now - self._every_s())
        self._read_known(since)
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

    def tell(self, queues: Collection[str] = ()) -> ServerSnapshot:
        """The last look. Waits for one that has to be new, and until these queues were read in
        the last second or so; but not beyond `PATIENCE_S` after that was first wanted, whoever
        asks."""
        with self._turn:
            self._wait(self._is_whole, self._new_since)
            if self._is_new() and not self._sight.failed:
                since = self._fresh_since()
                self._press(since, queues)
                self._wait(
                    lambda: self._rounds.are_read(since, queues), self._rounds.wanted_since(queues)
                )
            return self._told(time.monotonic())

    def _told(self, now: float) -> ServerSnapshot:
        look, heard_at = self._under_way, self._heard_at
        if look is None:
            return self._sight.told(now, 0.0, self._rounds.known)
        waits_s = now - max(look.began, heard_at)
        return self._sight.told(now, waits_s, self._rounds.known, heard_at >= look.began)

    def end(self) -> None:
        """Take no more looks, the server being closed. Waits half a second for one under way."""
        with self._turn:
            thread = self._thread
            self._turn.notify_all()
        if thread is not None:
            thread.join(_FAREWELL_S)

    def _read_known(self, since: float) -> None:
        """Ask the database for the queues of the server, unless that was done since then."""
        with self._reading:
            if self._known_at >= since:
                return
            now, queues = time.monotonic(), known(self._server.name)
            with self._turn:
                self._known_at = now
                if self._rounds.know(queues):
                    self._new_since = now

    def _is_new(self) -> bool:
        return self._server.is_closed or self._last_of >= self._new_since

    def _is_whole(self) -> bool:
        return self._is_new() and not self._is_behind

    def _fresh_since(self) -> float:
        """A wanted queue that was read before this is not as new as the looks could have it."""
        now = time.monotonic()
        looks = self._rounds.looks_for_wanted(now)
        return max(self._new_since, self._pace.oldest(now, looks, self._every_s()))

    def _press(self, since: float, queues: Collection[str]) -> None:
        """Have a look soon when these queues were not read since then."""
        if not self._rounds.are_read(since, queues):
            self._is_pressed = True
            self._turn.notify_all()

    def _wait(self, is_done: Callable[[], bool], wanted_at: float) -> None:
        """Wait in vain no longer than `PATIENCE_S` after it was wanted, nor for a failed look."""

        def is_over() -> bool:
            has_failed = self._is_new() and self._sight.failed is not None
            return self._server.is_closed or has_failed or is_done()

        self._turn.wait_for(is_over, max(0.0, wanted_at + PATIENCE_S - time.monotonic()))

    def _watch(self) -> None:
        while look := self._next():
            sentence, worked_s = self._look(look)
            with self._turn:
                if sentence is not None:
                    self._sight.fail(sentence)
                self._end(look, worked_s)
                self._turn.notify_all()
        if self._server.is_closed:
            self._server.client.connection_pool.disconnect()

    def _next(self) -> _Look | None:
        """Wait for the next look; `None` when it is not wanted any more."""
        with self._turn:
            while True:
                now = time.monotonic()
                if self._server.is_closed or now - self._asked_at > AWAKE_S:
                    self._thread = None
                    return None
                if self._is_due(now):
                    return self._begin(now, only_wanted=False)
                if self._is_pressed and now >= self._pace.soon_at:
                    return self._begin(now, only_wanted=True)
                self._turn.wait(max(0.001, self._due_at() - now))

    def _is_due(self, now: float) -> bool:
        is_new_wanted = not self._is_new() and self._known_at >= self._new_since
        is_left_over = self._is_behind and not self._sight.failed and now >= self._pace.half_at
        return is_new_wanted or is_left_over or now >= self._pace.regular_at

    def _due_at(self) -> float:
        times = [self._asked_at + AWAKE_S, self._pace.regular_at]
        if self._is_pressed:
            times.append(self._pace.soon_at)
        if self._is_behind and not self._sight.failed:
            times.append(self._pace.half_at)
        return min(times)

    def _begin(self, now: float, only_wanted: bool) -> _Look:
        queues = self._rounds.take(now, only_wanted)
        self._is_pressed = False
        self._under_way = _Look(now, min(now, self._known_at), queues)
        return self._under_way

    def _look(self, look: _Look) -> tuple[str | None, float]:
        """Ask the server; each part is told as soon as it is read. The trouble as a sentence, if
        there was any, and how long this worked."""
        server, before_s = self._server, time.thread_time()
        try:
            facts = server.facts()
            self._hear()
            for part in portions(look.queues):
                self._keep(look, part, *counts(server.client, part, self._hear), facts)
        except TROUBLE as error:
            return trouble(server, error), 0.0
        except Exception as error:
            if not self._is_baffled:
                log.exception("the look at %s failed", server.name)
            self._is_baffled = True
            return trouble(server, error), 0.0
        self._is_baffled = False
        return None, time.thread_time() - before_s

    def _hear(self) -> None:
        self._heard_at = time.monotonic()  # read by others without a lock: it is one value

    def _keep(
        self, look: _Look, part: Known, now_ms: int, read: list[QueueCounts], facts: Facts
    ) -> None:
        with self._turn:
            self._rounds.read(part, look.began)
            self._is_behind = not self._rounds.are_read(self._all_since)
            self._sight.keep(time.monotonic(), now_ms, read, self._rounds.known, facts)
            self._last_of = look.of
            self._turn.notify_all()

    def _end(self, look: _Look, worked_s: float) -> None:
        self._last_of, self._under_way = look.of, None
        self._pace.took(look.began, time.monotonic(), worked_s, self._every_s())
