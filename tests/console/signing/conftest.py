"""An account of which the password is known."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from tests.console.signing.desk import PASSWORD


@pytest.fixture
def olena(prod) -> User:
    """An operator called olena."""
    made = User.objects.create_user("olena", password=PASSWORD)
    made.groups.add(Group.objects.get(name="operator"))
    return made
