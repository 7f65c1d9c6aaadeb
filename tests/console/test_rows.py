"""What a row of a list says of its job beyond its fields."""

from __future__ import annotations

import re

import pytest

from echomq_admin.console import places, times, words
from echomq_admin.console.rows import Listing, lease_row
from echomq_admin.emq.reads import active_page, sweep_preview
from echomq_admin.fleet import discovery, preferences, servers
from tests.console.scene import A, B, C, G, rows, tags, text

LISTS = ("pending", "active", "scheduled", "dead")
SETS = {"scheduled": "schedule"}


def get(browser, tab: str, query: str = "") -> str:
    answer = browser("viewer").get(f"/q/prod/orders/{tab}{query}")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("tab", LISTS)
def test_a_row_that_says_something_else_than_its_list_is_marked(scene, browser, tab):
    for job_id, state in ((A, tab), (B, "paused?"), (C, "\x00" * 500)):
        scene.row(job_id, state=state)
        scene.store.zadd(scene.key(SETS.get(tab, tab)), {job_id: 0})
    scene.row(G)
    scene.store.hdel(scene.key(f"job:{G}"), "state")
    scene.store.zadd(scene.key(SETS.get(tab, tab)), {G: 0})
    html = get(browser, tab)
    by_id = {job: next(row for row in rows(html) if job in row) for job in (A, B, C, G)}
    assert "row says" not in by_id[A]
    assert "row says paused?" in by_id[B]
    assert len(by_id[C]) < 800
    assert "row has no state" in by_id[G]


def test_one_id_in_several_lists_is_marked_where_the_row_disagrees(scene, browser):
    scene.row(A, state="active", group=G)
    for name in ("pending", "dead", f"g:{G}:pending"):
        scene.store.zadd(scene.key(name), {A: 0})
    scene.store.zadd(scene.key("active"), {A: scene.now_ms() + 60_000})
    for tab in ("pending", "dead", f"pending?lane={G}"):
        assert "row says active" in get(browser, tab)
    assert "row says" not in get(browser, "active")


def test_a_row_without_a_lease_is_in_no_list_of_leases(scene, browser):
    scene.row(A, state="active", attempts=1, group=G)
    scene.store.hset(scene.key("gactive"), G, 1)
    html = get(browser, "active")
    assert rows(html) == []
    assert "data-remaining" not in html


def test_a_waiting_job_whose_row_names_another_lane_is_marked(scene, browser):
    scene.pending(A, state="pending")
    scene.store.hset(scene.key(f"job:{A}"), "group", "express")
    scene.pending(B, group="express")
    scene.store.zadd(scene.key("g:slow:pending"), {B: 0, C: 0})
    scene.row(C)
    assert "row says lane express" in rows(get(browser, "pending"))[0]
    assert "row says" not in rows(get(browser, "pending", "?lane=express"))[0]
    first, second = rows(get(browser, "pending", "?lane=slow"))
    assert "row says lane express" in first
    assert "row says no lane" in second


@pytest.mark.parametrize("tab", LISTS)
@pytest.mark.parametrize("group", ["tenant-7", "a/b?c", "ü", "\udcff", "<b>", ""], ids=ascii)
def test_the_lane_of_a_row_leads_to_its_waiting_jobs(scene, browser, tab, group):
    raw = group.encode("utf-8", "surrogateescape")
    scene.row(A, group=raw)
    scene.store.zadd(scene.key(SETS.get(tab, tab)), {A: 0})
    scene.store.zadd(scene.key(b"g:" + raw + b":pending"), {B: 0})
    row = get(browser, tab).split("data-row")[1].split("</tr>")[0]
    (href,) = [a["href"] for tag, a in tags(row) if tag == "a" and "lane=" in a["href"]]
    html = browser("viewer").get(href).content.decode()
    assert [row.split()[0] for row in rows(html)] == [B]


def test_stalls_are_judged_by_the_max_stalled_of_the_queue(scene, browser):
    preferences.change("prod", "orders", "olena", max_stalled=4)
    scene.active(A, -1_000, stalled=2)
    scene.dead(B, stalled=1)
    html = get(browser, "active")
    assert "to pending, stall 3" in rows(html)[0]
    assert "max stalled 4" in text(html)
    assert "to dead, stall 3" in rows(get(browser, "active", "?max_stalled=3"))[0]
    assert "to pending, stall 3" in rows(get(browser, "active", "?max_stalled=0"))[0]
    pips = get(browser, "dead").split("data-row")[1].split("</tr>")[0]
    assert (pips.count('<i class="on">'), pips.count("<i>")) == (1, 3)


