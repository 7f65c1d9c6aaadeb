"""`manage.py discover`: one discovery pass now."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from echomq_admin.fleet.discovery import discover
from echomq_admin.fleet.servers import TROUBLE, Server, UnknownServer, server, servers, trouble
from echomq_admin.operations.cli.stops import NO_DATABASE, SERVER, no_database


class Command(BaseCommand):
    help = "Makes one discovery pass over the named servers, or over all, and prints it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("server", nargs="*", help="the name of a server in EMQ_SERVERS")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            chosen = [server(name) for name in options["server"]] or servers()
        except (ValueError, UnknownServer) as error:
            raise CommandError(str(error)) from None
        try:
            failed = [one.name for one in chosen if not self._pass(one)]
        except NO_DATABASE as error:
            raise CommandError(no_database(error), returncode=SERVER) from None
        if failed:
            raise CommandError(f"no pass over {', '.join(failed)}")

    def _pass(self, one: Server) -> bool:
        try:
            found = discover(one)
        except TROUBLE as error:
            self.stderr.write(trouble(one, error))
            return False
        assert found is not None
        self.stdout.write(
            f"{one.name}: {found.queues:,} queues, {found.lanes:,} lanes, "
            f"{found.keys:,} keys looked at, {found.took_ms:,} ms"
        )
        return True
