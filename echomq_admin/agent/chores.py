"""What every agent does, however many there are: they share the work, or one finds it done."""

from __future__ import annotations

import logging
import time
from threading import Event

from django.db import Error as DatabaseError
from django.db import connection

from echomq_admin.agent.work import OnServer, Work
from echomq_admin.fleet.discovery import carry_on, note_failure
from echomq_admin.fleet.discovery import trouble as trouble_of_pass
from echomq_admin.fleet.servers import Server, trouble
from echomq_admin.ledger.copyist import Copyist
from echomq_admin.ledger.endings import keeping
from echomq_admin.operations import trash

TIDY_EVERY_S = 3600.0

log = logging.getLogger(__name__)


class Tidying(Work):
    """Deletes what is old enough, of whatever server."""

    def __init__(self, stop: Event, every_s: float = TIDY_EVERY_S) -> None:
        super().__init__(stop, every_s)

    def _unforeseen(self, error: Exception) -> str:
        return f"{self.unwritten}: {error}"


class Pruning(Tidying):
    """Of the trash."""

    what = "prune the trash"
    unwritten = "what is too old stays in the trash"
    again = "the trash is pruned again"

    def _do(self) -> None:
        trash.prune()


class PruningLedger(Tidying):
    """Of the ledger."""

    what = "prune the ledger"
    unwritten = "what is too old stays in the ledger"
    again = "the ledger is pruned again"

    def _do(self) -> None:
        keeping.prune(self._stop)


class Discovering(OnServer):
    """Passes over the keys of one server; why a pass failed is on its pages."""

    what = "discover"
    unwritten = "what {server} has cannot be remembered"
    again = "{server} is read again"

    def _do(self) -> None:
        carry_on(self._server, self._stop)

    def _troubled(self, error: Exception) -> None:
        self._failed(trouble_of_pass(self._server, error))

    def _failed(self, sentence: str, unforeseen: Exception | None = None) -> None:
        super()._failed(sentence, unforeseen)
        try:
            note_failure(self._server.name, sentence)
        except DatabaseError:
            connection.close()


class Copying(OnServer):
    """Copies the audit of one server into the trail, and now and then tidies up."""

    what = "copy"
    unwritten = "the audit of {server} cannot be copied"
    again = "the audit of {server} is copied again"

    def __init__(self, server: Server, stop: Event, every_s: float) -> None:
        super().__init__(server, stop, every_s)
        self._copyist = Copyist(server)
        self._tidied_at = float("-inf")

    def _do(self) -> None:
        self._copyist.round(self._stop)
        trash.settle(self._server)
        if time.monotonic() - self._tidied_at >= TIDY_EVERY_S:
            self._copyist.tidy()
            self._tidied_at = time.monotonic()

    def _troubled(self, error: Exception) -> None:
        # A server that is out of reach is told of by the passes over its keys.
        log.debug("%s", trouble(self._server, error))
