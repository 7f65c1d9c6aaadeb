"""Something done again and again until the agent stops, whatever fails meanwhile."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from threading import Event

from django.db import Error as DatabaseError
from django.db import connection

from echomq_admin.fleet.servers import TROUBLE, Server, trouble

_LEAST_PAUSE_S = 1.0

log = logging.getLogger(__name__)


class Work(ABC):
    """Something done again and again.

    Says once when it begins to fail and once when it ends to: `unwritten` is what it means that the
    database failed, `again` that it works again, both with `{server}` for the name of the server.
    """

    what = unwritten = again = ""

    def __init__(self, stop: Event, every_s: float) -> None:
        self.name = self.what
        self._stop = stop
        self._every_s = every_s
        self._is_troubled = False

    def run(self) -> None:
        while not self._stop.is_set():
            started = time.monotonic()
            pause_s = self._try()
            spent = time.monotonic() - started
            if pause_s is None:
                pause_s = max(_LEAST_PAUSE_S, self._every_s - spent)
            self._stop.wait(pause_s)
        self._leave()

    def _try(self) -> float | None:
        try:
            pause_s = self._do()
        except TROUBLE as error:
            self._troubled(error)
        except DatabaseError as error:
            self._failed(self._refused(error))
            connection.close()
        except Exception as error:
            # Nothing may end the work: without it, the pages would show what is old for ever.
            self._failed(self._unforeseen(error), error)
            connection.close()
        else:
            self._worked()
            return pause_s
        return None

    def _leave(self) -> None:
        """The last that is done, when the agent stops."""
        connection.close()

    def _at_last(self, do: Callable[[], None]) -> None:
        """Do something that is not tried again; what hinders it is said."""
        try:
            do()
        except DatabaseError as error:
            log.warning("%s", self._refused(error))
        except Exception as error:
            log.warning("%s", self._unforeseen(error))

    @abstractmethod
    def _do(self) -> float | None:
        """One round; the seconds until the next, `None` for those of `every_s`."""

    def _troubled(self, error: Exception) -> None:
        """The server failed, or the way to it."""
        self._failed(self._unforeseen(error))

    @abstractmethod
    def _unforeseen(self, error: Exception) -> str:
        """A failure of any kind, in words."""

    def _refused(self, error: DatabaseError) -> str:
        """In one line what the database says, which may be several."""
        return f"{self._told(self.unwritten)}: {' '.join(str(error).split())}"

    def _told(self, sentence: str) -> str:
        return sentence

    def _failed(self, sentence: str, unforeseen: Exception | None = None) -> None:
        if not self._is_troubled:
            log.warning("%s", sentence, exc_info=unforeseen)
        self._is_troubled = True

    def _worked(self) -> None:
        if self._is_troubled:
            log.info("%s", self._told(self.again))
        self._is_troubled = False


class OnServer(Work):
    """Something done to one server again and again."""

    def __init__(self, server: Server, stop: Event, every_s: float) -> None:
        super().__init__(stop, every_s)
        self.name = f"{self.what} {server.name}"
        self._server = server

    def _told(self, sentence: str) -> str:
        return sentence.format(server=self._server.name)

    def _unforeseen(self, error: Exception) -> str:
        return trouble(self._server, error)
