"""The rows of the overview: what they show, how they are sorted, filtered and hidden."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from echomq_admin.console import overview
from echomq_admin.emq import ids
from echomq_admin.fleet import preferences, servers, snapshot
from tests.console.overviews import discover, names, page
from tests.console.scene import A, B, C, G, Scene, rows, tags, text

pytestmark = pytest.mark.usefixtures("patient")


def titles(html: str) -> list[str]:
    return [attrs["title"] or "" for _, attrs in tags(html) if "title" in attrs]


def test_jobs_in_lanes_are_part_of_pending_and_told_apart(scene, browser):
    scene.pending(A, group=G)
    scene.pending(B, group=G)
    discover()
    html = page(browser)
    assert "2 2 in lanes" in rows(html)[0]
    assert "0 outside of lanes, 2 in 1 lane" in titles(html)


def test_the_age_of_the_oldest_job_is_told_with_its_instant(scene, browser):
    minted = scene.now_ms() - 250_000
    scene.pending(ids.mint("JOB", minted))
    scene.pending(ids.mint("JOB", minted + 240_000), group=G)
    discover()
    html = page(browser)
    assert "4 min" in rows(html)[0]
    (time,) = [attrs for tag, attrs in tags(html) if attrs.get("data-ms") == str(minted)]
    assert time["title"].endswith("UTC")


def test_nothing_that_waits_is_a_dash_and_no_mint_time_is_unknown(prod, browser):
    Scene(prod, "empty").dead(A)
    Scene(prod, "foreign").pending("user/1")
    discover()
    empty, foreign = rows(page(browser))
    assert " – " in empty
    assert " ? " in foreign


def test_an_id_of_another_namespace_that_comes_first_hides_no_age(scene, browser):
    scene.pending("!no id")
    scene.pending(ids.mint("JOB", scene.now_ms() - 250_000), group=G)
    discover()
    assert "4 min" in rows(page(browser))[0]


@pytest.mark.parametrize(
    "column",
    ["waiting", "oldest", "active", "lapsed", "scheduled", "dead", "completed", "failed"],
)
def test_every_column_sorts_and_what_is_unknown_comes_last(prod, browser, column):
    for number, queue in ((1, "one"), (3, "three"), (2, "two")):
        scene = Scene(prod, queue)
        now = scene.now_ms()
        prod.zadd(scene.key("pending"), {ids.mint("JOB", now - number * 60_000 - at): 0
                                         for at in range(number)})  # fmt: skip
        prod.zadd(scene.key("active"), {f"JOB{at}": 1 for at in range(number)})
        prod.zadd(scene.key("schedule"), {f"JOB{at}": 9e15 for at in range(number)})
        prod.zadd(scene.key("dead"), {f"JOB{at}": 0 for at in range(number)})
        prod.hset(scene.key("metrics:completed"), "count", number)
        prod.hset(scene.key("metrics:failed"), "count", number)
    for key in ("pending", "active", "schedule", "dead", "metrics:completed", "metrics:failed"):
        prod.set(f"emq:{{broken}}:{key}", "x")
    discover()
    assert names(page(browser, f"?sort=-{column}")) == ["three", "two", "one", "broken"]
    assert names(page(browser, f"?sort={column}")) == ["one", "two", "three", "broken"]


def test_equal_queues_stand_by_name_whichever_way_they_are_sorted(prod, browser):
    for queue in "cab":
        Scene(prod, queue).pending(A)
    discover()
    for order in ("dead", "-dead", "paused", "-paused", "server", "-server"):
        assert names(page(browser, f"?sort={order}")) == ["a", "b", "c"]
    assert names(page(browser, "?sort=-name")) == ["c", "b", "a"]


def test_paused_queues_can_be_put_first_by_a_menu_of_all_that_sorts(prod, browser):
    for queue in "abc":
        Scene(prod, queue).pending(A)
    prod.hset("emq:{b}:meta", "paused", 1)
    prod.set("emq:{c}:meta", "x")
    discover()
    menu = page(browser).split('id="sorts"')[1].split("</details>")[0]
    sorts = [a["href"] for tag, a in tags(menu) if tag == "a"]
    assert [one.split("=")[1] for one in sorts] == [
        "-name", "server", "-waiting", "-oldest", "-active", "-lapsed", "-scheduled", "-dead",
        "-completed", "-failed", "-paused",
    ]  # fmt: skip
    assert names(page(browser, "?sort=-paused")) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("lapsed", ["late"]),
        ("dead", ["morgue"]),
        ("no+jobs+listed", ["old"]),
        ("off+the+ring", ["lanes"]),
        ("sesame", ["noted"]),
        ("hidden", ["secret"]),
        ("nothing+of+it", []),
    ],
)
def test_the_filter_knows_states_and_notes(prod, browser, words, found):
    Scene(prod, "late").active(A, -1_000)
    Scene(prod, "morgue").dead(A)
    Scene(prod, "lanes").pending(A, group=G)
    Scene(prod, "noted").pending(A)
    Scene(prod, "secret").pending(A)
    prod.hset("emq:{old}:metrics:completed", "count", 3)
    preferences.change("prod", "noted", "olena", note="Open, Sesame")
    preferences.change("prod", "secret", "olena", hidden=True)
    discover()
    assert names(page(browser, f"?q={words}")) == found


def test_the_filter_keeps_what_else_the_address_says(scene, browser):
    scene.pending(A)
    discover()
    html = page(browser, "?q=or&server=prod&sort=-dead&history=hide&page=3")
    form = html.split('class="sift"')[1].split("</form>")[0]
    kept = {a["name"]: a["value"] for tag, a in tags(form) if a.get("type") == "hidden"}
    assert kept == {"server": "prod", "sort": "-dead", "history": "hide"}
    assert '<input type="search" id="filter" name="q" value="or"' in html


def test_queues_with_history_only_are_marked_and_can_be_hidden(prod, browser):
    prod.hset("emq:{old}:metrics:completed", "count", 991)
    prod.hset("emq:{old}:meta", "concurrency", 3)
    Scene(prod, "orders").pending(A)
    discover()
    html = page(browser)
    assert "no jobs listed" in rows(html)[0]
    assert "1 with no jobs listed hide it" in text(html)
    away = page(browser, "?history=hide")
    assert names(away) == ["orders"]
    assert "1 with no jobs listed show it" in text(away)


def test_a_queue_that_was_added_and_has_nothing_yet_is_marked_here_and_on_its_page(prod, browser):
    preferences.add("prod", "soon", "olena")
    preferences.add("prod", "orders", "olena")
    prod.hset("emq:{old}:metrics:completed", "count", 991)
    Scene(prod, "orders").pending(A)
    discover()
    html = page(browser)
    old, orders, soon = sorted(rows(html))
    assert "nothing in it yet" in soon
    assert "no jobs listed" not in soon
    assert all("nothing in it yet" not in row for row in (old, orders))
    assert names(page(browser, "?q=nothing+in+it+yet")) == ["soon"]
    pages = {name: browser("viewer").get(f"/q/prod/{name}/pending") for name in ("soon", "orders")}
    assert "nothing in it yet" in pages["soon"].content.decode()
    assert "nothing in it yet" not in pages["orders"].content.decode()
    prod.hset("emq:{soon}:meta", "paused", 1)
    snapshot.refresh(servers.server("prod"))
    assert "nothing in it yet" not in page(browser).split("<tbody>")[1]


def test_a_queue_that_is_gone_disappears_with_the_next_pass_and_its_page_too(prod, browser):
    for queue in ("gone", "orders"):
        Scene(prod, queue).pending(A)
    discover()
    assert names(page(browser)) == ["gone", "orders"]
    prod.delete("emq:{gone}:pending", f"emq:{{gone}}:job:{A}")
    discover()
    snapshot.refresh(servers.server("prod"))
    assert names(page(browser)) == ["orders"]
    assert browser("viewer").get("/q/prod/gone/active").status_code == 404


def test_hidden_queues_are_left_out_counted_and_shown_on_demand(prod, browser):
    for queue in ("orders", "noise"):
        Scene(prod, queue).pending(A)
    preferences.change("prod", "noise", "olena", hidden=True)
    discover()
    html = page(browser)
    assert names(html) == ["orders"]
    assert "1 hidden show" in text(html)
    shown = page(browser, "?hidden=show")
    assert names(shown) == ["noise", "orders"]
    assert "hidden" in rows(shown)[0]
    assert "1 hidden hide" in text(shown)


def test_a_page_of_hidden_queues_only_says_so(scene, browser):
    scene.pending(A)
    preferences.change("prod", "orders", "olena", hidden=True)
    discover()
    assert "Every queue is hidden" in text(page(browser))


def test_a_server_that_is_not_there_is_told(scene, browser):
    scene.pending(A)
    discover()
    html = page(browser, "?server=%3Cb%3E")
    assert "No server is called “<b>”" in text(html)
    assert "<b>”" not in html


def test_a_note_is_text_whatever_is_in_it(scene, browser):
    scene.pending(A)
    preferences.change("prod", "orders", "olena", note='<img src=x onerror="alert(1)">{{7*7}}')
    discover()
    html = page(browser)
    assert '<img src=x onerror="alert(1)">{{7*7}}' in rows(html)[0]
    assert not [tag for tag, _ in tags(html) if tag == "img"]


def test_one_job_in_two_sets_is_told_in_both_columns(scene, browser):
    """The sets are what is counted; nothing is added up over them."""
    scene.pending(A)
    scene.store.zadd(scene.key("dead"), {A: 0})
    scene.store.zadd(scene.key("active"), {A: 9e15})
    discover()
    numbers = rows(page(browser))[0].split()
    assert numbers[2] == "1"
    assert numbers[-6:] == ["1", "0", "0", "1", "0", "0"]


def test_an_empty_queue_with_only_settings_is_a_page_of_zeros(prod, browser):
    prod.hset("emq:{orders}:meta", "concurrency", 1)
    discover()
    assert rows(page(browser))[0].split()[-8:] == ["0", "–", "0", "0", "0", "0", "0", "0"]


def test_twenty_thousand_dead_cost_the_overview_no_more_commands_than_one(
    scene, browser, monkeypatch
):
    discover()
    monkeypatch.setattr(snapshot, "FRESH_S", 3600.0)
    costs = []
    for count in (1, 20_000):
        scene.store.zadd(scene.key("dead"), {f"JOB{at}": 0 for at in range(count)})
        discover()
        page(browser)
        scene.store.config_resetstat()
        snapshot.refresh(servers.server("prod"))
        page(browser)
        used = scene.store.info("commandstats")
        assert not {"cmdstat_keys", "cmdstat_scan", "cmdstat_evalsha", "cmdstat_eval"} & set(used)
        costs.append({name: entry["calls"] for name, entry in used.items()
                      if name.startswith(("cmdstat_z", "cmdstat_h", "cmdstat_l"))})  # fmt: skip
    assert costs[0] == costs[1]


def test_a_queue_added_by_an_operator_has_a_form_only_for_those_who_may(scene, browser):
    scene.pending(A)
    discover()
    assert "Add a queue by name" not in page(browser)
    html = browser("admin").get("/").content.decode()
    assert ("/s/prod/add" in html) == ("Add a queue by name" in html)


def test_the_pages_of_servers_are_reached_from_the_overview(scene, browser):
    scene.pending(A)
    discover()
    links = [a.get("href") for tag, a in tags(page(browser, "?server=prod")) if tag == "a"]
    assert links.count("/s/prod") >= 2
    assert "/?server=prod" in links


def test_the_row_of_a_queue_of_any_name_leads_to_it(prod, browser):
    for queue in ("foo/bar", "..", "é", "a#b", "x" * 4_096, "\udcff", " "):
        Scene(prod, queue).pending(A)
    discover()
    html = page(browser)
    assert len(html) < 300_000
    opened = [a["href"] for tag, a in tags(html) if tag == "a" and "data-open" in a]
    assert len(opened) == 7
    for href in opened:
        assert browser("viewer").get(href).status_code == 200, href


def test_the_page_says_how_old_is_what_it_shows_and_how_old_the_rest(scene, browser, monkeypatch):
    scene.pending(A)
    discover()
    assert "the others within" not in text(page(browser))
    monkeypatch.setattr(overview, "_NOTABLE_S", -1.0)
    assert re.search(r"read \S+ s ago, the others within \S+ s", text(page(browser)))


def test_queues_that_were_not_read_yet_are_told(scene, browser, monkeypatch):
    scene.pending(A)
    discover()
    looks = [replace(look, queues=(), unread=3) for look in snapshot.snapshots()]
    monkeypatch.setattr(overview, "snapshots", lambda: looks)
    said = text(page(browser))
    assert "3 not read yet" in said
    assert "3 queues will appear here in a moment" in said


def test_the_open_page_of_a_queue_shares_its_reading_with_all(scene, browser, monkeypatch):
    scene.dead(C)
    discover()
    monkeypatch.setattr(snapshot, "FRESH_S", 3600.0)
    who = browser("viewer")
    who.get("/q/prod/orders/dead")
    scene.store.config_resetstat()
    for _ in range(10):
        who.get("/q/prod/orders/dead")
    assert "cmdstat_hexists" not in scene.store.info("commandstats")
