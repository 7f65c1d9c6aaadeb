"""The settings of a queue as people work with them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from echomq_admin.fleet import preferences
from tests.browser.conftest import PASSWORD
from tests.browser.test_look import NARROW, WIDE, looked_at

SETTINGS = "/q/prod/orders/settings"


@pytest.fixture
def boss(user) -> User:
    user.groups.add(Group.objects.get(name="admin"))
    return user


def test_settings_are_typed_refused_mended_saved_and_told(desk, boss, scene):
    scene.pending("JOBx")
    browser = desk()
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto(SETTINGS)
    page.get_by_label("Max stalled").fill("three")
    page.get_by_label("Note").fill("<i>Olena</i>\nknows")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Max stalled must be a whole number.").wait_for()
    assert page.get_by_label("Max stalled").input_value() == "three"
    assert page.get_by_label("Note").input_value() == "<i>Olena</i>\nknows"
    page.get_by_label("Max stalled").fill("3")
    page.get_by_role("button", name="Save").click()
    page.locator("#outcome").wait_for()
    assert page.get_by_label("Note").input_value() == "<i>Olena</i>\nknows"
    page.get_by_role("button", name="Hide queue").click()
    page.get_by_role("button", name="Show queue").wait_for()
    assert page.locator("tr[data-row]").count() == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_and_nothing_overflows(desk, boss, scene, settings, scheme, size):
    scene.pending("JOBx")
    settings.EMQ_QUEUES = "ord*:max_stalled=3,lease_ms=60000"
    long = "webhooks." + "x" * 300
    preferences.add("prod", "to.come", "olena")
    preferences.add("prod", long, "olena")
    preferences.change("prod", "orders", "olena", max_stalled=5, note="y" * 400)
    preferences.change("prod", "orders", "marko", lease_ms=30_000, note="See the *runbook*.\n" * 3)
    preferences.change("prod", "orders", "marko", hidden=True)
    browser = desk(color_scheme=scheme, viewport=size)
    browser.sign_in("olena", PASSWORD)
    page, found = browser.page, []
    for path in (SETTINGS, "/q/prod/to.come/settings", f"/q/prod/{long}/settings", "/s/prod/add"):
        page.goto(path)
        found += looked_at(page)
    page.get_by_label("Queue", exact=True).fill("~!")
    page.get_by_role("button", name="Add queue").click()
    page.locator("[aria-invalid]").wait_for()
    found += looked_at(page)
    page.goto(SETTINGS)
    page.get_by_label("Lease length").fill("soon")
    page.get_by_role("button", name="Save").click()
    page.locator("[aria-invalid]").wait_for()
    found += looked_at(page)
    User.objects.get(username="olena").groups.set([Group.objects.get(name="viewer")])
    page.goto(SETTINGS)
    found += looked_at(page)
    assert found == []
