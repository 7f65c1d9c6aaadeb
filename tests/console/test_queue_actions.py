"""Actions on a whole queue: what is offered, what is shown before, and what they do."""

from __future__ import annotations

import re

import pytest

from echomq_admin.emq import EchoMQ
from tests.console.confirming import Q, ask, confirm, html, scheduled
from tests.console.scene import A, B, C, text


def menu(who, tab: str = "pending") -> list[str]:
    page = html(who.get(f"{Q}/{tab}"))
    found = re.search(r'<details class="menu queue-menu".*?</details>', page, re.DOTALL)
    parts = re.findall(r"<li>(.*?)</li>", found[0], re.DOTALL) if found else []
    return [text(part).strip() for part in parts]


def test_the_menu_offers_only_what_can_work_now_and_for_whom_it_is_permitted(scene, browser):
    scene.dead(A)
    assert menu(browser("viewer")) == []
    assert menu(browser()) == ["Pause queue…"]
    assert menu(browser("admin")) == ["Pause queue…"]
    scene.pending(B)
    scene.active(C, -5_000)
    scene.store.zadd(scene.key("schedule"), {"JOB0KHTOWnGLuE": 1})
    assert menu(browser()) == ["Pause queue…", "Promote due jobs… 1", "Reap… 1"]
    assert menu(browser("admin"))[-1] == "Drain…"
    scene.store.hset(scene.key("meta"), "paused", 1)
    offered = menu(browser("admin"))
    assert (offered[0], offered[-1]) == ("Resume queue", "Obliterate…")


def test_nothing_is_offered_while_the_console_is_read_only(scene, browser, settings):
    scene.pending(A)
    settings.EMQ_READ_ONLY = True
    assert menu(browser("admin")) == []


def test_a_pause_says_what_goes_on_and_leads_back_to_its_tab(scene, browser):
    scene.pending(A)
    scene.active(B, 30_000)
    page = ask(who := browser(), "pause", "?back=queue_pending&look=rows%3D50")
    said = text(page)
    assert "Waiting 1 stay where they are" in said
    assert "In flight 1 their workers may finish them" in said
    answer = confirm(who, "pause", page)
    assert answer.redirect_chain[0][0].startswith(f"{Q}/pending?rows=50&did=")
    assert "queue orders paused" in text(html(answer))
    assert scene.store.hget(scene.key("meta"), "paused") == b"1"


def test_a_pause_of_a_paused_queue_has_no_button(scene, browser):
    scene.pending(A)
    scene.store.hset(scene.key("meta"), "paused", 0)
    page = ask(browser(), "pause")
    assert "It is paused already" in text(page)
    assert "Pause queue</button>" not in page


def test_a_pause_needs_its_confirmation_and_a_resume_is_one_press(scene, browser):
    scene.pending(A)
    who = browser()
    assert "Pause queue: orders?" in text(html(who.post(f"{Q}/pause")))
    assert not scene.store.exists(scene.key("meta"))
    scene.store.hset(scene.key("meta"), "paused", 1)
    answer = who.post(f"{Q}/resume", {"back": "queue_pending"}, follow=True)
    assert "queue orders resumed" in text(html(answer))
    assert not scene.store.hexists(scene.key("meta"), "paused")


def test_promote_moves_as_many_as_its_button_says(scene, browser):
    scheduled(scene, A, B)
    scheduled(scene, C, at=scene.now_ms() + 60_000)
    page = ask(who := browser(), "promote", "?back=queue_scheduled")
    assert "Promote 2 jobs" in text(page)
    scheduled(scene, "JOB0KHTOWnGLuE")
    answer = confirm(who, "promote", page)
    assert "2 promoted, 1 more is due" in text(html(answer))
    assert len(scene.members("pending")) == 2


def test_what_was_not_promoted_is_explained(scene, browser):
    scheduled(scene, A, B)
    page = ask(who := browser(), "promote")
    scene.store.zrem(scene.key("schedule"), B)
    said = text(html(confirm(who, "promote", page)))
    assert "1 promoted" in said
    assert "2 were shown. 1 was not promoted: taken meanwhile" in said


def test_nothing_due_is_said(scene, browser):
    scheduled(scene, A, at=scene.now_ms() + 60_000)
    assert "No job is due" in text(ask(browser(), "promote"))


@pytest.mark.parametrize("tab", ["audit", "repeat"])
def test_an_action_from_a_tab_without_jobs_is_told_on_that_tab(scene, browser, tab):
    scene.pending(A)
    EchoMQ(scene.store).pause("orders")
    who = browser("operator")
    html = who.get(f"/q/prod/orders/{tab}").content.decode()
    assert f'name="back" value="queue_{tab}"' in html
    answer = who.post("/q/prod/orders/resume", {"back": f"queue_{tab}"}, follow=True)
    assert answer.redirect_chain[0][0].startswith(f"/q/prod/orders/{tab}?")
    assert 'id="outcome"' in answer.content.decode()
