"""Ways on the overview: to a page, back from hiding, and to why discovery fails."""

from __future__ import annotations

import pytest

from echomq_admin.console import overview
from echomq_admin.fleet import discovery, preferences
from tests.console.overviews import discover, names, page
from tests.console.scene import Scene, text

pytestmark = pytest.mark.usefixtures("patient")


def test_who_may_takes_a_hidden_queue_back_on_its_row(scene, browser):
    scene.pending("JOBx")
    preferences.change("prod", "orders", "olena", hidden=True)
    discover()
    assert "unhide" not in page(browser, "?hidden=show")
    html = browser("admin").get("/?hidden=show").content.decode()
    assert "Unhide orders" in html
    fields = {"hidden": "0", "back": "overview", "look": "hidden=show"}
    answer = browser("admin").post("/q/prod/orders/hide", fields)
    assert (answer.status_code, answer["Location"]) == (302, "/?hidden=show")
    assert names(page(browser)) == ["orders"]


@pytest.mark.parametrize("number", ["9999999999", "9" * 500])
def test_a_page_far_behind_the_last_is_the_last(scene, browser, monkeypatch, number):
    monkeypatch.setattr(overview, "PER_PAGE", 1)
    for queue in ("a", "b"):
        Scene(scene.store, queue).pending("JOBx")
    discover()
    assert names(page(browser, f"?page={number}")) == ["b"]


def test_why_discovery_comes_to_nothing_is_told(scene, browser):
    discovery.note_failure("prod", "The queues of prod cannot be discovered.")
    for path in ("/", "/s/prod"):
        html = text(browser("viewer").get(path).content.decode())
        assert "cannot be discovered." in html
    assert "Discovery fails: see below why." in text(page(browser))
    scene.pending("JOBx")
    discover()
    assert discovery.last_failure("prod") is None
