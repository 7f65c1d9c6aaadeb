"""The overview of all queues."""

from __future__ import annotations

import re

import pytest

from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.models import Pass, Walk
from echomq_admin.fleet.snapshot import refresh
from tests.console.overviews import discover, names, page
from tests.console.scene import A, B, C, G, Scene, rows, tags, text
from tests.valkey import free_port, valkey

pytestmark = pytest.mark.usefixtures("patient")


def test_every_queue_has_its_counts(scene, browser):
    scene.pending(A)
    scene.pending(B, group=G)
    scene.active(C, -1_000)
    scene.dead("JOB0KHTOWnGLuD")
    scene.store.hset(scene.key("metrics:completed"), "count", 1234567)
    discover()
    (row,) = rows(page(browser))
    name, chip, server, *numbers = re.sub(r"1 off the ring", "1-off", row).split()
    assert (name, chip, server) == ("orders", "1-off", "prod")
    assert numbers[:4] == ["2", "1", "in", "lanes"]
    assert numbers[-6:] == ["1", "1", "0", "1", "1,234,567", "0"]


def test_a_broken_key_breaks_only_its_own_cell(prod, browser):
    for number in range(5):
        Scene(prod, f"q{number}").pending(A)
    broken = Scene(prod, "q3")
    broken.store.delete(broken.key(f"job:{A}"))
    broken.store.hset(broken.key("metrics:completed"), "count", "abc")
    broken.store.hset(broken.key("gactive"), G, "x")
    broken.store.set(broken.key("dead"), "x")
    discover()
    html = page(browser)
    assert len(rows(html)) == 5
    row = next(row for row in rows(html) if "q3" in row)
    assert row.split().count("?") == 2
    assert all("?" not in other for other in rows(html) if other != row)
    assert any("title" in a and a["title"] for _, a in tags(html) if a.get("class") == "unknown")


def test_queues_are_filtered_by_name_server_and_paused(prod, browser):
    for queue in ("orders", "payments", "mailer"):
        Scene(prod, queue).pending(A)
    prod.hset("emq:{payments}:meta", "paused", "")
    discover()
    assert names(page(browser, "?q=ORD")) == ["orders"]
    assert names(page(browser, "?q=paused")) == ["payments"]
    assert len(names(page(browser, "?q=prod"))) == 3
    assert "No queue matches “nope”" in text(page(browser, "?q=nope"))
    assert "No queue matches “\\u202e”" in text(page(browser, "?q=%E2%80%AE"))
    assert names(page(browser, "?server=staging")) == []


def test_queues_are_sorted_by_any_column(prod, browser):
    for number, queue in enumerate(("a", "b", "c")):
        Scene(prod, queue).many_dead(number)
        Scene(prod, queue).pending(A)
    discover()
    assert names(page(browser)) == ["a", "b", "c"]
    assert names(page(browser, "?sort=-dead")) == ["c", "b", "a"]
    assert names(page(browser, "?sort=dead")) == ["a", "b", "c"]
    html = page(browser, "?sort=-dead")
    assert [a["aria-sort"] for _, a in tags(html) if "aria-sort" in a] == ["descending"]


@pytest.mark.parametrize(
    "query", ["?sort=nope", "?page=9999", "?page=-1", "?page=abc", "?page=1e9"]
)
def test_an_address_out_of_range_falls_back(scene, browser, query):
    scene.pending(A)
    discover()
    assert names(page(browser, query)) == ["orders"]


def test_more_than_a_hundred_queues_are_paged(prod, browser):
    for number in range(103):
        Scene(prod, f"q{number:03}").pending(A)
    discover()
    first = page(browser)
    assert len(rows(first)) == 100
    following = next(a["href"] for tag, a in tags(first) if tag == "a" and a.get("rel") == "next")
    assert names(page(browser, following)) == ["q100", "q101", "q102"]
    assert "103 queues" in text(first)
    assert "1–100 of 103" in text(first)
    assert "101–103 of 103" in text(page(browser, following))


def test_a_page_keeps_the_filter_and_the_order(prod, browser):
    for number in range(120):
        Scene(prod, f"q{number:03}").pending(A)
    discover()
    first = page(browser, "?q=q&sort=-name&server=prod")
    following = next(a["href"] for tag, a in tags(first) if tag == "a" and a.get("rel") == "next")
    assert names(page(browser, following)) == [f"q{number:03}" for number in range(19, -1, -1)]
    assert all(part in following for part in ("q=q", "sort=-name", "server=prod"))


def test_the_numbers_of_a_queue_lead_to_their_jobs(scene, browser):
    scene.many_dead(3)
    discover()
    links = {a.get("aria-label"): a["href"] for tag, a in tags(page(browser)) if tag == "a"}
    assert links["3 dead in orders"] == "/q/prod/orders/dead"
    assert links["0 pending in orders"] == "/q/prod/orders/pending"
    assert links["0 active in orders"] == "/q/prod/orders/active"
    assert links["0 lapsed in orders"] == "/q/prod/orders/active"
    assert links["0 scheduled in orders"] == "/q/prod/orders/scheduled"


def test_a_queue_without_a_visible_name_can_be_seen(prod, browser):
    Scene(prod, " ").pending(A)
    discover()
    assert names(page(browser)) == ["\\x20"]


