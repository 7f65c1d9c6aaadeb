"""A console over the emptied Valkey, called `prod`, and browsers of each role."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import redis
from django.contrib.auth.models import Group, User
from django.test import Client

from echomq_admin.fleet import lookout, servers
from tests.console.scene import Scene


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    yield
    servers.forget()


@pytest.fixture
def prod(settings, client: redis.Redis, server_url: str, db) -> redis.Redis:
    """The store behind the only server of the console."""
    settings.EMQ_SERVERS = f"prod={server_url}"
    return client


@pytest.fixture
def scene(prod: redis.Redis) -> Scene:
    """States of one queue, to be put together by a test."""
    return Scene(prod, "orders")


@pytest.fixture
def browser(prod: redis.Redis) -> Callable[..., Client]:
    """A signed-in browser of a role; "anonymous" is not signed in, "nobody" has no right."""

    def signed_in(role: str = "operator", **options: object) -> Client:
        made = Client(**options)
        if role != "anonymous":
            user, _ = User.objects.get_or_create(username=f"{role}-olena")
            if role != "nobody":
                user.groups.set([Group.objects.get(name=role)])
            made.force_login(user)
        return made

    return signed_in


@pytest.fixture
def patient(monkeypatch) -> None:
    """Pages wait for the first look at a server however long a busy machine takes for it."""
    monkeypatch.setattr(lookout, "PATIENCE_S", 30.0)
