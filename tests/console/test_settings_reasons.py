"""The settings of a queue on a console that asks admins for reasons."""

from __future__ import annotations

import pytest

from echomq_admin.fleet import discovery, preferences, servers
from echomq_admin.ledger.models import TrailEntry
from tests.console.scene import tags, text

URL = "/q/prod/orders/settings"


@pytest.fixture
def asked(scene, settings):
    scene.pending("JOBx")
    settings.EMQ_REASONS = True


def fields(html: str) -> list[dict]:
    return [attrs for tag, attrs in tags(html) if tag == "input" and attrs.get("name") == "reason"]


def test_the_forms_have_a_field_for_it_that_must_be_filled_in(asked, browser):
    found = fields(browser("admin").get(URL).content.decode())
    assert len(found) == 2
    assert all("required" in attrs for attrs in found)


def test_without_the_setting_a_reason_may_be_given(scene, browser):
    scene.pending("JOBx")
    found = fields(browser("admin").get(URL).content.decode())
    assert len(found) == 1
    assert "required" not in found[0]
    browser("admin").post(URL, {"note": "x", "reason": "why not"})
    assert TrailEntry.objects.get(kind="kept").reason == "why not"


def test_a_change_without_one_is_refused_and_what_was_typed_stays(asked, browser):
    html = browser("admin").post(URL, {"note": "typed long"}).content.decode()
    assert "Set queue needs a reason" in text(html)
    assert "typed long" in html
    assert preferences.own("prod", "orders") == preferences.Own()


def test_a_reason_that_was_typed_stays_beside_a_field_that_is_wrong(asked, browser):
    data = {"max_stalled": "many", "reason": "as agreed"}
    html = browser("admin").post(URL, data).content.decode()
    assert fields(html)[0]["value"] == "as agreed"


def test_hiding_and_showing_keep_their_reasons(asked, browser):
    who = browser("admin")
    who.post("/q/prod/orders/hide", {"hidden": "1"})
    assert not preferences.own("prod", "orders").hidden
    who.post("/q/prod/orders/hide", {"hidden": "1", "reason": "too noisy"})
    assert preferences.own("prod", "orders").hidden
    assert TrailEntry.objects.get(kind="kept").reason == "too noisy"


def test_the_overview_offers_no_button_that_has_no_room_for_a_reason(asked, browser):
    preferences.change("prod", "orders", "olena", hidden=True)
    discovery.discover(servers.server("prod"))
    html = browser("admin").get("/?hidden=show").content.decode()
    assert "orders" in text(html)
    assert "/hide" not in html
