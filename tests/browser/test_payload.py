"""Editing a payload, and what force adds to a button, as a person meets them."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group
from playwright.sync_api import expect

from tests.browser.conftest import PASSWORD
from tests.browser.test_look import looked_at
from tests.console.scene import A, B, C

EDIT = f"/q/prod/orders/update_payload?only=2:0:{A}&back=job"
PAYLOAD = '{"to": "ann",\n "n": 1.10}'


@pytest.fixture
def seat(desk, user):
    """The browser of an admin."""
    user.groups.add(Group.objects.get(name="admin"))
    made = desk()
    made.sign_in("olena", PASSWORD)
    return made


@pytest.fixture
def admin(seat):
    return seat.page


def test_a_payload_is_edited_compared_and_replaced(admin, scene):
    scene.pending(A, attempts=2, payload=PAYLOAD)
    admin.goto(EDIT)
    area = admin.get_by_label("Payload")
    expect(area).to_have_value(PAYLOAD)
    area.fill(PAYLOAD.replace("ann", "bob"))
    admin.get_by_role("button", name="Show what would change").click()
    changed = admin.get_by_role("region", name="What would change")
    expect(changed.locator("mark")).to_have_text(["ann", "bob"])
    expect(area).to_have_value(PAYLOAD.replace("ann", "bob"))
    admin.get_by_role("button", name="Replace payload").click()
    expect(admin).to_have_url(re.compile(rf"/job/{A}\?did="))
    assert scene.field(A, "payload") == PAYLOAD.replace("ann", "bob").encode()


def test_a_text_that_lost_its_race_stays_in_its_field(admin, scene):
    scene.pending(A, attempts=2, payload=PAYLOAD)
    admin.goto(EDIT)
    area = admin.get_by_label("Payload")
    area.fill("mine")
    admin.get_by_role("button", name="Show what would change").click()
    expect(admin.get_by_role("region", name="What would change")).to_be_visible()
    scene.store.hset(scene.key(f"job:{A}"), "payload", "theirs")
    admin.get_by_role("button", name="Replace payload").click()
    expect(admin.get_by_text("is compared with the payload as it is now")).to_be_visible()
    expect(area).to_have_value("mine")
    assert scene.field(A, "payload") == b"theirs"


def test_the_button_says_what_force_adds(admin, scene):
    scene.pending(A)
    scene.pending(B)
    scene.store.set(scene.key(f"job:{B}:lock"), "worker-1")
    admin.goto(f"/q/prod/orders/remove?job=0:0:{A}&job=0:0:{B}")
    button = admin.locator(".ask-page button.go")
    expect(button).to_have_text(re.compile("Remove 1 of 2 jobs"))
    expect(button.locator(".forced")).to_be_hidden()
    admin.get_by_label("By force: also 1 locked").check()
    expect(button.locator(".forced")).to_have_text("Remove 2 jobs by force")
    expect(button.locator(".unforced")).to_be_hidden()
    button.click()
    expect(admin.locator("#outcome")).to_contain_text("2 removed")
    assert scene.members("pending") == []


def test_what_was_typed_survives_a_sign_in_that_is_over(seat, admin, scene):
    seat.expects_failures = True
    scene.pending(A, attempts=2, payload=PAYLOAD)
    admin.goto(EDIT)
    admin.get_by_label("Payload").fill("typed with care")
    admin.context.clear_cookies()
    admin.get_by_role("button", name="Show what would change").click()
    admin.goto("/login/")
    admin.fill("#id_username", "olena")
    admin.fill("#id_password", PASSWORD)
    admin.click("button.go")
    admin.wait_for_url("**/")
    admin.goto(EDIT)
    expect(admin.get_by_label("Payload")).to_have_value(PAYLOAD)
    admin.get_by_role("button", name="Put it back").click()
    expect(admin.get_by_label("Payload")).to_have_value("typed with care")
    expect(admin.get_by_role("button", name="Put it back")).to_be_hidden()


def test_a_draft_of_another_payload_is_not_offered(admin, scene):
    scene.pending(A, attempts=2, payload=PAYLOAD)
    admin.goto(EDIT)
    admin.get_by_label("Payload").fill("old draft")
    scene.store.hset(scene.key(f"job:{A}"), "payload", "another by now")
    admin.goto(EDIT)
    expect(admin.get_by_label("Payload")).to_have_value("another by now")
    expect(admin.get_by_role("button", name="Put it back")).to_be_hidden()


@pytest.mark.parametrize(
    ("scheme", "size"),
    [("light", {"width": 1280, "height": 800}), ("dark", {"width": 390, "height": 800})],
    ids=["light and wide", "dark and narrow"],
)
def test_axe_finds_nothing_and_nothing_overflows(desk, user, scene, scheme, size):
    user.groups.add(Group.objects.get(name="admin"))
    seat = desk(color_scheme=scheme, viewport=size)
    seat.sign_in("olena", PASSWORD)
    scene.pending(A, parent="x" * 300, parent_queue="mail", payload="a\n" + "b" * 900)
    scene.pending(B, payload=b"\x80\x04")
    scene.active(C, 30_000)
    found = []
    for query in (
        f"remove?job=0:0:{A}&job=0:0:{C}",
        f"bury?job=0:0:{A}",
        f"requeue?job=0:0:{A}",
        f"recover_now?only=1:0:{C}",
        f"extend?only=1:0:{C}",
        f"update_payload?only=0:0:{B}",
        f"update_payload?only=0:0:{A}",
    ):
        seat.page.goto(f"/q/prod/orders/{query}")
        found += looked_at(seat.page)
    seat.page.get_by_label("Payload").fill("a\nb" + "c" * 900)
    seat.page.get_by_role("button", name="Show what would change").click()
    expect(seat.page.get_by_role("region", name="What would change")).to_be_visible()
    assert found + looked_at(seat.page) == []
