"""`manage.py account NAME --role ROLE`: who may sign in, and as what, and who again at once."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser

from echomq_admin.fleet.names import shown
from echomq_admin.operations import accounts
from echomq_admin.operations.cli.stops import NO_DATABASE, SERVER, no_database
from echomq_admin.operations.roles import Role


class Command(BaseCommand):
    """Make an account, change its role, close it, or forget that sign-ins failed."""

    help = "Make an account with a role, change the role of one, close or unlock one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        deed = parser.add_mutually_exclusive_group(required=True)
        deed.add_argument("--role", choices=[role.value for role in Role])
        deed.add_argument("--close", action="store_true", help="may not sign in any more")
        deed.add_argument(
            "--unlock",
            action="store_true",
            help="may try to sign in again, after too many failures, from wherever that was",
        )

    def handle(self, *, name: str, role: str | None, **given: object) -> None:
        try:
            for line in self._done(name, role, given):
                self.stdout.write(line)
        except accounts.NoAccount as error:
            raise CommandError(str(error)) from None
        except NO_DATABASE as error:
            raise CommandError(no_database(error), returncode=SERVER) from None
        except UnicodeEncodeError:
            raise CommandError(f"{shown(name)} can be no name of an account.") from None

    def _done(self, name: str, role: str | None, given: dict[str, object]) -> list[str]:
        """Do it, and say so."""
        who = shown(name)
        if given["unlock"]:
            count = accounts.unlock(name)
            what = f"Failed sign-ins forgotten: {count:,}." if count else "No sign-in had failed."
            return [f"{who} may try to sign in again. {what}"]
        if given["close"]:
            accounts.close(name)
            return [f"{who} may not sign in any more. What it did stays on record."]
        password = accounts.give(name, str(role))
        once = [f"Password, shown this once: {password}"] if password else []
        return [f"{who} is {role} now.", *once]
