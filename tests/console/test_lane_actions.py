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
    said = text(asked)
    assert "Waiting 1 stay, and no worker claims one until the lane is resumed" in said
    assert "Pause lane: " not in said
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
    assert "required" not in attributes(asked, "n")
    answer = confirm(who, "limit_lane", asked, n="")
    assert "has no limit any more" in text(html(answer))
    assert not scene.store.hexists(scene.key("glimit"), lane)


def attributes(page: str, name: str) -> dict:
    """Those of a field."""
    return next(a for tag, a in tags(page) if tag == "input" and a.get("name") == name)


def test_a_limit_that_is_set_already_is_told_apart_from_one_that_is_set(scene, browser):
    scene.pending(A, group=G)
    scene.store.hset(scene.key("glimit"), G, 2)
    who = browser("admin")
    asked = html(who.get(f"{Q}/limit_lane?group={G}"))
    answer = confirm(who, "limit_lane", asked, n="2")
    assert f"lane {G} was limited to 2 already, nothing was changed" in text(html(answer))


def test_no_limit_is_asked_for_where_there_is_none(scene, browser):
    scene.pending(A, group=G)
    scene.store.rpush(scene.key("ring"), G)
    asked = html(browser("admin").get(f"{Q}/limit_lane?group={G}"))
    assert "required" in attributes(asked, "n")


@pytest.mark.parametrize(
    ("verb", "title", "fate"),
    [
        ("pause_lane", "Pause lane", "stay, and no worker claims one until the lane is resumed"),
        ("resume_lane", "Resume lane", "can be claimed from then on"),
        ("limit_lane", "Limit lane", "wait while the lane is at its limit"),
    ],
)
def test_a_confirmation_names_the_lane_and_says_what_becomes_of_its_jobs(
    scene, browser, verb, title, fate
):
    scene.pending(A, group="acme")
    scene.store.rpush(scene.key("ring"), "acme")
    if verb == "resume_lane":
        scene.store.sadd(scene.key("paused"), "acme")
        scene.store.delete(scene.key("ring"))
    said = text(html(browser("admin").get(f"{Q}/{verb}?group=acme")))
    assert f"{title} acme of orders?" in said
    assert f"Waiting 1 {fate}" in said


def test_a_lane_that_stands_wrong_is_said_to_be_put_right(scene, browser):
    scene.pending(A, group=G)
    scene.pending(B)
    said = text(html(browser("admin").get(f"{Q}/resume_lane?group={G}")))
    assert "It stands wrong now: it has jobs and room, but is missing on the ring." in said


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
