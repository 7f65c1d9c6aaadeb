"""Sign-ins, failed ones and sign-outs, in the trail and in the log.

The name is only written down where it is that of an account: people type passwords there too.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.contrib.auth.models import User
from django.http import HttpRequest

from echomq_admin.console.noting import note
from echomq_admin.console.signing import whence
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.models import Kind

_MS = timedelta(milliseconds=1)

logger = logging.getLogger(__name__)


def signed_in(request: HttpRequest, name: str) -> None:
    note(Kind.SIGN_IN, "signed in", name, f"{shown(name)} signed in{_from(request)}.")


def signed_out(request: HttpRequest, name: str) -> None:
    note(Kind.SIGN_IN, "signed out", name, f"{shown(name)} signed out{_from(request)}.")


def failed(request: HttpRequest, name: str) -> None:
    """A wrong password, a name without account, or a closed account."""
    actor, who = _account(name)
    sentence = f"A sign-in as {who} failed{_from(request)}."
    logger.warning("%s", sentence)
    note(Kind.SIGN_IN, "sign-in failed", actor, sentence)


def locked(request: HttpRequest, name: str, wait: timedelta) -> None:
    """The failure after which nobody may try this name from this address for a while."""
    actor, who = _account(name)
    sentence = (
        f"A sign-in as {who} failed{_from(request)}, one too many: "
        f"sign-ins as {who} from there are refused for {span(wait / _MS)}."
    )
    logger.warning("%s", sentence)
    note(Kind.SIGN_IN, "locked out", actor, sentence)


def _account(name: str) -> tuple[str, str]:
    """The name of an account for the trail, empty for none; and how a sentence calls it."""
    if User.objects.filter(username=name).exists():
        return name, shown(name)
    return "", "somebody without an account"


def _from(request: HttpRequest) -> str:
    found = whence.client(request)
    return f" from {found}" if found else ""
