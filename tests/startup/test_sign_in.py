"""The first account is made once; its password is said as long as it is right."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from echomq_admin.startup.sign_in import sign_in

pytestmark = pytest.mark.django_db


def test_the_first_start_makes_an_admin_and_later_ones_repeat_its_password(tmp_path):
    first = sign_in(tmp_path / "sign-in")
    assert sign_in(tmp_path / "sign-in") == first
    user = User.objects.get()
    assert user.check_password(first.split()[-1])
    assert [group.name for group in user.groups.all()] == ["admin"]
    assert not user.is_superuser
    assert (tmp_path / "sign-in").stat().st_mode & 0o777 == 0o600


def test_a_changed_password_is_never_shown_and_the_way_back_is_said(tmp_path):
    old = sign_in(tmp_path / "sign-in").split()[-1]
    user = User.objects.get()
    user.set_password("another one")
    user.save()
    said = sign_in(tmp_path / "sign-in")
    assert "changepassword admin" in said
    assert old not in said


def test_no_account_is_made_where_there_are_accounts(tmp_path):
    User.objects.create_user("ada", password="x")
    assert "accounts that were made here" in sign_in(tmp_path / "sign-in")
    assert [user.username for user in User.objects.all()] == ["ada"]
    assert not (tmp_path / "sign-in").exists()


def test_two_installations_get_two_passwords(tmp_path):
    first = sign_in(tmp_path / "one")
    User.objects.all().delete()
    assert sign_in(tmp_path / "two") != first
