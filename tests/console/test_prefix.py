"""The console below a path of its host."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import get_script_prefix, set_script_prefix

from tests.console.scene import HX, A, keys_of, tags

PATHS = ["/", *(f"/q/prod/orders/{tab}" for tab in ("active", "pending", "dead", "audit", "sweep"))]


@pytest.fixture
def mounted(settings, scene, browser) -> Iterator[Client]:
    """A browser of a console below `/ops`, as EMQ_PREFIX sets it up."""
    settings.FORCE_SCRIPT_NAME = "/ops"
    before = get_script_prefix()
    set_script_prefix("/ops/")
    settings.STATIC_URL = "/ops/static/"
    scene.dead(A)
    yield browser()
    set_script_prefix(before)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("headers", [{}, HX])
def test_every_address_of_a_page_starts_with_the_prefix(mounted, path, headers):
    answer = mounted.get(path, headers=headers)
    assert answer.status_code == 200
    addresses = [
        attrs[name]
        for _, attrs in tags(answer.content.decode())
        for name in ("href", "src", "action", "hx-get", "hx-post")
        if attrs.get(name)
    ]
    assert addresses
    for address in addresses:
        assert address.startswith(("/ops/", "?", "#")), address


def test_redirects_keep_the_prefix(mounted):
    found = keys_of(mounted.get("/q/prod/orders/dead").content.decode())
    answer = mounted.post("/q/prod/orders/requeue", {"only": found[A]})
    assert answer["Location"].startswith("/ops/q/prod/orders/dead?did=")


def test_the_way_to_the_sign_in_page_and_back_keeps_the_prefix(mounted):
    answer = Client().get("/q/prod/orders/dead")
    assert answer["Location"] == "/ops/login/?next=/ops/q/prod/orders/dead"
    assert mounted.get("/login/")["Location"] == "/ops/"
    assert mounted.post("/logout/")["Location"] == "/ops/login/"


def test_a_press_after_the_session_ended_keeps_the_prefix(mounted):
    referer = {"Referer": "http://testserver/ops/q/prod/orders/dead?rows=50"}
    answer = Client().post("/q/prod/orders/requeue", headers=referer)
    assert answer["Location"] == "/ops/login/?next=/ops/q/prod/orders/dead%3Frows%3D50&pressed=1"
    answer = Client(enforce_csrf_checks=True).post("/q/prod/orders/requeue", headers=referer)
    assert 'href="/ops/q/prod/orders/dead?rows=50"' in answer.content.decode()
