"""Accounts as the command line makes and changes them. Each change is noted in the trail, in the
transaction that makes it; nothing is noted where nothing changed."""

from __future__ import annotations

import os
import pwd
import secrets
from enum import StrEnum

from axes.models import AccessAttempt
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Sum

from echomq_admin.fleet.names import shown
from echomq_admin.ledger.models import Kind
from echomq_admin.ledger.notes import note
from echomq_admin.operations.roles import Role


class Deed(StrEnum):
    """What is done to an account, as its entry in the trail calls it."""

    OPENED = "account opened"
    ROLE = "role changed"
    CLOSED = "account closed"
    UNLOCKED = "account unlocked"
    PASSWORD = "password changed"  # noqa: S105


class NoAccount(LookupError):
    """No account has that name."""


@transaction.atomic
def give(name: str, role: str) -> str:
    """Make an account with a role, or give it to one; the password of a new one, else empty.

    One that was closed may sign in again.
    """
    user, is_new = User.objects.get_or_create(username=name)
    had = set(user.groups.values_list("name", flat=True)) & set(Role)
    if not is_new and user.is_active and had == {role}:
        return ""
    user.is_active = True
    password = secrets.token_urlsafe(12) if is_new else ""
    if is_new:
        user.set_password(password)
    user.save()
    user.groups.remove(*Group.objects.filter(name__in=list(Role)))
    user.groups.add(Group.objects.get(name=role))
    _note(Deed.OPENED if is_new else Deed.ROLE, f"{shown(name)} is {role} now")
    return password


@transaction.atomic
def close(name: str) -> None:
    """Let nobody sign in by that name any more. Raises `NoAccount`."""
    user = _account(name)
    if user.is_active:
        user.is_active = False
        user.save()
        _note(Deed.CLOSED, f"{shown(name)} may not sign in any more")


@transaction.atomic
def unlock(name: str) -> int:
    """Forget the failed sign-ins of a name, and all those from where it was tried: how many.
    Raises `NoAccount`."""
    _account(name)
    found = AccessAttempt.objects
    places = found.filter(username=name).values_list("ip_address", flat=True)
    gone = found.filter(ip_address__in=list(places)) | found.filter(username=name)
    count = gone.aggregate(count=Sum("failures_since_start"))["count"] or 0
    gone.delete()
    if count:
        _note(Deed.UNLOCKED, f"{shown(name)} may try to sign in again")
    return count


def password_changed(name: str) -> None:
    """Note that a person set a new password, which was done by then."""
    _note(Deed.PASSWORD, f"{shown(name)} has a new password")


def _account(name: str) -> User:
    try:
        return User.objects.get(username=name)
    except User.DoesNotExist:
        raise NoAccount(f"There is no account {shown(name)}.") from None


def _note(deed: Deed, what: str) -> None:
    """No account of the console did it: the sentence names the one of the host."""
    note(Kind.KEPT, deed, "", f"{what}: on the command line, by {_of_host()} of the host.")


def _of_host() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"user {os.getuid()}"
