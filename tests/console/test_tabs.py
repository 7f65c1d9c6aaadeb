"""The tabs of a queue are its counters."""

from __future__ import annotations

from echomq_admin.fleet import discovery, servers
from tests.console.scene import A, B, C, G, Scene, tags, text

STALLS = "stalls?server=prod&queue=orders"
TABS = ["pending", "active", "scheduled", "dead", "lanes", STALLS, "audit"]


def page(browser, tab: str = "dead") -> str:
    return browser("viewer").get(f"/q/prod/orders/{tab}").content.decode()


def bar(html: str) -> str:
    return html.split('<nav class="tabs"')[1].split("</nav>", maxsplit=1)[0]


def hrefs(html: str) -> list[str]:
    return [(a["href"] or "").rsplit("/", 1)[-1] for tag, a in tags(bar(html)) if tag == "a"]


def test_every_tab_is_a_link_with_its_count(scene: Scene, browser):
    scene.pending(A)
    scene.pending(B, group=G)
    scene.active(C, -5_000)
    scene.store.zadd(scene.key("schedule"), {"JOB0KHTOWnGLuD": scene.now_ms() + 60_000})
    scene.dead("JOB0KHTOWnGLuE")
    discovery.discover(servers.server("prod"))
    html = page(browser)
    assert hrefs(html) == TABS
    words = " ".join(text(bar(html)).split())
    for part in (
        "Pending 2",
        "1 in lanes",
        "Active 1 1 lapsed",
        "Scheduled 1",
        "Dead 1",
        "Lanes 1",
    ):
        assert part in words


def test_lanes_off_the_ring_are_counted_in_their_tab(scene: Scene, browser):
    scene.pending(A, group=G)
    scene.pending(B, group="other")
    discovery.discover(servers.server("prod"))
    html = page(browser)
    assert "2 off the ring" in text(bar(html))
    assert '<em class="c-lapsed">2 off the ring</em>' in bar(html)


def test_an_empty_lane_is_counted_on_each_tab_as_on_that_of_lanes(scene: Scene, browser):
    scene.active(A, 60_000, group=G)
    scene.store.hset(scene.key("gactive"), G, 1)
    scene.store.hset(scene.key("glimit"), "limited", 3)
    scene.pending(B, group="full")
    discovery.discover(servers.server("prod"))
    for tab in ("dead", "lanes"):
        words = " ".join(text(bar(page(browser, tab))).split())
        assert "Lanes 3" in words
        assert "1 in lanes" in words


def test_repeatables_have_a_tab_where_there_are_any(scene: Scene, browser):
    scene.dead(A)
    assert "repeat" not in hrefs(page(browser))
    assert "repeat" in hrefs(page(browser, "repeat"))
    scene.store.zadd(scene.key("repeat"), {"nightly": scene.now_ms()})
    html = page(browser, "repeat")
    assert hrefs(html) == [*TABS[:5], "repeat", *TABS[5:]]
    assert "Repeat 1" in " ".join(text(bar(html)).split())


def test_the_open_tab_is_marked_and_has_the_number_of_its_page(scene: Scene, browser):
    scene.store.hset(scene.key("glimit"), mapping={"a": 1, "b": 1, "c": 1})
    html = bar(page(browser, "lanes"))
    current = [a["href"] for tag, a in tags(html) if a.get("aria-current") == "page"]
    assert current == ["/q/prod/orders/lanes"]
    assert "Lanes 3" in " ".join(text(html).split())


def test_what_cannot_be_read_is_a_question_mark(scene: Scene, browser):
    scene.store.set(scene.key("dead"), "x")
    scene.store.set(scene.key("pending"), "x")
    discovery.discover(servers.server("prod"))
    words = " ".join(text(bar(page(browser, "lanes"))).split())
    assert "Dead ?" in words
    assert "Pending ?" in words


def test_the_settings_of_the_queue_are_a_click_away(scene: Scene, browser):
    scene.dead(A)
    assert "/q/prod/orders/settings" in {a.get("href") for _, a in tags(page(browser))}
