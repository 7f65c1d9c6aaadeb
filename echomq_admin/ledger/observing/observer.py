"""The observer of one server: looks at all leases in flight, again and again, and enters how they
end. Nothing of it goes by a clock but the server's; intervals go by the monotonic one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping

from echomq_admin.emq import flights
from echomq_admin.emq.flights import Actives, Wanted
from echomq_admin.fleet.discovery import known
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.observing.clock import ServerClock
from echomq_admin.ledger.observing.findings import told
from echomq_admin.ledger.observing.journal import Journal, Leading
from echomq_admin.ledger.observing.pace import Pace
from echomq_admin.ledger.observing.watch import APART, Ended, Look, Seen, Watch

# The rows of so many new leases are looked at in one beat, of all queues together.
MOST_ROWS = 20_000
# While so much could not be written, nothing more is looked at.
_MOST_PENDING = 20_000
_NOBODY = "No agent observed the leases."
_BROKEN = "What was known of the leases could not be gone on with."

log = logging.getLogger(__name__)


class Observer:
    """Observes while a lead is held; what it learned is of no use after that."""

    def __init__(self, server: Server, lead: Leading) -> None:
        self._server = server
        self._clock = ServerClock()
        self._pace = Pace()
        self._journal = Journal(server.name, lead)
        self._watches: dict[str, Watch] = {}
        self._turns: dict[str, int] = {}
        self._ended: dict[str, list[Ended]] = {}
        self._loaded: set[str] | None = None
        self._broken: set[str] = set()

    def beat(self) -> float:
        """Look at the queues whose turn it is, at all when it is nobody's; seconds until the next
        turn.

        Raises redis-py's errors, `django.db.Error` and `lead.Lost`; what was seen until then is
        written by the next beat that comes so far.
        """
        self._pace.begin()
        self._follow()
        if self._journal.pending < _MOST_PENDING:
            self._look(self._pace.due(self._watches))
        self._tell()
        self._journal.write(self._watches)
        return self._pace.pause_s()

    def close(self) -> None:
        """Keep what is known, for the next who observes. Raises as `beat`."""
        if self._loaded is not None and not any(self._ended.values()):
            self._journal.write(self._watches, at_once=True)

    def _follow(self) -> None:
        """Watch the queues that are known, and no others."""
        queues = known(self._server.name)
        if self._loaded is None:
            self._watches = self._journal.load()
            self._loaded = set(self._watches)
        for queue in self._watches.keys() - queues.keys():
            self._forget(queue)
            self._journal.drop(queue)
        for queue in queues.keys() - self._watches.keys():
            self._watches[queue] = Watch()

    def _forget(self, queue: str) -> None:
        for kept in (self._watches, self._turns, self._ended):
            kept.pop(queue, None)

    def _look(self, queues: Collection[str]) -> None:
        began_s = time.monotonic()
        actives = flights.active_sets(self._server.client, queues)
        self._clock.read(actives.after_ms, began_s, time.monotonic())
        self._journal.now_ms = actives.after_ms
        wanted = self._wanted(actives)
        asked = {queue: each for queue, each in wanted.items() if _is_any(each)}
        until_ms, sights = actives.after_ms, {}
        if asked:
            seen = flights.sights(self._server.client, asked)
            until_ms, sights = seen.until_ms, seen.of
        for queue, each in wanted.items():
            self._take(queue, actives, each, sights.get(queue, {}), until_ms)

    def _wanted(self, actives: Actives) -> dict[str, Wanted]:
        """The rows to look at, of the queues that can be read."""
        wanted: dict[str, Wanted] = {}
        left = MOST_ROWS
        for queue, active in actives.sets.items():
            if active.fault:
                self._journal.unread(queue, self._watches[queue].seen_ms, active.fault)
                self._pace.skipped(queue)
                continue
            look = self._at(queue, actives, actives.after_ms)
            try:
                wanted[queue] = self._watches[queue].news(active, look, left)
            except Exception:
                self._begin_anew(queue, self._watches[queue].seen_ms, look)
            else:
                left -= len(wanted[queue].fresh)
        return wanted

    def _at(self, queue: str, actives: Actives, until_ms: int) -> Look:
        """The look at one queue. The clock may have been set back since the one before."""
        seen_ms = self._watches[queue].seen_ms or 0
        is_back = self._turns.get(queue, self._clock.turns) != self._clock.turns
        if seen_ms > actives.after_ms and not is_back:
            # Before anybody here looked.
            return Look(actives.before_ms, actives.after_ms, until_ms, True, seen_ms)
        high_ms = self._clock.high_ms if is_back else 0
        return Look(actives.before_ms, actives.after_ms, until_ms, is_back, high_ms)

    def _take(
        self,
        queue: str,
        actives: Actives,
        wanted: Wanted,
        sights: Mapping[bytes, flights.Sight],
        until_ms: int,
    ) -> None:
        """Take in what was seen of one queue; whatever is wrong with it stops no other."""
        watch, look = self._watches[queue], self._at(queue, actives, until_ms)
        since_ms = watch.seen_ms
        try:
            seen = watch.take(actives.sets[queue], wanted, sights, look)
        except Exception:
            self._begin_anew(queue, since_ms, look)
            return
        self._turns[queue] = self._clock.turns
        self._pace.looked(queue, watch, look.after_ms)
        self._note(queue, seen, look)

    def _note(self, queue: str, seen: Seen, look: Look) -> None:
        self._ended.setdefault(queue, []).extend(seen.ended)
        if seen.is_changed:
            self._journal.changed(queue)
        if seen.gap:
            self._journal.blind(queue, *seen.gap[:2], self._why(queue, seen.gap[2], look))
        if self._loaded:
            self._loaded.discard(queue)

    def _why(self, queue: str, why: str, look: Look) -> str:
        if look.is_back:
            back_s = max(1, round((look.high_ms - look.after_ms) / 1_000))
            return f"The server's clock was set back by about {back_s} s."
        is_first = self._loaded is not None and queue in self._loaded
        return _NOBODY if is_first and why == APART else why

    def _begin_anew(self, queue: str, since_ms: int | None, look: Look) -> None:
        if queue not in self._broken:
            log.exception("the leases of %s/%s are watched anew", self._server.name, ascii(queue))
        self._broken.add(queue)
        self._watches[queue] = Watch()
        self._journal.changed(queue)
        self._journal.blind(queue, since_ms or look.before_ms, look.after_ms, _BROKEN)

    def _tell(self) -> None:
        """Judge what has ended, queue by queue."""
        ended = {queue: some for queue, some in self._ended.items() if some}
        found = told(self._server.client, ended)
        self._ended.clear()
        for queue, some in found.items():
            self._journal.found(queue, some)


def _is_any(wanted: Wanted) -> bool:
    return bool(wanted.fresh or wanted.known or wanted.gone)
