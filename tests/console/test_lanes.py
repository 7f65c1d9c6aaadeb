"""The tab of lanes: how each stands, why, and what to do about it."""

from __future__ import annotations

import re

import pytest

from echomq_admin.fleet import discovery, servers
from tests.console.scene import A, B, C, G, Scene, rows, tags, text

URL = "/q/prod/orders/lanes"


def page(browser, query: str = "") -> str:
    answer = browser("viewer").get(URL + query)
    assert answer.status_code == 200
    return answer.content.decode()


def names(html: str) -> list[str]:
    return [row.split()[0] for row in rows(html)]


@pytest.fixture
def known(scene: Scene) -> Scene:
    """The queue is known, so that it has pages."""
    scene.store.hset(scene.key("meta"), "note", "x")
    return scene


def many(scene: Scene, count: int) -> list[str]:
    made = [f"lane{n:04}" for n in range(count)]
    pipe = scene.store.pipeline()
    for name in made:
        pipe.zadd(scene.key(f"g:{name}:pending"), {A: 0})
    pipe.rpush(scene.key("ring"), *made)
    pipe.execute()
    return made


def test_a_lane_shows_its_numbers_and_leads_to_its_jobs(scene, browser):
    scene.pending(A, group=G)
    scene.pending(B, group=G)
    scene.store.rpush(scene.key("ring"), G)
    scene.store.hset(scene.key("gactive"), G, 1)
    scene.store.hset(scene.key("glimit"), G, 3)
    scene.store.hset(scene.key("gweight"), G, 7)
    scene.active(C, 30_000, group=G)
    html = page(browser)
    (row,) = rows(html)
    assert re.fullmatch(rf"{G} on the ring 2 .* ago .* 1 3 7", row.strip())
    link = next(a["href"] for tag, a in tags(html) if tag == "a" and "lane=" in (a["href"] or ""))
    assert A in browser().get(link).content.decode()


def test_a_lane_in_neither_ring_nor_counters_is_found_and_said_to_be_off_the_ring(scene, browser):
    scene.pending(A, group=G)
    scene.pending(B, group=G)
    discovery.discover(servers.server("prod"))
    (row,) = rows(page(browser))
    assert "off the ring" in row
    assert "no consumer takes from it" in row
    assert f"manage.py emq resume_lane --as NAME --group={G} prod/orders" in row


def test_a_paused_lane_on_the_ring_is_mended_by_pausing_it(scene, browser):
    scene.pending(A, group=G)
    scene.store.rpush(scene.key("ring"), G)
    scene.store.sadd(scene.key("paused"), G)
    (row,) = rows(page(browser))
    assert "on the ring, idle" in row
    assert "paused" in row
    assert f"manage.py emq pause_lane --as NAME --group={G} prod/orders" in row


def test_held_slots_without_a_lease_are_said(scene, browser):
    scene.row(A, state="active", attempts=1, group=G)
    scene.store.hset(scene.key("gactive"), G, 1)
    said = text(page(browser))
    assert (
        "The lanes hold 1 slot, no job of the queue is in flight: 1 slot is held by no job" in said
    )


def test_more_held_slots_than_leases_are_said_as_a_least_number(scene, browser):
    scene.active(A, 30_000, group=G)
    scene.store.hset(scene.key("gactive"), mapping={G: 1, "other": 2})
    assert (
        "The lanes hold 3 slots, only 1 job of the queue is in flight: "
        "at least 2 slots are held by no job" in text(page(browser))
    )


def test_as_many_leases_as_slots_are_no_news(scene, browser):
    scene.active(A, 30_000, group=G)
    scene.store.hset(scene.key("gactive"), G, 1)
    assert "held by no job" not in text(page(browser))


def test_a_counter_that_is_no_integer_breaks_only_its_cell(scene, browser):
    scene.pending(A, group=G)
    scene.store.rpush(scene.key("ring"), G, "other")
    scene.store.hset(scene.key("gactive"), G, "x")
    html = page(browser)
    by_name = dict(zip(names(html), rows(html), strict=True))
    assert "?" in by_name[G]
    assert "?" not in by_name["other"]
    titles = [a["title"] for _, a in tags(html) if a.get("title")]
    assert any("gactive holds no integer here" in title for title in titles)


@pytest.mark.parametrize("key", ["ring", "paused", "glimit", "gactive", "gweight"])
def test_a_key_of_the_wrong_type_leaves_a_page(scene, browser, key):
    scene.pending(A, group=G)
    scene.store.set(scene.key(key), "x")
    discovery.discover(servers.server("prod"))
    html = page(browser)
    assert names(html) == [G]
    assert "Not all about the lanes can be read" in text(html)
    assert f"{key}: the key holds another type" in text(html)


