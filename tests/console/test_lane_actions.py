"""Pausing, resuming and limiting one lane, from its row."""

from __future__ import annotations

import pytest

from tests.console.confirming import Q, confirm, html
from tests.console.scene import A, B, G, rows, tags, text

LANES = "/q/prod/orders/lanes"
ODD = b"\xff<b>/?&a=b"


def link(page: str, verb: str) -> str:
    """Where the button of the first lane leads."""
    return next(
        a["href"] for tag, a in tags(page) if tag == "a" and f"/{verb}?" in (a.get("href") or "")
    )


@pytest.fixture(params=[G.encode(), ODD, b"a b", b"~x"])
def lane(request, scene) -> bytes:
    """A lane with a job, on the ring."""
    scene.row(A, group=request.param)
    scene.store.zadd(scene.key(b"g:" + request.param + b":pending"), {A: 0})
    scene.store.rpush(scene.key("ring"), request.param)
    return request.param


def test_only_an_admin_is_offered_to_change_a_lane(scene, browser):
    scene.pending(A, group=G)
    scene.store.rpush(scene.key("ring"), G)
    for role in ("viewer", "operator"):
        (row,) = rows(html(browser(role).get(LANES)))
        assert "Pause" not in row
        assert "Limit" not in row
    (row,) = rows(html(browser("admin").get(LANES)))
    assert "Limit…" in row
    assert "Pause…" in row


def test_a_lane_is_paused_after_a_look_at_it_and_resumed_by_one_press(scene, browser, lane):
    who = browser("admin")
    page = html(who.get(f"{LANES}?q=&only="))
    asked = html(who.get(link(page, "pause_lane")))
    assert "Waiting 1 consumers take from it in turn" in text(asked)
    answer = confirm(who, "pause_lane", asked)
    assert answer.redirect_chain[0][0].startswith(f"{LANES}?did=")
    assert "paused" in text(html(answer))
    assert scene.store.smembers(scene.key("paused")) == {lane}
    assert scene.store.lrange(scene.key("ring"), 0, -1) == []
    page = html(who.get(LANES))
    button = next(a for tag, a in tags(page) if tag == "button" and a.get("name") == "group")
    fields = {"group": button["value"], "back": "queue_lanes"}
    answer = who.post(f"{Q}/resume_lane", fields, follow=True)
    assert "resumed" in text(html(answer))
    assert scene.store.scard(scene.key("paused")) == 0
    assert scene.store.lrange(scene.key("ring"), 0, -1) == [lane]


def test_a_limit_is_set_and_taken_away(scene, browser, lane):
    who = browser("admin")
    asked = html(who.get(link(html(who.get(LANES)), "limit_lane")))
    answer = confirm(who, "limit_lane", asked, n="3")
    assert "limited to 3 active at once" in text(html(answer))
    assert scene.store.hget(scene.key("glimit"), lane) == b"3"
    asked = html(who.get(link(html(who.get(LANES)), "limit_lane")))
    assert "Limit 3" in text(asked)
    answer = confirm(who, "limit_lane", asked, n="")
    assert "has no limit any more" in text(html(answer))
    assert not scene.store.hexists(scene.key("glimit"), lane)


@pytest.mark.parametrize("n", ["0", "-1", "x", "1e3"])
def test_a_limit_that_is_none_is_said_beside_its_field(scene, browser, n):
    scene.pending(A, group=G)
    scene.store.rpush(scene.key("ring"), G)
    who = browser("admin")
    asked = html(who.get(link(html(who.get(LANES)), "limit_lane")))
    answer = confirm(who, "limit_lane", asked, n=n)
    assert "field-error" in html(answer)
    assert not scene.store.exists(scene.key("glimit"))


def test_the_confirmation_of_one_lane_does_not_cover_another(scene, browser):
    scene.pending(A, group=G)
    scene.pending(B, group="other")
    scene.store.rpush(scene.key("ring"), G, "other")
    who = browser("admin")
    asked = html(who.get(f"{Q}/pause_lane?group={G}"))
    answer = confirm(who, "pause_lane", asked, group="other")
    assert "What is asked is not what was shown" in text(html(answer))
    assert scene.store.scard(scene.key("paused")) == 0


def test_an_action_without_a_lane_asks_for_it_and_one_of_nobody_is_refused(scene, browser):
    scene.pending(A, group=G)
    scene.store.rpush(scene.key("ring"), G)
    who = browser("admin")
    assert "Lane" in text(html(who.get(f"{Q}/pause_lane")))
    answer = who.post(f"{Q}/pause_lane", {"group": "~!"}, follow=True)
    assert "in a way that no page of the console writes" in text(html(answer))
    assert scene.store.scard(scene.key("paused")) == 0


def test_a_paused_lane_is_not_paused_again(scene, browser):
    scene.pending(A, group=G)
    scene.store.sadd(scene.key("paused"), G)
    asked = html(browser("admin").get(f"{Q}/pause_lane?group={G}"))
    assert "It is paused already" in text(asked)


def test_the_list_of_lanes_stays_as_it_was_looked_at(scene, browser):
    scene.pending(A, group=G)
    scene.store.rpush(scene.key("ring"), G)
    who = browser("admin")
    asked = html(who.get(link(html(who.get(f"{LANES}?q=GRP&sort=-depth")), "pause_lane")))
    answer = confirm(who, "pause_lane", asked)
    assert answer.redirect_chain[0][0].startswith(f"{LANES}?q=GRP&sort=-depth&did=")


def test_an_operator_reaps_a_lane_from_its_row(scene, browser):
    scene.active(A, -5_000, group=G)
    scene.store.hset(scene.key("gactive"), G, 1)
    page = html(browser().get(LANES))
    asked = html(browser().get(link(page, "reap_group")))
    assert f"Reap 1 of lane {G}" in text(asked)
