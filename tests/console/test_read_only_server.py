"""A server that its address sets to read only: every page says so and offers nothing there."""

from __future__ import annotations

import pytest

from echomq_admin.fleet import preferences
from tests.console.scene import A, B, Scene, dump, keys_of, text

SAID = "prod is set to read only (read_only=1 in EMQ_SERVERS)."
TABS = ("active", "pending", "dead", "scheduled", "lanes", "repeat", "audit", "settings")


@pytest.fixture
def closed(settings, scene, server_url) -> Scene:
    """The queue of the scene on a closed server; beside it is one of the same store, `next`."""
    settings.EMQ_SERVERS = f"prod={server_url}?read_only=1 next={server_url}"
    scene.dead(A)
    scene.active(B, -5_000)
    return scene


@pytest.mark.parametrize("tab", TABS)
def test_a_queue_there_says_why_nothing_can_be_moved(closed, browser, tab):
    html = browser("admin").get(f"/q/prod/orders/{tab}").content.decode()
    assert f"Read-only. {SAID}" in text(html)
    assert keys_of(html) == {}


def test_its_page_and_the_overview_say_so_and_the_next_server_is_as_always(closed, browser):
    who = browser("admin")
    assert SAID in text(who.get("/s/prod").content.decode())
    assert "read only" in text(who.get("/").content.decode())
    html = who.get("/q/next/orders/dead").content.decode()
    assert "Read-only." not in text(html)
    assert keys_of(html) != {}


def test_a_job_there_offers_nothing(closed, browser):
    html = browser("admin").get(f"/q/prod/orders/job/{A}").content.decode()
    assert f"Read-only. {SAID}" in text(html)
    assert 'name="only"' not in html


@pytest.mark.parametrize("verb", ["requeue", "sweep", "pause", "remove", "drain"])
def test_a_press_there_changes_nothing_and_is_told_why(closed, browser, verb):
    before = dump(closed.store)
    data = {"only": f"3:0:{A}", "max_stalled": 2, "limit": 10}
    answer = browser("admin").post(f"/q/prod/orders/{verb}", data, follow=True)
    assert SAID in text(answer.content.decode())
    assert dump(closed.store) == before


def test_a_bare_press_there_is_refused_by_the_door(closed, browser):
    before = dump(closed.store)
    answer = browser("operator").post("/q/prod/orders/requeue", {"only": f"3:0:{A}"}, follow=True)
    assert f"{SAID} Nothing was sent." in text(answer.content.decode())
    assert dump(closed.store) == before


def test_what_the_console_keeps_of_a_queue_there_may_be_changed(closed, browser):
    browser("admin").post("/q/prod/orders/settings", {"note": "closed for now"})
    assert preferences.queue_settings("prod", "orders").note == "closed for now"
