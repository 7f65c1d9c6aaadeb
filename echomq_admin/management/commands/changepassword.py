"""`manage.py changepassword NAME`: Django's own, put into the trail."""

from __future__ import annotations

from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError

from echomq_admin.operations import accounts
from echomq_admin.operations.cli.stops import NO_DATABASE, SERVER, no_database


class Command(changepassword.Command):
    """Set a new password, asked for twice."""

    def handle(self, *args: object, **options: object) -> str | None:
        said = super().handle(*args, **options)
        try:
            accounts.password_changed(str(options["username"]))
        except NO_DATABASE as error:
            why = no_database(error)
            raise CommandError(
                f"{said}. It is not in the trail: {why}", returncode=SERVER
            ) from None
        return said
