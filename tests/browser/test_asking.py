"""A confirmation that was opened by its address is a page like any other, and leads on to one."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group
from playwright.sync_api import Page, expect

from echomq_admin.console.acting import marching, stepping
from tests.console.scene import A, B

PENDING = "/q/prod/orders/pending"


@pytest.fixture
def admin(user, page) -> Page:
    """The page of olena, an admin."""
    user.groups.add(Group.objects.get(name="admin"))
    return page


def reads_anew(page: Page, scene) -> None:
    """The list that is shown finds a new job by itself."""
    expect(page.locator("#pause")).to_contain_text("reading")
    scene.pending("JOB0KHTOWnA000")
    expect(page.locator("tr", has_text="JOB0KHTOWnA000")).to_be_visible(timeout=15_000)


def test_it_asks_again_on_the_page_and_the_list_behind_it_reads_itself_anew(admin, scene):
    scene.pending(A)
    scene.pending(B)
    admin.goto(f"/q/prod/orders/remove?only=0:0:{A}&back=queue_pending")
    admin.get_by_label("Delete for good").check()
    admin.get_by_role("button", name="Remove 1 job").click()
    expect(admin.get_by_role("alert")).to_contain_text("Type the queue's name, orders")
    expect(admin.locator("#dialog")).to_be_hidden()
    expect(admin.locator("form.ask")).to_have_count(1)
    admin.get_by_label("Type the queue's name to confirm").fill("orders")
    admin.get_by_role("button", name="Remove 1 job").click()
    expect(admin.locator("#outcome")).to_contain_text(f"{A} removed")
    expect(admin).to_have_url(re.compile(f"{PENDING}\\?did="))
    reads_anew(admin, scene)


@pytest.mark.parametrize("stops", [False, True], ids=["to its end", "stopped"])
def test_steps_that_began_on_a_page_of_their_own_end_on_one_that_reads_itself_anew(
    admin, scene, monkeypatch, stops
):
    monkeypatch.setattr(marching, "BUDGET", 2)
    monkeypatch.setattr(stepping, "WORKS_S", 0.0)
    for number in range(60 if stops else 5):
        scene.pending(f"JOB0KHTOWnG{number:03}")
    admin.goto("/q/prod/orders/drain?back=queue_pending")
    admin.get_by_label("Type the queue's name to confirm").fill("orders")
    admin.get_by_role("button", name="Drain").last.click()
    if stops:
        admin.get_by_role("button", name="Stop").click()
    expect(admin.locator("#outcome")).to_contain_text("stopped" if stops else "5 jobs deleted")
    reads_anew(admin, scene)


def test_the_button_of_a_recovery_follows_the_number_in_its_field(page, scene):
    scene.active(A, 60_000, stalled=1)
    page.goto("/q/prod/orders/active")
    page.locator("[data-row] [data-key=v]").click()
    button = page.locator("#dialog footer .btn.go")
    expect(button).to_have_text("Recover now: sends it to dead")
    page.get_by_label("Max stalled").fill("3")
    expect(button).to_have_text("Recover now: back to pending")
    page.get_by_label("Max stalled").fill("")
    expect(button).to_have_text("Recover now")
