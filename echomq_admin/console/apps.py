"""The console as a Django application."""

from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "echomq_admin.console"
    label = "console"
    verbose_name = "Console"