@pytest.mark.parametrize("tab", LISTS)
def test_twenty_five_rows_of_long_fields_stay_a_small_page(scene, browser, tab):
    who = browser("viewer")
    for number in range(25):
        job_id = f"JOB0KHTOWnGL{number:02}"
        scene.row(job_id, payload=b"a" * 3_000_000, last_error=b"e" * 50_000, progress=b"p" * 9_000)
        scene.store.zadd(scene.key(SETS.get(tab, tab)), {job_id: 0})
    who.post(f"/columns/{tab}", {"column": ["payload", "error", "progress"]})
    before = scene.store.info("stats")["total_net_output_bytes"]
    html = who.get(f"/q/prod/orders/{tab}").content.decode()
    assert scene.store.info("stats")["total_net_output_bytes"] - before < 100_000
    assert len(html) < 300_000
    assert all("3.0 MB open the job" in row for row in rows(html))


@pytest.mark.parametrize("tab", LISTS)
def test_hostile_words_are_text_in_every_column(scene, browser, tab):
    bad = "<img src=x onerror=alert(1)>\" hx-get='/x'"
    who = browser("viewer")
    scene.row(
        bad,
        **dict.fromkeys(("payload", "last_error", "progress", "group", "parent"), bad),
        state=bad,
    )
    scene.store.zadd(scene.key(SETS.get(tab, tab)), {bad: 0})
    who.post(
        f"/columns/{tab}", {"column": ["payload", "error", "progress", "lane", "parent", "state"]}
    )
    html = who.get(f"/q/prod/orders/{tab}").content.decode()
    assert "<img" not in html
    assert text(html).count("onerror=alert(1)") >= 6
    assert not [a for _, a in tags(html) if a.get("hx-get") == "/x" or "onerror" in a]


def test_lanes_are_chips_with_their_depths_and_the_rest_is_a_link(scene, browser):
    for number in range(45):
        scene.pending(f"JOB0KHTOWn{number:04}", group=f"lane-{number:02}")
    scene.pending(A, group="lane-03")
    scene.store.set(scene.key("g:lane-05:pending"), "x")
    discovery.discover(servers.server("prod"))
    html = get(browser, "pending", "?rows=50&order=desc")
    nav = html.split('class="lanes"')[1].split("</nav>")[0]
    said = text(nav)
    assert "lane-03 2" in said
    assert "lane-05 ?" in said
    assert "lane-39 1" in said
    assert "lane-40" not in said
    assert "and 5 more" in said
    hrefs = [a["href"] for tag, a in tags(nav) if tag == "a"]
    assert hrefs[-1] == "/q/prod/orders/lanes"
    assert hrefs[1] == "?lane=lane-00&order=desc&rows=50"


def test_a_lane_that_no_discovery_has_seen_opens_by_its_address(scene, browser):
    scene.pending(B)
    scene.pending(A, group="new")
    html = get(browser, "pending", "?lane=new")
    assert [row.split()[0] for row in rows(html)] == [A]
    assert "1 waiting in lane new" in text(html)
    (current,) = [a for tag, a in tags(html) if a.get("aria-current") == "true"]
    assert current["href"] == "?lane=new"


def test_a_lane_of_which_nothing_tells_is_not_shown_as_one(scene, browser):
    scene.pending(A, group="new")
    discovery.discover(servers.server("prod"))
    html = get(browser, "pending", "?lane=nowhere")
    assert "No such lane is known" in text(html)
    assert "nowhere" not in text(html.split('class="lanes"')[1].split("</nav>")[0])
    scene.store.zrem(scene.key("g:new:pending"), A)
    assert "This lane is empty" in text(get(browser, "pending", "?lane=new"))


def test_a_paused_lane_and_one_at_its_limit_say_so(scene, browser):
    scene.pending(A, group="one")
    scene.pending(B, group="two")
    scene.store.sadd(scene.key("paused"), "one")
    scene.store.hset(scene.key("glimit"), "two", 3)
    scene.store.hset(scene.key("gactive"), "two", 3)
    assert "waiting in lane one paused" in text(get(browser, "pending", "?lane=one"))
    assert "waiting in lane two at limit" in text(get(browser, "pending", "?lane=two"))


def test_lanes_with_huge_names_are_left_to_their_tab(scene, browser):
    for number in range(12):
        scene.pending(f"JOB0KHTOWn{number:04}", group=f"{number:02}" + "x" * 20_000)
    discovery.discover(servers.server("prod"))
    html = get(browser, "pending")
    assert len(html) < 300_000
    assert "and 12 more" in text(html)


