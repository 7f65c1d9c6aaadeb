"""Requeue from the page: one by its button, ticked ones after a confirmation."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from tests.console.pressing import DEAD, URL, ask, confirm, press
from tests.console.scene import A, B, C, G, dump, keys_of, text


def test_one_click_puts_one_job_back_and_says_so(scene, browser):
    scene.dead(A)
    scene.dead(B)
    answer = press(browser(), A)
    assert answer.status_code == 200
    assert " requeued" in text(answer.content.decode())
    assert scene.members("pending") == [A.encode()]
    assert scene.members("dead") == [B.encode()]


def test_the_outcome_of_one_job_names_it_also_when_it_is_seen_again(scene, browser):
    scene.dead(A)
    who = browser()
    answer = press(who, A)
    address = answer.redirect_chain[-1][0]
    for html in (answer.content.decode(), who.get(address).content.decode()):
        assert f"{A} requeued" in text(html)


def test_only_the_named_id_changes(scene, browser):
    for job_id in (A, B, C):
        scene.dead(job_id)
    scene.store.zadd(scene.key("schedule"), {A: 10, B: 10})
    before = dump(scene.store)
    press(browser(), B)
    after = dump(scene.store)
    changed = {key for key in before | after if before.get(key) != after.get(key)}
    base = scene.base
    assert {key for key in changed if not key.startswith(b"emqadmin")} == {
        base + b"dead",
        base + b"pending",
        base + b"schedule",
        base + b"job:" + B.encode(),
    }
    assert scene.members("schedule") == [A.encode()]


def test_a_grouped_job_goes_back_to_its_own_lane_and_wakes_it_once(scene, browser):
    scene.dead(A, group=G)
    scene.store.hset(scene.key("glimit"), G, 1)
    press(browser(), A)
    assert scene.members(f"g:{G}:pending") == [A.encode()]
    assert scene.members("pending") == []
    assert scene.store.lrange(scene.key("ring"), 0, -1) == [G.encode()]
    assert scene.store.llen(scene.key("wake")) == 1


@pytest.mark.parametrize("state", ["paused", "full"])
def test_a_lane_that_cannot_be_served_is_not_put_on_the_ring(scene, browser, state):
    scene.dead(A, group=G)
    scene.store.hset(scene.key("glimit"), G, 1)
    if state == "paused":
        scene.store.sadd(scene.key("paused"), G)
    else:
        scene.store.hset(scene.key("gactive"), G, 1)
    press(browser(), A)
    assert scene.members(f"g:{G}:pending") == [A.encode()]
    assert scene.store.exists(scene.key("ring"), scene.key("wake")) == 0


def test_ticked_jobs_are_asked_about_before_anything_moves(scene, browser):
    scene.dead(A, attempts=3, stalled=1)
    scene.dead(B, attempts=1)
    who = browser()
    before = dump(scene.store)
    answer = ask(who, A, B)
    said = text(answer.content.decode())
    assert dump(scene.store) == before
    assert "Requeue 2 jobs of orders?" in said
    assert A in said
    assert B in said
    assert "Attempts stay: no later worker may get the number of an earlier one." in said
    assert "Stall counts stay 0 to 1" in said
    assert "Stall counts start at 0" in said


def test_the_confirmation_works_as_a_page_without_javascript(scene, browser):
    scene.dead(A)
    scene.dead(B)
    answer = confirm(browser(), A, B)
    assert "2 requeued" in text(answer.content.decode())
    assert scene.members("pending") == [A.encode(), B.encode()]


def test_the_confirmation_is_a_dialog_for_htmx(scene, browser):
    scene.dead(A)
    who = browser()
    found = keys_of(who.get(DEAD).content.decode())
    answer = who.post(URL, {"job": found[A]}, headers={"HX-Request": "true", "HX-Target": "dialog"})
    html = answer.content.decode()
    assert "<html" not in html
    assert "Requeue 1 job of orders?" in text(html)


def test_many_row_buttons_at_once_are_no_way_around_the_confirmation(scene, browser):
    scene.dead(A)
    scene.dead(B)
    who = browser()
    found = keys_of(who.get(DEAD).content.decode())
    who.post(URL, {"only": [found[A], found[B]]})
    assert scene.members("pending") == []


@pytest.mark.parametrize(("reset", "fate"), [(False, "dead"), (True, "pending")])
def test_the_stall_count_is_kept_or_reset_as_the_page_said(scene, browser, reset, fate):
    scene.dead(A, attempts=3, stalled=1)
    who = browser()
    said = text(ask(who, A).content.decode())
    assert "Its stall count stays 1: at this queue's max stalled 2" in said
    assert "Its stall count starts at 0: at this queue's max stalled 2" in said
    assert "The next claim is attempt 4" in said
    confirm(who, A, **({"reset_stalls": "on"} if reset else {}))
    queue = EchoMQ(scene.store)
    claim = queue.claim("orders", 1)
    assert claim.attempts == 4
    scene.store.zadd(scene.key("active"), {A: 1})
    queue.sweep("orders", max_stalled=2)
    assert scene.members(fate) == [A.encode()]


def test_the_bytes_of_a_requeued_job_stay(scene, browser):
    scene.dead(A, payload=b"\x80\x04\x95\xff")
    press(browser(), A)
    assert scene.field(A, "payload") == b"\x80\x04\x95\xff"


def test_the_actor_of_the_audit_entry_is_the_one_who_pressed(scene, browser):
    scene.dead(A)
    who = browser()
    press(who, A)
    said = text(who.get("/q/prod/orders/audit").content.decode())
    assert "requeue by operator-olena" in said
    assert "1 requeued" in said
