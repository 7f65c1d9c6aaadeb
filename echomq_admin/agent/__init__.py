"""The agent: discovers what every server has, copies its audit, observes its leases, takes its
samples and tidies up, again and again, until told to stop.

What it has done is in the database after every slice of a pass and every few entries of a stream,
so it may be ended at any moment. Several may run: what only one may do, the one that leads does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

from echomq_admin.agent.chores import Copying, Discovering, Pruning, PruningLedger
from echomq_admin.agent.ledger import works_of_ledger
from echomq_admin.agent.work import Work
from echomq_admin.fleet.servers import Server

EVERY_S = 10.0
COPY_EVERY_S = 2.0
_FAREWELL_S = 0.5


class Agent:
    """Works on each server in threads of its own, so that none waits for another. `every_s` is how
    far passes over the keys of a server are apart.

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
        works: list[Work] = [Pruning(self._stop), PruningLedger(self._stop)]
        for server in servers:
            works.append(Discovering(server, self._stop, every_s))
            works.append(Copying(server, self._stop, copy_every_s))
            works += works_of_ledger(server, self._stop)
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
