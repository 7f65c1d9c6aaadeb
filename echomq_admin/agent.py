"""The agent: discovery of every server, again and again, until it is told to stop.

What it has done is in the database after every slice of a pass, so it may be ended at any moment.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable

from django.db import Error as DatabaseError
from django.db import connection

from echomq_admin.fleet.discovery import carry_on, note_failure
from echomq_admin.fleet.discovery import trouble as trouble_of_pass
from echomq_admin.fleet.servers import TROUBLE, Server, trouble

EVERY_S = 10.0
_LEAST_PAUSE_S = 1.0
_FAREWELL_S = 0.5

log = logging.getLogger(__name__)


class Agent:
    """Watches each server in a thread of its own, so that none waits for another.

    `stop` returns within half a second; a thread that is still waiting for its server then
    is left to end with the process.
    """

    def __init__(self, servers: Iterable[Server], every_s: float = EVERY_S) -> None:
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(
                target=_Watch(server, self._stop, every_s).run, name=server.name, daemon=True
            )
            for server in servers
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        deadline = time.monotonic() + _FAREWELL_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))


class _Watch:
    """Passes over one server; says so once when they begin to fail and once when they end to."""

    def __init__(self, server: Server, stop: threading.Event, every_s: float) -> None:
        self._server = server
        self._stop = stop
        self._every_s = every_s
        self._is_troubled = False

    def run(self) -> None:
        while not self._stop.is_set():
            started = time.monotonic()
            self._pass()
            spent = time.monotonic() - started
            self._stop.wait(max(_LEAST_PAUSE_S, self._every_s - spent))
        connection.close()

    def _pass(self) -> None:
        try:
            carry_on(self._server, self._stop)
        except TROUBLE as error:
            self._failed(trouble_of_pass(self._server, error))
        except DatabaseError as error:
            self._failed(f"what {self._server.name} has cannot be remembered: {error}")
            connection.close()
        except Exception as error:
            # Nothing may end the watch: without it, the pages would show old queues for ever.
            self._failed(trouble(self._server, error), error)
            connection.close()
        else:
            self._worked()

    def _failed(self, sentence: str, unforeseen: Exception | None = None) -> None:
        if not self._is_troubled:
            log.warning("%s", sentence, exc_info=unforeseen)
        self._is_troubled = True
        try:
            note_failure(self._server.name, sentence)
        except DatabaseError:
            connection.close()

    def _worked(self) -> None:
        if self._is_troubled:
            log.info("%s is read again", self._server.name)
        self._is_troubled = False
