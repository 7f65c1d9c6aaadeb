"""`manage.py account`: making, changing and closing accounts."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.http import HttpRequest

pytestmark = pytest.mark.django_db


def account(*args: str) -> str:
    out = StringIO()
    call_command("account", *args, stdout=out)
    return out.getvalue()


def signs_in(name: str, password: str) -> bool:
    return authenticate(HttpRequest(), username=name, password=password) is not None


def test_a_new_account_gets_its_role_and_a_password_that_is_shown_once():
    said = account("olena", "--role", "operator")
    password = said.strip().rpartition(" ")[2]
    assert signs_in("olena", password)
    assert User.objects.get(username="olena").has_perm("operations.operate")
    assert "Password" not in account("olena", "--role", "operator")


def test_a_changed_role_replaces_the_old_one():
    account("olena", "--role", "admin")
    account("olena", "--role", "viewer")
    user = User.objects.get(username="olena")
    assert [group.name for group in user.groups.all()] == ["viewer"]


def test_a_closed_account_cannot_sign_in_until_it_gets_a_role_again():
    password = account("olena", "--role", "viewer").strip().rpartition(" ")[2]
    account("olena", "--close")
    assert not signs_in("olena", password)
    account("olena", "--role", "viewer")
    assert signs_in("olena", password)


@pytest.mark.parametrize(
    "args", [("olena",), ("nobody", "--close"), ("a", "--close", "--role", "viewer")]
)
def test_a_call_that_makes_no_sense_says_so_and_makes_no_account(args):
    with pytest.raises(CommandError):
        account(*args)
    assert not User.objects.exists()