@pytest.mark.parametrize("tab", LISTS)
def test_the_forms_keep_how_the_list_is_looked_at(scene, browser, tab):
    scene.pending(A)
    html = get(browser, tab, "?rows=50&order=desc&lane=x")
    carried = {
        (a["name"], a.get("value")) for tag, a in tags(html) if tag == "input" and a.get("name")
    }
    assert {("rows", "50"), ("order", "desc"), ("lane", "x")} <= carried


def test_a_list_of_leases_says_of_the_next_sweep_what_its_preview_says(scene, browser):
    scene.active(A, -1_000)
    scene.active(B, -1_000, stalled=1)
    scene.active(C, -1_000, attempts="many")
    odd = {"long": {"state": "active", "attempts": 1, "group": "g" * 9_000}, "strange": {"x": 1}}
    for name, fields in odd.items():
        scene.store.hset(scene.key(f"job:{name}"), mapping=fields)
        scene.store.zadd(scene.key("active"), {name: 1})
    scene.store.zadd(scene.key("active"), {"missing": 1})
    preview = sweep_preview(scene.store, "orders", 2, 100)
    leases = active_page(scene.store, "orders", 100).leases
    listing = Listing(places.find("prod", "orders"), "active", preview.now_ms, 2)
    drawn = {lease.job.job_id: lease_row(lease, listing, 1.0) for lease in leases}
    for fate in preview.rows:
        row = drawn[fate.lease.job.job_id]
        if fate.lease.job.job_id == "long":
            assert (row.fate, row.dies) == ("?", False)
            continue
        assert row.fate == words.short_fate(fate.fate, fate.lease.job.stalled, fate.lease.job.group)
        assert row.dies == (fate.fate in {"dead", "unreadable"})
    assert {fate.fate for fate in preview.rows} == {"recovered", "dead", "orphaned", "unreadable"}


@pytest.mark.parametrize("tab", ["active", "dead"])
@pytest.mark.parametrize("fill", ['"', "a", "\u202e"], ids=ascii)
@pytest.mark.parametrize("count", [25, 100])
def test_texts_that_a_list_reads_share_a_budget(scene, browser, tab, fill, count):
    words_of = (fill * 2048).encode()[:2046].decode(errors="ignore")
    fields = dict.fromkeys(("payload", "last_error", "progress"), words_of)
    for n in range(count):
        scene.row(f"{n:03}", **fields, state=tab)
        scene.store.zadd(scene.key(SETS.get(tab, tab)), {f"{n:03}": 0})
    who = browser("admin")
    who.post(f"/columns/{tab}", {"column": ["payload", "error", "progress", "minted", "lane"]})
    html = who.get(f"/q/prod/orders/{tab}?rows={count}").content.decode()
    assert len(rows(html)) == count
    assert len(html) < (300_000 if count == 25 else 480_000)
    assert count == 25 or "open the job" in text(html)


@pytest.mark.parametrize("count", [25, 100])
def test_long_ids_open_and_a_page_of_them_stays_small(scene, browser, count):
    for n in range(count):
        scene.dead(f"{n:03}" + "x" * 4_093)
    html = browser("operator").get(f"/q/prod/orders/dead?rows={count}").content.decode()
    assert len(html) < (300_000 if count == 25 else 400_000)
    assert html.count("data-open") == (25 if count == 25 else 27)
    assert words.NO_ROOM in text(html)


def test_a_row_with_an_overlong_name_is_odd_and_can_be_requeued(scene, browser):
    for name, field in ((A, "state"), (B, "group"), (C, "parent")):
        scene.dead(name, **{field: "x" * 9_000})
    html = browser("operator").get("/q/prod/orders/dead").content.decode()
    for name, field in ((A, "state"), (B, "group"), (C, "parent")):
        row = next(row for row in rows(html) if name in row)
        assert f"{field} is 9,000 bytes long" in row
        assert "unreadable" not in row
        assert "no state" not in row
    assert html.count('name="only"') == 3


@pytest.mark.parametrize(
    ("score", "said"),
    [
        ("1234567.5", "1234567.5"),
        ("9007199254740992", "9007199254740992"),
        ("253402300800000.5", "253402300800000.5"),
        ("-12345678", "-12345678"),
        ("1e308", "1e+308"),
        ("inf", "inf"),
    ],
)
def test_a_score_that_is_no_time_keeps_every_digit(score, said):
    assert times.number(float(score)) == said


def test_the_last_sign_is_told_where_the_length_of_leases_is_known(scene, browser):
    scene.active(A, 16_000)
    scene.active(B, 60_000)
    assert "Last sign" not in text(get(browser, "active"))
    preferences.change("prod", "orders", "olena", lease_ms=30_000)
    html = get(browser, "active")
    assert "Last sign" in text(html)
    near, far = rows(html)
    assert re.search(r"1[45] s ago", near)
    assert " ? " in far
