"""The rights of the console. They belong to no table, so their model has none."""

from __future__ import annotations

from django.db import models


class Console(models.Model):
    """Carries the three permissions that the roles are made of."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions = [
            ("view_console", "Can see queues, jobs and the audit"),
            ("operate", "Can move jobs back and pause queues"),
            ("administer", "Can bury, remove, edit, drain and obliterate"),
        ]
