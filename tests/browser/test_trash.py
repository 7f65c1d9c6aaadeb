"""The trash in a browser: a click puts a job back."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from echomq_admin.operations import services
from echomq_admin.operations.services import Call
from tests.browser.conftest import PASSWORD
from tests.browser.test_look import NARROW, WIDE, looked_at
from tests.console.scene import A, B, C
from tests.waiting import wait_for


@pytest.fixture
def admin(user) -> User:
    user.groups.add(Group.objects.get(name="admin"))
    return user


@pytest.fixture
def page(desk, scene, admin):
    """The trash of two removed jobs; a third one stays in the queue."""
    for job in (A, B, C):
        scene.dead(job)
    services.perform(admin, Call("remove", "prod", "orders", (A, B)))
    at = desk()
    at.sign_in("olena", PASSWORD)
    at.page.goto("/trash")
    at.page.get_by_text("2 jobs", exact=True).wait_for()
    return at.page


def test_a_click_restores_one_job_and_the_row_goes(page, scene):
    page.get_by_role("button", name=f"Restore {A}").click()

    page.get_by_text(f"{A} restored").wait_for()
    wait_for(lambda: page.locator("tr[data-row]").count() == 1)
    assert scene.members("dead") == [A.encode(), C.encode()]
    assert "/trash?did=" in page.url


def test_all_that_is_shown_of_a_queue_goes_back_after_a_dialog(page, scene):
    page.get_by_role("link", name="prod/orders").first.click()
    page.get_by_role("button", name="Restore these 2 jobs…").click()
    assert scene.members("dead") == [C.encode()]
    page.locator("dialog[open]").get_by_role("button", name="Restore 2 jobs").click()

    page.get_by_text("2 restored", exact=True).wait_for()
    page.get_by_text("Nothing to restore").wait_for()
    assert scene.members("dead") == [A.encode(), B.encode(), C.encode()]


def test_it_works_without_scripts(desk, scene, admin):
    scene.dead(A)
    scene.dead(B)
    services.perform(admin, Call("remove", "prod", "orders", (A,)))
    at = desk(java_script_enabled=False)
    at.sign_in("olena", PASSWORD)
    at.page.goto("/trash")
    at.page.get_by_role("button", name=f"Restore {A}").click()

    at.page.get_by_text(f"{A} restored").wait_for()
    assert scene.members("dead") == [A.encode(), B.encode()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_and_nothing_overflows(desk, scene, admin, scheme, size):
    for job in (A, B, C, "x" * 900):
        scene.dead(job, group="g" * 300)
    removal = Call("remove", "prod", "orders", (A, "x" * 900), reason="w" * 900)
    browser = desk(color_scheme=scheme, viewport=size)
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto("/trash")
    found = looked_at(page)
    services.perform(admin, removal)
    for path in ("/trash", "/trash?server=prod&queue=orders"):
        page.goto(path)
        page.locator("tr[data-row]").first.wait_for()
        found += looked_at(page)
    page.get_by_role("button", name=f"Restore {A}").click()
    page.locator("#outcome").wait_for()
    assert found + looked_at(page) == []
