"""What the observer has to write, and when: findings at once, with what is known of the leases of
their queues, so that both are there or neither; the rest every few seconds."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.db import DataError, IntegrityError, transaction
from django.db import Error as DatabaseError

from echomq_admin.ledger.endings.book import Finding, enter
from echomq_admin.ledger.observing import blind
from echomq_admin.ledger.observing.lead import Term
from echomq_admin.ledger.observing.shelf import Shelf
from echomq_admin.ledger.observing.watch import Watch

SAVE_EVERY_S = 2.0
# When more queues than this were not seen for the same reason, it is said of the server.
_MOST_PLACES = 3

_UNTOLD = "Endings that were seen could not be written down."

Told = tuple[bytes, Finding]
Span = tuple[int, int]

log = logging.getLogger(__name__)


class Journal:
    """Of one server. What could not be written stays for the next time. `now_ms` is the server's
    clock at the last look."""

    def __init__(self, server_name: str, term: Term) -> None:
        self.now_ms = 0
        self._server_name, self._term = server_name, term
        self._shelf = Shelf(server_name)
        self._found: dict[str, list[Told]] = {}
        self._blind: dict[str, dict[str, Span]] = defaultdict(dict)
        self._unread: dict[str, tuple[int, str]] = {}
        self._changed: set[str] = set()
        self._dropped: set[str] = set()
        self._lost: set[str] = set()
        self._saved_s = float("-inf")

    @property
    def pending(self) -> int:
        """How many findings are not written yet."""
        return sum(map(len, self._found.values()))

    def load(self) -> dict[str, Watch]:
        return self._shelf.load()

    def last_ms(self, watches: Mapping[str, Watch]) -> int:
        """When somebody looked last, as far as these and the ledger tell."""
        return self._shelf.last_ms(watches)

    def found(self, queue: str, told: Iterable[Told]) -> None:
        self._found.setdefault(queue, []).extend(told)

    def changed(self, queue: str) -> None:
        """Its leases are not as they were saved."""
        self._changed.add(queue)

    def drop(self, queue: str) -> None:
        """The queue is gone."""
        self._dropped.add(queue)
        for kept in (self._found, self._unread, *self._blind.values()):
            kept.pop(queue, None)
        self._changed.discard(queue)

    def blind(self, queue: str, from_ms: int, to_ms: int, why: str) -> None:
        """A queue was not seen in a span."""
        first, last = self._blind[why].get(queue, (from_ms, to_ms))
        self._blind[why][queue] = min(first, from_ms), max(last, to_ms)

    def unread(self, queue: str, seen_ms: int | None, fault: str) -> None:
        """The leases of a queue, seen last at `seen_ms`, cannot be read now."""
        if seen_ms is not None:
            self._unread[queue] = seen_ms, fault

    def write(self, watches: Mapping[str, Watch], at_once: bool = False) -> None:
        """Write what has to be; everything when it is time for it. Raises `django.db.Error` and
        `Lost`."""
        is_time = at_once or time.monotonic() - self._saved_s >= SAVE_EVERY_S
        if not (is_time or self.pending):
            return
        seen = {queue: watch for queue, watch in watches.items() if watch.seen_ms is not None}
        try:
            with self._term.held():
                self._write(seen, is_time)
        except IntegrityError:
            # Somebody took out rows that others stand on: all of them are looked for anew.
            self._shelf.forget()
            self._changed |= seen.keys()
            raise
        except BaseException:
            self._shelf.undone()
            raise
        self._shelf.written()
        self._forget(seen, is_time)

    def _write(self, watches: Mapping[str, Watch], is_time: bool) -> None:
        self._shelf.drop(self._dropped)
        blind_ones = {queue for some in self._blind.values() for queue in some}
        self._shelf.begin({*watches, *blind_ones}, self.now_ms)
        for queue, told in self._found.items():
            if told:
                self._enter(queue, [finding for _, finding in told])
        self._write_blind(is_time)
        to_save = self._to_save(watches, is_time)
        self._lost = self._shelf.save({queue: watches[queue] for queue in to_save})
        if is_time:
            self._write_seen(watches)

    def _enter(self, queue: str, findings: list[Finding]) -> None:
        """Whatever is wrong with what was found in one queue stops no other."""
        place = self._shelf.place(queue)
        try:
            with transaction.atomic():
                enter(place, findings)
        except Exception as error:
            if isinstance(error, DatabaseError) and not isinstance(error, DataError):
                raise
            log.exception("endings of %s/%s are left out", self._server_name, ascii(queue))
            first = min(each.ended_ms - each.within_ms for each in findings)
            last = max(each.ended_ms for each in findings)
            blind.note(self._server_name, place, first, last, _UNTOLD)

    def _to_save(self, watches: Mapping[str, Watch], is_time: bool) -> set[str]:
        return watches.keys() & {*self._found, *(self._changed if is_time else ())}

    def _write_blind(self, is_time: bool) -> None:
        spans = {why: dict(some) for why, some in self._blind.items()}
        for queue, (seen_ms, fault) in self._unread.items() if is_time else ():
            why = f"Its leases cannot be read: {fault}."
            spans.setdefault(why, {})[queue] = seen_ms, self.now_ms
        for why, some in spans.items():
            if len(some) > _MOST_PLACES:
                first = min(from_ms for from_ms, _ in some.values())
                last = max(to_ms for _, to_ms in some.values())
                blind.note(self._server_name, None, first, last, why)
                continue
            for queue, span in some.items():
                blind.note(self._server_name, self._shelf.place(queue), *span, why)

    def _write_seen(self, watches: Mapping[str, Watch]) -> None:
        """Of queues whose leases are as they were saved, only when that was seen."""
        at: defaultdict[int, list[str]] = defaultdict(list)
        for queue in watches.keys() - self._to_save(watches, True) - self._unread.keys():
            at[watches[queue].seen_ms or 0].append(queue)
        for seen_ms, queues in at.items():
            self._lost |= self._shelf.seen(queues, seen_ms)

    def _forget(self, watches: Mapping[str, Watch], is_time: bool) -> None:
        """All of it is in the database."""
        for queue in watches.keys() & self._found.keys():
            watches[queue].entered(raw for raw, _ in self._found[queue])
        self._changed = (self._changed - self._to_save(watches, is_time)) | self._lost
        self._found.clear()
        self._blind.clear()
        self._dropped.clear()
        if is_time:
            self._unread.clear()
            self._saved_s = time.monotonic()
