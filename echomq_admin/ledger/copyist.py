"""Keeps all audit streams of one server copied, round after round."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from itertools import islice
from threading import Event

from django.db import Error as DatabaseError
from redis.exceptions import ResponseError

from echomq_admin.emq import audit_news
from echomq_admin.emq.audit_news import Stream
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import TROUBLE, Server, masked
from echomq_admin.ledger import copying, presses, stuck
from echomq_admin.ledger.gaps import Mark, is_replaced
from echomq_admin.ledger.trimming import trim

# A whole round looks at streams without news too: one may have been deleted, or be too long.
WHOLE_EVERY = 30
# An answer holds the first entry of each stream asked for, or its first and last.
_AT_ONCE = 100

log = logging.getLogger(__name__)


class Copyist:
    """Copies what is new, first in one look at all streams, then stream by stream."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._rounds = 0
        self._faults: dict[str, str] = {}
        self._is_complete = False

    def round(self, stop: Event) -> None:
        """Copy what every stream holds by now. Raises redis-py's errors and `django.db.Error`.

        A stream that cannot be read, and what nobody foresaw in one, stops no other.
        """
        self._is_complete = False
        is_whole = self._rounds % WHOLE_EVERY == 0
        marks = copying.marks(self._server.name)
        unread: dict[str, str] = {}
        for some in _portions(marks):
            if stop.is_set():
                return
            part = {queue: marks[queue] for queue in some}
            unread |= self._copy_news(part, stop)
            if is_whole:
                unread |= self._look_at_all(part, stop)
        self._rounds += 1
        self._tell(unread)
        stuck.are(self._server, unread)
        self._is_complete = not stop.is_set()

    def tidy(self) -> None:
        """Forget what is not needed once everything is copied: old presses. Raises
        `django.db.Error`."""
        if self._is_complete:
            presses.prune(self._server.name, self._faults)

    def _copy_news(self, part: dict[str, Mark], stop: Event) -> dict[str, str]:
        last_ids = {queue: mark.last_id for queue, mark in part.items()}
        found, faults = audit_news.news(self._server.client, last_ids)
        for queue in found:
            faults |= self._copy(queue, stop)
        return faults

    def _look_at_all(self, part: dict[str, Mark], stop: Event) -> dict[str, str]:
        faults: dict[str, str] = {}
        for queue, stream in audit_news.streams(self._server.client, part).items():
            if is_replaced(part[queue], stream):
                faults |= self._copy(queue, stop)
            else:
                self._trim(queue, stream)
        return faults

    def _copy(self, queue: str, stop: Event) -> dict[str, str]:
        """Copy one stream to its end; why that cannot be, if it cannot."""
        try:
            step = self._to_the_end(queue, stop)
        except (*TROUBLE, DatabaseError):
            raise
        except Exception as error:
            if queue not in self._faults:
                log.exception("the audit of %s/%s", self._server.name, shown(queue))
            return {queue: f"{type(error).__name__}: {error}"}
        if step.fault:
            return {queue: step.fault}
        if step.stream:
            self._trim(queue, step.stream)
        return {}

    def _to_the_end(self, queue: str, stop: Event) -> copying.Step:
        step = copying.Step(0, True)
        while step.more and not stop.is_set():
            step = copying.copy_piece(self._server, queue, step.count)
        return step

    def _trim(self, queue: str, stream: Stream) -> None:
        """A server may refuse: its stream then keeps what its scripts leave in it."""
        try:
            trim(self._server, queue, stream)
        except ResponseError as error:
            log.debug("the audit of %s is not cut: %s", shown(queue), error)

    def _tell(self, unread: dict[str, str]) -> None:
        """Say once why streams cannot be read; where many cannot, one is named."""
        for fault, queues in _by_fault(unread).items():
            if fault not in self._faults.values():
                others = f" and {len(queues) - 1:,} more" if len(queues) > 1 else ""
                place = f"{self._server.name}/{shown(queues[0])}{others}"
                why = masked(self._server, fault)
                log.warning("the audit of %s cannot be copied: %s", place, why)
        self._faults = unread


def _by_fault(unread: dict[str, str]) -> dict[str, list[str]]:
    queues: dict[str, list[str]] = {}
    for queue, fault in unread.items():
        queues.setdefault(fault, []).append(queue)
    return queues


def _portions(queues: Iterable[str]) -> Iterator[list[str]]:
    each = iter(queues)
    while some := list(islice(each, _AT_ONCE)):
        yield some
