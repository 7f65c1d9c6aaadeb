"""Reap, and reap of one lane: their previews, and what they do."""

from __future__ import annotations

import pytest

from tests.console.scene import A, B, C, G, dump, rows, tags, text, value

REAP, LANE = "/q/prod/orders/reap", "/q/prod/orders/reap_group"
GHOST = "JOB0KHTOWnGLuD"
FIELDS = ("op_id", "seen", "shown", "take", "limit")


def preview(who, url: str = REAP) -> str:
    answer = who.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def run(who, html: str, url: str = REAP, **fields: str) -> str:
    data = {name: value(html, name) for name in FIELDS} | fields
    return who.post(url, data, follow=True).content.decode()


def test_a_reap_puts_back_without_a_count_and_says_so_before(scene, browser):
    scene.active(A, -5_000, stalled=1)
    scene.active(B, 30_000)
    before = dump(scene.store)
    html = preview(who := browser())
    assert "puts it back into pending, no stall is counted" in rows(html)[0]
    assert "Reap 1" in text(html)
    assert dump(scene.store) == before
    said = text(run(who, html))
    assert "1 put back" in said
    assert "all went as previewed" in said
    assert (scene.members("pending"), scene.field(A, "stalled")) == ([A.encode()], b"1")
    assert scene.members("active") == [B.encode()]


def test_a_viewer_sees_what_a_reap_would_do_and_cannot(scene, browser):
    scene.active(A, -5_000)
    for url in (REAP, f"{LANE}?group={G}"):
        html = preview(browser("viewer"), url)
        assert "takes the role operator" in text(html)
    assert browser("viewer").post(REAP, {"take": "1", "limit": "1"}).status_code == 403
    assert scene.members("active") == [A.encode()]


@pytest.mark.parametrize("shown", ["", "forged"])
def test_a_reap_that_nobody_was_shown_is_refused(scene, browser, shown):
    scene.active(A, -5_000)
    before = dump(scene.store)
    run_it = browser().post(REAP, {"shown": shown, "take": "5", "limit": "5"})
    assert "was not written by the console for you" in text(run_it.content.decode())
    assert dump(scene.store) == before


def test_no_more_are_reaped_than_the_button_says(scene, browser):
    scene.active(A, -5_000)
    html = preview(who := browser())
    scene.active(B, -4_000)
    assert "1 of 2 lapsed leases reaped" in text(run(who, html))
    assert scene.members("active") == [B.encode()]


def test_without_a_lane_the_page_offers_those_with_lapsed_leases(scene, browser):
    scene.active(A, -5_000, group="a b")
    scene.active(B, -4_000, group=G)
    scene.active(C, -3_000, group=G)
    html = preview(browser(), LANE)
    links = [a["href"] for tag, a in tags(html) if tag == "a" and "group=" in (a["href"] or "")]
    assert len(links) == 2
    assert f"{G} 2" in text(html)
    seen = [rows(preview(browser(), LANE + link)) for link in links]
    assert [len(one) for one in seen] == [2, 1]
    assert "lane a b" in seen[1][0]


def test_the_reap_of_a_lane_leaves_the_others_and_takes_what_has_no_row(scene, browser):
    scene.active(A, -5_000, group=G)
    scene.active(B, -4_000, group="other")
    scene.store.zadd(scene.key("active"), {GHOST: 1})
    html = preview(who := browser(), f"{LANE}?group={G}")
    assert f"Reap 2 of lane {G}" in text(html)
    assert not any(B in row for row in rows(html))
    assert value(html, "take") == "3"
    said = text(run(who, html, LANE, group=G))
    assert f"1 put back, 1 row missing, id dropped in lane {G}" in said
    assert "all went as previewed" in said
    assert scene.members(f"g:{G}:pending") == [A.encode()]
    assert scene.members("active") == [B.encode()]


def test_the_reap_of_another_lane_than_that_shown_is_refused(scene, browser):
    scene.active(A, -5_000, group=G)
    scene.active(B, -4_000, group="other")
    html = preview(who := browser(), f"{LANE}?group={G}")
    assert "not what was shown" in text(run(who, html, LANE, group="other"))
    assert len(scene.members("active")) == 2


def test_a_lane_that_no_page_wrote_is_no_lane(scene, browser):
    scene.active(A, -5_000, group=G)
    assert "Choose the lane" in text(preview(browser(), f"{LANE}?group=~!"))
    said = text(browser().post(LANE, {"group": "~!"}, follow=True).content.decode())
    assert "names a job or a lane in a way that no page" in said


@pytest.mark.parametrize("limit", ["0", "x", "1001", ""])
def test_a_limit_out_of_range_is_said_beside_its_field(scene, browser, limit):
    scene.active(A, -5_000)
    html = preview(browser(), f"{REAP}?limit={limit}")
    assert "field-error" in html
    assert "Reap 1" not in text(html)
