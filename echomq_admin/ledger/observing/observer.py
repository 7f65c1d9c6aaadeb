"""The observer of one server: looks at all leases in flight, again and again, and enters how they
end. Nothing of it goes by a clock but the server's; intervals go by the monotonic one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping
from dataclasses import replace

from echomq_admin.emq import flights
from echomq_admin.emq.sights import Actives, Rows, Wanted
from echomq_admin.fleet.discovery import known
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.observing.findings import told
from echomq_admin.ledger.observing.journal import Journal
from echomq_admin.ledger.observing.lead import Term
from echomq_admin.ledger.observing.looks import APART, Look, Seen
from echomq_admin.ledger.observing.pace import Pace
from echomq_admin.ledger.observing.setback import ServerClock
from echomq_admin.ledger.observing.watch import Watch

# The rows of so many new leases are looked at in one beat, of all queues together, and of so many
# that were known.
MOST_ROWS, MOST_KNOWN = 5_000, 20_000
# While so much could not be written, nothing more is looked at.
_MOST_PENDING = 20_000
# So many queues that were forgotten are known when they come back.
_MOST_GONE = 10_000
_NOBODY = "No agent observed the leases."
_BROKEN = "What was known of the leases could not be gone on with."

log = logging.getLogger(__name__)


class Observer:
    """Observes while a lead is held; what it learned is of no use after that."""

    def __init__(self, server: Server, term: Term) -> None:
        self._server = server
        self._clock = ServerClock()
        self._pace = Pace()
        self._journal = Journal(server.name, term)
        self._watches: dict[str, Watch] = {}
        self._turns: dict[str, int] = {}
        self._ended: dict[str, list[Seen]] = {}
        self._loaded: set[str] | None = None
        self._last_ms = 0
        self._gone: dict[str, int | None] = {}
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
        if self._loaded is not None and not self._ended:
            self._journal.write(self._watches, at_once=True)

    def _follow(self) -> None:
        """Watch the queues that are known, and no others."""
        queues = known(self._server.name)
        if self._loaded is None:
            self._watches = self._journal.load()
            self._last_ms = self._journal.last_ms(self._watches)
            self._loaded = set(self._watches)
        for queue in self._watches.keys() - queues.keys():
            self._gone[queue] = self._watches[queue].seen_ms
            for kept in (self._watches, self._turns, self._ended):
                kept.pop(queue, None)
            self._journal.drop(queue)
            if len(self._gone) > _MOST_GONE:
                del self._gone[next(iter(self._gone))]
        for queue in queues.keys() - self._watches.keys():
            since_ms = self._gone.pop(queue, None)
            self._watches[queue] = Watch(seen_ms=since_ms)
            if since_ms is not None:
                self._loaded.add(queue)

    def _look(self, queues: Collection[str]) -> None:
        began_s = time.monotonic()
        counted = {queue for queue in queues if self._watches[queue].can_count}
        actives = flights.active_sets(self._server.client, queues, counted)
        self._clock.read(actives.after_ms, began_s, time.monotonic())
        self._journal.now_ms = actives.after_ms
        looks = {queue: self._at(queue, actives) for queue in actives.sets}
        wanted = self._wanted(actives, looks)
        asked = {queue: each for queue, each in wanted.items() if each.is_any}
        until_ms, rows = actives.after_ms, {}
        if asked:
            seen = flights.sights(self._server.client, asked)
            until_ms, rows = seen.until_ms, seen.of
        for queue, each in wanted.items():
            look = replace(looks[queue], until_ms=until_ms)
            self._take(queue, actives, each, rows.get(queue, Rows()), look)

    def _wanted(self, actives: Actives, looks: Mapping[str, Look]) -> dict[str, Wanted]:
        """The rows to look at, of the queues that can be read."""
        wanted: dict[str, Wanted] = {}
        new, known = MOST_ROWS, MOST_KNOWN
        for queue, active in actives.sets.items():
            watch = self._watches[queue]
            if active.fault:
                self._journal.unread(queue, watch.seen_ms, active.fault)
                self._pace.skipped(queue)
                continue
            try:
                each = watch.news(active, looks[queue], new, known)
            except Exception:
                self._begin_anew(queue, watch.seen_ms, looks[queue])
                continue
            wanted[queue] = each
            new, known = new - len(each.fresh), known - len(each.known) - len(each.gone)
        return wanted

    def _at(self, queue: str, actives: Actives) -> Look:
        """The look at one queue. The clock may have been set back since the one before."""
        seen_ms = self._watches[queue].seen_ms or 0
        is_back = self._turns.get(queue, self._clock.turns) != self._clock.turns
        high_ms = self._clock.high_ms if is_back else 0
        if seen_ms > actives.after_ms and not is_back:
            # Before anybody here looked.
            is_back, high_ms = True, seen_ms
        return Look(actives.before_ms, actives.after_ms, actives.after_ms, is_back, high_ms)

    def _take(self, queue: str, actives: Actives, wanted: Wanted, rows: Rows, look: Look) -> None:
        """Take in what was seen of one queue; whatever is wrong with it stops no other."""
        watch = self._watches[queue]
        since_ms = watch.seen_ms
        try:
            seen = watch.take(actives.sets[queue], wanted, rows, look)
        except Exception:
            self._begin_anew(queue, since_ms, look)
            return
        self._turns[queue] = self._clock.turns
        self._pace.looked(queue, watch, look.after_ms)
        if wanted.is_any:
            self._journal.changed(queue)
        self._note(queue, seen, look)

    def _note(self, queue: str, seen: Seen, look: Look) -> None:
        if seen.ended:
            self._ended.setdefault(queue, []).append(seen)
        if seen.gap:
            self._note_gap(queue, *seen.gap, look)
        if self._loaded:
            self._loaded.discard(queue)

    def _note_gap(self, queue: str, from_ms: int, to_ms: int, why: str, look: Look) -> None:
        if look.is_back:
            back_s = max(1, round((look.high_ms - look.after_ms) / 1_000))
            why = f"The server's clock was set back by about {back_s} s."
        elif why == APART and self._loaded and queue in self._loaded:
            # All queues are looked at within a moment: what was written last tells of all.
            from_ms, why = min(max(from_ms, self._last_ms), to_ms), _NOBODY
        self._journal.blind(queue, from_ms, to_ms, why)

    def _begin_anew(self, queue: str, since_ms: int | None, look: Look) -> None:
        if queue not in self._broken:
            log.exception("the leases of %s/%s are watched anew", self._server.name, ascii(queue))
        self._broken.add(queue)
        self._watches[queue] = Watch()
        self._journal.changed(queue)
        self._journal.blind(queue, since_ms or look.before_ms, look.after_ms, _BROKEN)

    def _tell(self) -> None:
        """Judge what has ended, queue by queue."""
        found = told(self._server.client, self._ended, self._broke)
        self._ended.clear()
        for queue, some in found.items():
            self._journal.found(queue, some)

    def _broke(self, queue: str) -> None:
        """What has ended in a queue cannot be told."""
        windows = [one.window for seen in self._ended[queue] for one in seen.ended]
        spans = min(each.from_ms for each in windows), max(each.to_ms for each in windows)
        log.exception("the endings of %s/%s are left out", self._server.name, ascii(queue))
        self._journal.blind(queue, *spans, _BROKEN)
