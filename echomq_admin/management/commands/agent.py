"""`manage.py agent`: keeps what the console knows of its servers up to date."""

from __future__ import annotations

import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from echomq_admin.agent import Agent
from echomq_admin.fleet.servers import servers


class Command(BaseCommand):
    help = (
        "Discovers the queues of every server, copies their audit, and, of several agents one, "
        "observes their leases and takes their samples, until SIGTERM or SIGINT."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            fleet = servers()
        except ValueError as error:
            raise CommandError(str(error)) from None
        ends = {signal.SIGTERM, signal.SIGINT}
        # Blocked here, and so in the agent's threads: only the wait below takes them.
        signal.pthread_sigmask(signal.SIG_BLOCK, ends)
        agent = Agent(fleet)
        agent.start()
        signal.sigwait(ends)
        agent.stop()
