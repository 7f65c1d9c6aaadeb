"""A real Chromium before a live console over the emptied Valkey, called `prod`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
import redis
from django.contrib.auth.models import Group, User
from playwright.sync_api import Browser, Page, expect, sync_playwright

from echomq_admin.fleet import lookout, servers
from tests.browser.desk import Desk
from tests.console.scene import Scene

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")
PASSWORD = "a long enough word"
# On a busy machine a page waits up to 30 s before it reads itself anew.
PATIENCE_MS = 45_000


def chromium_path() -> str | None:
    """The browser of CHROMIUM or of the system; `None` leaves it to playwright's own."""
    given = os.environ.get("CHROMIUM")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    # Playwright keeps an event loop in this thread, which Django would take for an async view.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def prod(settings, monkeypatch, client: redis.Redis, server_url: str) -> Iterator[redis.Redis]:
    """The store behind the only server of the console, which waits for it however busy the
    machine is."""
    monkeypatch.setattr(lookout, "PATIENCE_S", 30.0)
    settings.EMQ_SERVERS = f"prod={server_url}"
    yield client
    servers.forget()


@pytest.fixture
def scene(prod: redis.Redis) -> Scene:
    return Scene(prod, "orders")


@pytest.fixture
def user(transactional_db) -> User:
    """An operator called olena."""
    made = User.objects.create_user("olena", password=PASSWORD)
    made.groups.add(Group.objects.get(name="operator"))
    return made


@pytest.fixture
def desk(chromium: Browser, live_server, prod, user) -> Iterator[Callable[..., Desk]]:
    """Opens browsers, each signed in by its cookie. Whatever they complained of fails the test."""
    opened: list[Desk] = []

    def open_desk(**options: object) -> Desk:
        context = chromium.new_context(base_url=live_server.url, **options)
        context.set_default_timeout(PATIENCE_MS)
        made = Desk(context, live_server.url)
        opened.append(made)
        return made

    yield open_desk
    complaints = [complaint for one in opened for complaint in one.complaints()]
    for one in opened:
        one.context.close()
    assert complaints == []


@pytest.fixture
def page(desk) -> Page:
    """The page of a browser in which olena is signed in; nothing is open yet."""
    made = desk()
    made.sign_in("olena", PASSWORD)
    return made.page
