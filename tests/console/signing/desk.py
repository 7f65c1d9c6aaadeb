"""Somebody before the sign-in page."""

from __future__ import annotations

from datetime import timedelta

from axes.models import AccessAttempt
from django.db.models import F
from django.http import HttpResponse
from django.test import Client

from echomq_admin.ledger.models import TrailEntry

PASSWORD = "long enough 1"


def tries(
    name: str, password: str = "wrong", *, at: str = "192.0.2.1", who: Client | None = None, **more
) -> HttpResponse:
    """One sign-in from an address."""
    data = {"username": name, "password": password, **more.pop("data", {})}
    return (who or Client()).post("/login/", data, REMOTE_ADDR=at, **more)


def fails(count: int, name: str, at: str = "192.0.2.1") -> list[int]:
    """So many sign-ins with a wrong password: the status of each."""
    return [tries(name, at=at).status_code for _ in range(count)]


def later(minutes: float) -> None:
    """Let so much time pass: what has failed lies so much further back."""
    past = F("attempt_time") - timedelta(minutes=minutes)
    AccessAttempt.objects.update(attempt_time=past)


def trail() -> list[tuple[str, str, str]]:
    """Kind, op and actor of every entry, oldest first."""
    return list(TrailEntry.objects.order_by("id").values_list("kind", "op", "actor"))


def sentences() -> list[str]:
    return list(TrailEntry.objects.order_by("id").values_list("sentence", flat=True))
