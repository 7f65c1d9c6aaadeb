"""Keeps the three groups present after every migrate."""

from __future__ import annotations

import contextlib

from django.apps import AppConfig, apps
from django.apps.registry import Apps
from django.db.models.signals import post_migrate


class OperationsConfig(AppConfig):
    name = "echomq_admin.operations"

    def ready(self) -> None:
        post_migrate.connect(_ensure_roles, sender=self)


def _ensure_roles(using: str, apps: Apps = apps, **_: object) -> None:
    """`apps` are those that this migrate has reached; without ours there is nothing to do."""
    from echomq_admin.operations.roles import ensure_roles  # noqa: PLC0415 - models load later

    with contextlib.suppress(LookupError):
        ensure_roles(apps, using)
