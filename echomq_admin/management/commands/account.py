"""`manage.py account NAME --role ROLE`: who may sign in, and as what, and who again at once."""

from __future__ import annotations

import secrets

from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from echomq_admin.console.signing.throttle import forgive
from echomq_admin.fleet.names import shown
from echomq_admin.operations.cli.stops import NO_DATABASE, SERVER, no_database
from echomq_admin.operations.roles import Role


class Command(BaseCommand):
    """Make an account, change its role, close it, or forget that its sign-ins failed."""

    help = "Make an account with a role, change the role of one, close or unlock one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--role", choices=[role.value for role in Role])
        parser.add_argument("--close", action="store_true", help="may not sign in any more")
        parser.add_argument(
            "--unlock",
            action="store_true",
            help="may try to sign in again, after too many failures, from wherever that was",
        )

    def handle(
        self, *, name: str, role: str | None, close: bool, unlock: bool, **_: object
    ) -> None:
        if [bool(role), close, unlock].count(True) != 1:
            raise CommandError("Say one of --role viewer, operator or admin, --close, --unlock.")
        try:
            if unlock:
                self._unlock(name)
            elif close:
                self._close(name)
            else:
                self._give(name, str(role))
        except NO_DATABASE as error:
            raise CommandError(no_database(error), returncode=SERVER) from None
        except UnicodeEncodeError:
            raise CommandError(f"{shown(name)} can be no name of an account.") from None

    def _close(self, name: str) -> None:
        if not User.objects.filter(username=name).update(is_active=False):
            raise CommandError(f"There is no account {shown(name)}.")
        self.stdout.write(f"{shown(name)} may not sign in any more. What it did stays on record.")

    def _unlock(self, name: str) -> None:
        if not User.objects.filter(username=name).exists():
            raise CommandError(f"There is no account {shown(name)}.")
        count = forgive(name)
        what = f"Failed sign-ins forgotten: {count:,}." if count else "No sign-in had failed."
        self.stdout.write(f"{shown(name)} may try to sign in again. {what}")

    @transaction.atomic
    def _give(self, name: str, role: str) -> None:
        user, is_new = User.objects.get_or_create(username=name)
        user.is_active = True
        password = secrets.token_urlsafe(12)
        if is_new:
            user.set_password(password)
        user.save()
        user.groups.remove(*Group.objects.filter(name__in=list(Role)))
        user.groups.add(Group.objects.get(name=role))
        self.stdout.write(f"{shown(name)} is {role} now.")
        if is_new:
            self.stdout.write(f"Password, shown this once: {password}")
