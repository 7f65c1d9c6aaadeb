"""The floor that remembers: the trail of what people did."""

from __future__ import annotations

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    name = "echomq_admin.ledger"
