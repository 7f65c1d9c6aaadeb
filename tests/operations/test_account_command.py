"""`manage.py account`: making, changing and closing accounts."""

from __future__ import annotations

from io import StringIO
from unittest.mock import patch

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.http import HttpRequest

from echomq_admin.ledger.models import Kind, TrailEntry

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
    "args",
    [
        ("olena",),
        ("nobody", "--close"),
        ("a", "--close", "--role", "viewer"),
    ],
)
def test_a_call_that_makes_no_sense_says_so_and_makes_no_account(args):
    with pytest.raises(CommandError):
        account(*args)
    assert not User.objects.exists()


def test_each_change_of_an_account_is_in_the_trail_and_no_password_is():
    password = account("olena", "--role", "operator").strip().rpartition(" ")[2]
    account("olena", "--role", "admin")
    with patch("getpass.getpass", return_value="horses on roofs 7"):
        call_command("changepassword", "olena", stdout=StringIO())
    account("olena", "--close")
    entries = list(TrailEntry.objects.order_by("pk"))
    assert [entry.op for entry in entries] == [
        *("account opened", "role changed", "password changed", "account closed")
    ]
    assert {(entry.kind, entry.server, entry.actor) for entry in entries} == {(Kind.KEPT, "", "")}
    assert entries[1].sentence.startswith("olena is admin now: on the command line, by ")
    assert not any(secret in one.sentence for one in entries for secret in (password, "horses"))


def test_a_call_that_changes_nothing_leaves_nothing_in_the_trail():
    account("olena", "--role", "viewer")
    account("olena", "--close")
    before = TrailEntry.objects.count()
    account("olena", "--close")
    account("olena", "--unlock")
    assert TrailEntry.objects.count() == before
    account("olena", "--role", "viewer")
    assert TrailEntry.objects.count() == before + 1
    account("olena", "--role", "viewer")
    assert TrailEntry.objects.count() == before + 1
