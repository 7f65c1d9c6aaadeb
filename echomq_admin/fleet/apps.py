"""The settings of the fleet are checked by `manage.py check` and before every command that asks."""

from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register


class FleetConfig(AppConfig):
    name = "echomq_admin.fleet"

    def ready(self) -> None:
        register(settings_are_readable)


def settings_are_readable(**_: object) -> list[CheckMessage]:
    """EMQ_SERVERS and EMQ_QUEUES, each an error with its sentence when it cannot be read."""
    # The servers are those of an installed app, so they are read only now.
    from echomq_admin.fleet import patterns, servers  # noqa: PLC0415

    found = []
    for number, read in (
        ("E001", lambda: servers.parse(settings.EMQ_SERVERS)),
        ("E002", patterns.patterns),
    ):
        try:
            read()
        except servers.UnreadableSetting as error:
            hint = "Correct it and start the console again."
            found.append(Error(f"{error}.", hint=hint, id=f"echomq.{number}"))
    return found
