"""The first account: made once, with a password nobody chose."""

from __future__ import annotations

import os
import secrets
import string
from pathlib import Path

from django.contrib.auth.models import Group, User
from django.db import transaction

NAME = "admin"
_SIGNS = string.ascii_letters + string.digits


def sign_in(kept: Path) -> str:
    """How to sign in, as text for the terminal.

    While there is no account at all, the account `admin` of the group admin is made. Its
    password stays in the file `kept` (mode 0600), to be said again as long as it is valid.
    """
    if not User.objects.exists():
        _make(kept)
    user = User.objects.filter(username=NAME, is_active=True).first()
    password = _read(kept)
    if user and password and user.check_password(password):
        return f"Sign in as {NAME} with the password {password}"
    if user:
        return (
            f"Sign in as {NAME}; its password was changed. Forgotten? "
            f".venv/bin/python manage.py changepassword {NAME}"
        )
    return "Sign in with one of the accounts that were made here."


def _make(kept: Path) -> None:
    password = "".join(secrets.choice(_SIGNS) for _ in range(18))
    kept.unlink(missing_ok=True)
    with open(kept, "x", encoding="ascii", opener=_private) as file:
        file.write(f"{NAME}\n{password}\n")
    with transaction.atomic():
        user = User.objects.create_user(NAME, password=password)
        user.groups.add(Group.objects.get(name="admin"))


def _read(kept: Path) -> str | None:
    try:
        lines = kept.read_text(encoding="ascii").split("\n")
    except FileNotFoundError:
        return None
    return lines[1] if len(lines) > 1 else None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