def test_groups_of_any_bytes_are_listed_and_open(scene, browser):
    groups = [b"\xff<b>/?", b'" hx-get="/x', b"..", b"", b"~x", "ü".encode()]
    for number, group in enumerate(groups):
        scene.store.zadd(scene.key(b"g:" + group + b":pending"), {f"JOB0KHTOWnGLu{number}": 0})
        scene.store.rpush(scene.key("ring"), group)
        scene.row(f"JOB0KHTOWnGLu{number}")
    html = page(browser)
    assert "<b>/?" not in html
    assert not [a for _, a in tags(html) if a.get("hx-get") == "/x"]
    assert len(rows(html)) == len(groups)
    opened = [
        a["href"]
        for tag, a in tags(html)
        if tag == "a" and "data-open" in a and "lane=" in (a["href"] or "")
    ]
    assert len(opened) == len(groups)
    found = {rows(browser().get(link).content.decode())[0].split()[0] for link in opened}
    assert found == {f"JOB0KHTOWnGLu{number}" for number in range(len(groups))}


def test_lanes_are_chosen_and_sorted_by_the_address(scene, browser):
    scene.store.zadd(scene.key("g:small:pending"), {A: 0})
    scene.store.zadd(scene.key("g:large:pending"), {A: 0, B: 0})
    scene.store.rpush(scene.key("ring"), "large")
    scene.store.sadd(scene.key("paused"), "held", "small")
    assert names(page(browser)) == ["held", "large", "small"]
    assert names(page(browser, "?sort=-depth")) == ["large", "small", "held"]
    assert names(page(browser, "?sort=-name")) == ["small", "large", "held"]
    assert names(page(browser, "?q=LA")) == ["large"]
    assert names(page(browser, "?only=paused")) == ["held", "small"]
    html = page(browser, "?only=limit&q=x")
    assert rows(html) == []
    assert "none is at limit and has “x” in its name" in text(html)


@pytest.mark.parametrize(
    "query", ["?sort=nothing", "?sort=--name", "?only=x", "?rows=1e9", "?cursor=abc", "?page=9"]
)
def test_an_address_that_asks_for_nonsense_shows_the_first_page(scene, browser, query):
    many(scene, 30)
    assert names(page(browser, query)) == [f"lane{n:04}" for n in range(25)]


def test_pages_go_on_behind_the_last_lane_and_keep_what_was_chosen(scene, browser):
    many(scene, 60)
    html = page(browser, "?sort=-depth&q=lane")
    seen = names(html)
    while following := next((a["href"] for _, a in tags(html) if a.get("rel") == "next"), None):
        assert "sort=-depth" in following
        html = page(browser, following)
        seen += names(html)
    assert sorted(seen) == [f"lane{n:04}" for n in range(60)]


def test_five_thousand_lanes_come_by_name(scene, browser):
    many(scene, 5_000)
    html = page(browser, "?rows=100&sort=-depth")
    assert names(html) == [f"lane{n:04}" for n in range(100)]
    assert "100 of 5,000" in text(html)
    assert "too many lanes to sort by a number" in text(html)
    assert "aria-sort" in html
    assert "sort=depth" not in html
    off = page(browser, "?only=off")
    assert "looked at lanes 1 to 1,000 by name, of 5,000" in text(off).lower()
    assert "Go on" in text(off)


def test_a_queue_without_lanes_says_so(known, browser):
    html = page(browser)
    assert rows(html) == []
    assert "This queue has none" in text(html)


def test_the_name_in_the_filter_is_text_and_is_kept(known, browser):
    html = page(browser, '?q="><script>1</script>')
    assert "<script>1" not in html
    field = next(a for tag, a in tags(html) if a.get("id") == "filter")
    assert field["value"] == '"><script>1</script>'


def test_the_tab_counts_the_lanes_that_the_page_knows(scene, browser):
    scene.store.hset(scene.key("glimit"), mapping={"a": 1, "b": 1})
    html = page(browser)
    assert "Lanes 2" in text(html)
    assert "2 lanes" in text(html)


def test_limits_pauses_and_weights_that_a_gone_queue_left_behind_are_listed(scene, browser):
    scene.store.hset(scene.key("glimit"), "acme", 2)
    scene.store.hset(scene.key("gweight"), "globex", 3)
    scene.store.sadd(scene.key("paused"), "initech")
    scene.store.hset(scene.key("gactive"), "umbrella", 1)
    by_name = dict(zip(names(html := page(browser)), rows(html), strict=True))
    assert set(by_name) == {"acme", "globex", "initech", "umbrella"}
    assert "empty" in by_name["acme"]
    assert "paused" in by_name["initech"]


def test_an_oldest_job_whose_id_tells_no_time_is_unknown(scene, browser):
    scene.pending("user/234", group=G)
    scene.store.rpush(scene.key("ring"), G)
    (row,) = rows(page(browser))
    assert "1 ? 0" in row
