"""The agent: discovers what every server has, copies its audit and tidies the trash, again and
again, until told to stop.

What it has done is in the database after every slice of a pass and every few entries of a stream,
so it may be ended at any moment.
"""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable

from django.db import Error as DatabaseError
from django.db import connection

from echomq_admin.fleet.discovery import carry_on, note_failure
from echomq_admin.fleet.discovery import trouble as trouble_of_pass
from echomq_admin.fleet.servers import TROUBLE, Server, trouble
from echomq_admin.ledger.copyist import Copyist
from echomq_admin.operations import trash

EVERY_S = 10.0
COPY_EVERY_S = 2.0
TIDY_EVERY_S = 3600.0
_LEAST_PAUSE_S = 1.0
_FAREWELL_S = 0.5

log = logging.getLogger(__name__)


class Agent:
    """Works on each server in threads of its own, so that none waits for another.

    `stop` returns within half a second; a thread that is still waiting for its server then
    is left to end with the process.
    """

    def __init__(
        self,
        servers: Iterable[Server],
        every_s: float = EVERY_S,
        copy_every_s: float = COPY_EVERY_S,
    ) -> None:
        self._stop = threading.Event()
        works: list[_Work] = [_Pruning(self._stop)]
        for server in servers:
            works.append(_Discovering(server, self._stop, every_s))
            works.append(_Copying(server, self._stop, copy_every_s))
        self._threads = [
            threading.Thread(target=work.run, name=work.name, daemon=True) for work in works
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        deadline = time.monotonic() + _FAREWELL_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))


class _Work(ABC):
    """Something done again and again.

    Says once when it begins to fail and once when it ends to.
    """

    what = ""

    def __init__(self, stop: threading.Event, every_s: float) -> None:
        self.name = self.what
        self._stop = stop
        self._every_s = every_s
        self._is_troubled = False

    def run(self) -> None:
        while not self._stop.is_set():
            started = time.monotonic()
            self._try()
            spent = time.monotonic() - started
            self._stop.wait(max(_LEAST_PAUSE_S, self._every_s - spent))
        connection.close()

    def _try(self) -> None:
        try:
            self._do()
        except TROUBLE as error:
            self._troubled(error)
        except DatabaseError as error:
            self._failed(f"{self._unwritten()}: {error}")
            connection.close()
        except Exception as error:
            # Nothing may end the work: without it, the pages would show what is old for ever.
            self._failed(self._unforeseen(error), error)
            connection.close()
        else:
            self._worked()

    @abstractmethod
    def _do(self) -> None:
        """One round."""

    def _troubled(self, error: Exception) -> None:
        """The server failed, or the way to it."""
        self._failed(self._unforeseen(error))

    @abstractmethod
    def _unforeseen(self, error: Exception) -> str:
        """A failure of any kind, in words."""

    @abstractmethod
    def _unwritten(self) -> str:
        """What it means that the database failed."""

    def _failed(self, sentence: str, unforeseen: Exception | None = None) -> None:
        if not self._is_troubled:
            log.warning("%s", sentence, exc_info=unforeseen)
        self._is_troubled = True

    def _worked(self) -> None:
        if self._is_troubled:
            log.info("%s", self._again())
        self._is_troubled = False

    @abstractmethod
    def _again(self) -> str:
        """That it works again."""


class _Pruning(_Work):
    """Deletes what was in the trash for long enough, of whatever server."""

    what = "prune the trash"

    def __init__(self, stop: threading.Event, every_s: float = TIDY_EVERY_S) -> None:
        super().__init__(stop, every_s)

    def _do(self) -> None:
        trash.prune()

    def _unforeseen(self, error: Exception) -> str:
        return f"{self._unwritten()}: {error}"

    def _unwritten(self) -> str:
        return "what is too old stays in the trash"

    def _again(self) -> str:
        return "the trash is pruned again"


class _OnServer(_Work):
    """Something done to one server again and again."""

    def __init__(self, server: Server, stop: threading.Event, every_s: float) -> None:
        super().__init__(stop, every_s)
        self.name = f"{self.what} {server.name}"
        self._server = server

    def _unforeseen(self, error: Exception) -> str:
        return trouble(self._server, error)


class _Discovering(_OnServer):
    """Passes over the keys of one server; why a pass failed is on its pages."""

    what = "discover"

    def _do(self) -> None:
        carry_on(self._server, self._stop)

    def _troubled(self, error: Exception) -> None:
        self._failed(trouble_of_pass(self._server, error))

    def _unwritten(self) -> str:
        return f"what {self._server.name} has cannot be remembered"

    def _failed(self, sentence: str, unforeseen: Exception | None = None) -> None:
        super()._failed(sentence, unforeseen)
        try:
            note_failure(self._server.name, sentence)
        except DatabaseError:
            connection.close()

    def _again(self) -> str:
        return f"{self._server.name} is read again"


class _Copying(_OnServer):
    """Copies the audit of one server into the trail, and now and then tidies up."""

    what = "copy"

    def __init__(self, server: Server, stop: threading.Event, every_s: float) -> None:
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

    def _unwritten(self) -> str:
        return f"the audit of {self._server.name} cannot be copied"

    def _again(self) -> str:
        return f"the audit of {self._server.name} is copied again"
