"""One process of the demo: `python -m echomq_admin.demo ROLE URL`."""

from __future__ import annotations

import logging
import sys

import redis

from echomq_admin.demo.roles import ROLES
from echomq_admin.emq.connect import connect
from echomq_admin.startup.stop import Stop

BEAT_S = 0.25
TROUBLE_S = 1.0
log = logging.getLogger(__name__)


def main(role: str, url: str) -> None:
    """Beat until asked to stop; a server that is away is waited for."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    stop = Stop()
    with connect(url) as client:
        task = None
        while not stop.asked:
            try:
                task = task or ROLES[role](client)
                task.beat()
                stop.wait(BEAT_S)
            except (redis.ConnectionError, redis.TimeoutError) as error:
                log.warning("the server does not answer: %s", error)
                stop.wait(TROUBLE_S)
        if task:
            task.leave()


if __name__ == "__main__":
    main(*sys.argv[1:3])