def test_every_number_has_its_thousands_apart(scene, browser):
    scene.store.zadd(scene.key("active"), {f"JOB{at}": 1 for at in range(1_234)})
    discover()
    said = text(page(browser))
    assert "1,234 leases lapsed" in said
    assert "1234" not in said


def test_lapsed_leases_stand_on_top_with_a_way_there(scene, browser):
    scene.active(A, -5_000)
    scene.active(B, -5_000)
    discover()
    html = page(browser)
    assert "2 leases lapsed on orders (prod)" in text(html)
    assert any(a.get("href") == "/q/prod/orders/active" for tag, a in tags(html) if tag == "a")


def test_a_paused_queue_has_a_chip_whatever_the_value_of_the_field(prod, browser):
    Scene(prod, "orders").pending(A)
    prod.hset("emq:{orders}:meta", "paused", "0")
    discover()
    assert "paused" in rows(page(browser))[0]


def test_the_last_discovery_is_said(scene, browser):
    scene.pending(A)
    assert "not discovered yet" in text(page(browser))
    discover()
    assert re.search(
        r"last discovery (just now|\d+ s ago) · \d\d:\d\d:\d\d ?,", text(page(browser))
    )


def test_how_far_a_pass_under_way_has_come_is_told_beside_the_last_one(scene, browser):
    scene.pending(A)
    Walk.objects.create(server="prod", cursor="17", run_id="x", keys=1_234)
    assert "not discovered yet. One is under way: 1,234 keys so far." in said_below(browser)
    assert "1,234 keys so far" in text(browser("viewer").get("/s/prod").content.decode())
    discover()
    assert "under way" not in said_below(browser)
    Walk.objects.update(cursor="17", keys=1)
    assert "One is under way: 1 key so far." in said_below(browser)


@pytest.mark.parametrize(
    ("walked", "last", "said"),
    [
        (1, 5, "1 of about 5 keys so far"),
        (0, 1, "0 of about 1 key so far"),
        (2, 1, "2 keys so far"),
        (5, 5, "5 keys so far"),
        (0, 0, "0 keys so far"),
    ],
)
def test_how_many_keys_there_are_is_told_until_the_pass_has_seen_so_many(
    prod, browser, walked, last, said
):
    discover()
    Pass.objects.update(keys=last)
    Walk.objects.update_or_create(server="prod", defaults={"cursor": "17", "keys": walked})
    assert f"One is under way: {said}." in said_below(browser)
    assert f"Under way {said}" in text(browser("viewer").get("/s/prod").content.decode())


def said_below(browser) -> str:
    return text(page(browser).split('id="discovery">')[1])


def test_an_empty_server_says_where_queues_come_from(prod, browser):
    discover()
    assert "No queue is known yet" in text(page(browser))


def test_a_server_that_nobody_has_looked_through_needs_a_person(scene, browser):
    scene.pending(A)
    assert "prod not discovered yet" in text(page(browser))
    discover()
    assert "Nothing right now" in text(page(browser))


def test_a_server_out_of_reach_or_read_only_needs_a_person(settings, server_url, prod, browser):
    settings.EMQ_SERVERS = f"prod={server_url} lost=redis://127.0.0.1:{free_port()}/0"
    prod.set("{emq}:version", "echomq:9.0.0")
    discovery.discover(servers.server("prod"))
    needs = text(page(browser)).split("Needs you")[1]
    assert "lost out of reach" in needs
    assert "prod read-only" in needs
    assert "Nothing right now" not in needs


def test_the_open_queue_feeds_its_own_line_also_before_it_is_discovered(scene, browser):
    scene.dead(A)
    who = browser("viewer")
    who.get("/")
    html = who.get("/q/prod/orders/dead").content.decode()
    assert "orders 1 dead" in text(html)
    scene.dead(B)
    assert "orders 2 dead" in text(who.get("/q/prod/orders/dead").content.decode())


def test_without_servers_the_page_names_the_setting(settings, browser):
    settings.EMQ_SERVERS = ""
    assert "EMQ_SERVERS" in text(page(browser))


def test_an_unknown_fence_makes_a_server_read_only_with_the_reason(scene, browser):
    scene.pending(A)
    scene.store.set("{emq}:version", "echomq:9.0.0")
    discover()
    assert "Read-only:" in text(page(browser))
    assert "echomq:9.0.0" in text(page(browser))


def test_a_server_out_of_reach_leaves_the_others_and_its_last_rows_marked_stale(
    settings, server_url, prod, browser
):
    port = free_port()
    settings.EMQ_SERVERS = f"prod={server_url} staging=redis://127.0.0.1:{port}/0"
    with valkey(port=port):
        Scene(prod, "orders").pending(A)
        Scene(servers.server("staging").client, "thumbs").pending(A)
        discover()
        assert names(page(browser)) == ["orders", "thumbs"]
    refresh(servers.server("staging"))
    html = page(browser)
    assert names(html) == ["orders", "thumbs"]
    assert "stale" in next(row for row in rows(html) if "thumbs" in row)
    assert "stale" not in next(row for row in rows(html) if "orders" in row)
    assert "Out of reach: staging" in text(html)
    assert "those last seen" in text(html)
