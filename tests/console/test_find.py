"""The search of the header: one text, whatever it means on any server."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from echomq_admin.console import find
from echomq_admin.emq import find as search
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import brief, to_url
from tests.console.scene import A, B, C, G, Scene, dump, tags, text
from tests.ledger.endings.made import ending
from tests.valkey import valkey

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def seek(prod, browser):
    """Searches as a viewer after a discovery; gives the page, or the address it leads to."""

    def seek(words: str) -> str:
        for server in servers.servers():
            if server.name != "lost":
                discovery.discover(server)
        answer = browser("viewer").get("/find", {"q": words})
        if answer.status_code == 302:
            return answer["Location"]
        assert answer.status_code == 200
        return answer.content.decode()

    return seek


def links(html: str) -> list[str]:
    """The addresses in the content of the page, without those of its rail."""
    main = html.split("<main")[1]
    return [attrs["href"] or "" for tag, attrs in tags(main) if tag == "a"]


def test_the_box_stands_on_every_page_and_leads_to_the_search(scene, browser):
    scene.dead(A)
    for path in ("/", "/q/prod/orders/dead", "/q/prod/nope/dead", "/find"):
        found = tags(browser("viewer").get(path).content.decode())
        (form,) = [attrs for tag, attrs in found if attrs.get("action") == "/find"]
        assert form["method"] == "get"
        (box,) = [attrs for _, attrs in found if attrs.get("id") == "find"]
        assert (box["name"], box["placeholder"]) == ("q", "Queue or job id")


def test_the_name_of_the_only_queue_leads_there(scene, seek):
    scene.pending(A)
    Scene(scene.store, "mails").pending(B)
    assert seek("orders") == "/q/prod/orders/active"


def test_queues_that_hold_the_text_are_listed_the_very_name_first(prod, seek):
    for queue in ("a.orders", "orders", "orders.old", "mails"):
        Scene(prod, queue).pending(A)
    html = seek(" ORDERS ")
    assert links(html)[:3] == [f"/q/prod/{x}/active" for x in ("orders", "orders.old", "a.orders")]
    assert links(html)[:3] == [
        f"/q/prod/{x}/active" for x in ("orders.old", "orders", "a.orders")
    ] or (links(html)[:3] == [f"/q/prod/{x}/active" for x in ("orders", "orders.old", "a.orders")])
    assert links(seek("orders"))[0] == "/q/prod/orders/active"
    assert "mails" not in text(html.split("<main")[1])


def test_an_empty_lane_is_found_while_its_jobs_are_in_flight_or_it_has_a_limit(scene, seek):
    scene.active(A, 60_000, group="acme")
    scene.store.hset(scene.key("gactive"), "acme", 1)
    scene.store.hset(scene.key("glimit"), "limited", 3)
    assert seek("acme") == "/q/prod/orders/pending?lane=acme"
    assert seek("limited") == "/q/prod/orders/pending?lane=limited"
    scene.store.delete(scene.key("gactive"))
    assert "/q/prod/orders/pending?lane=acme" not in links(seek("acme"))


def test_more_queues_than_a_page_holds_are_counted_and_lead_to_the_overview(prod, seek):
    for number in range(find.MOST_NAMES + 3):
        Scene(prod, f"o{number:02}&x").pending(A)
    html = seek("&x")
    assert "and 3 more" in text(html)
    assert "/?q=%26x" in links(html)


def test_a_queue_that_discovery_has_not_met_is_found_by_its_whole_name(prod, browser):
    Scene(prod, "new").pending(A)
    assert browser("viewer").get("/find?q=new")["Location"] == "/q/prod/new/active"


def test_the_id_of_the_only_job_leads_to_its_page(scene, seek):
    scene.dead(A)
    scene.dead(B)
    assert seek(A) == f"/q/prod/orders/job/{A}"


def test_a_job_in_several_queues_is_listed_with_what_holds_it(prod, seek):
    Scene(prod, "a").dead(A)
    Scene(prod, "a").pending(A)
    Scene(prod, "b").pending(A, group=G)
    Scene(prod, "c").row(A)
    Scene(prod, "c").dead(B)
    html = seek(A)
    assert [f"/q/prod/{queue}/job/{A}" in links(html) for queue in "abc"] == [True] * 3
    said = text(html)
    assert f"{A} a prod pending dead" in said
    assert f"{A} b prod lane {G}" in said
    assert f"{A} c prod its row only" in said


def test_a_job_is_looked_for_on_every_server(prod, seek, settings, server_url):
    with valkey() as port:
        settings.EMQ_SERVERS = f"prod={server_url} other=redis://127.0.0.1:{port}/0"
        Scene(prod, "orders").dead(A)
        Scene(servers.server("other").client, "mails").pending(A)
        html = seek(A)
        assert f"/q/prod/orders/job/{A}" in links(html)
        assert f"/q/other/mails/job/{A}" in links(html)
        assert seek(f"other/{A}") == f"/q/other/mails/job/{A}"
        assert seek("other/mails") == "/q/other/mails/active"
        servers.forget()


def test_a_server_out_of_reach_is_named_and_nothing_is_taken_for_the_only_one(
    scene, seek, settings, server_url
):
    scene.dead(A)
    settings.EMQ_SERVERS = f"prod={server_url} lost={NOWHERE}"
    html = seek(A)
    assert f"/q/prod/orders/job/{A}" in links(html)
    assert "Not searched: lost cannot be read" in text(html)


def test_a_queue_and_an_id_find_the_job_there(prod, seek):
    for queue in ("a", "b"):
        Scene(prod, queue).dead(A)
    assert seek(f"b {A}") == f"/q/prod/b/job/{A}"
    assert seek(f"prod/b {A}") == f"/q/prod/b/job/{A}"
    assert seek(f"b {to_url(A)}") == f"/q/prod/b/job/{A}"


def test_the_name_of_the_only_lane_leads_to_its_jobs(prod, seek):
    Scene(prod, "orders").pending(A, group="7")
    assert seek("7") == "/q/prod/orders/pending?lane=7"
    assert seek("orders 7") == "/q/prod/orders/pending?lane=7"


def test_lanes_that_are_called_so_are_listed_with_their_queues(prod, seek):
    for queue in ("a", "b"):
        Scene(prod, queue).pending(A, group="ex/press")
        Scene(prod, queue).pending(B, group="express")
    html = seek("ex/press")
    code = to_url("ex/press")
    assert [f"/q/prod/{queue}/pending?lane={code}" in links(html) for queue in "ab"] == [True] * 2
    assert "Lanes Lane Queue Server ex/press a prod ex/press b prod" in text(html)
    assert seek("b express") == "/q/prod/b/pending?lane=express"


def test_more_lanes_than_a_page_holds_are_counted(prod, seek, monkeypatch):
    monkeypatch.setattr(find, "MOST_NAMES", 2)
    for queue in "abcde":
        Scene(prod, queue).pending(A, group=G)
    assert "and 3 more" in text(seek(G))


def test_an_id_that_waits_in_a_lane_without_its_row_is_found(prod, seek):
    prod.zadd("emq:{orders}:g:L:pending", {"orphan-in-lane": 0})
    assert seek("orphan-in-lane") == "/q/prod/orders/job/orphan-in-lane"


def test_ids_that_begin_with_the_text_are_listed_without_leading_away(scene, seek):
    scene.dead(A)
    html = seek(A[:-2])
    assert "Ids that begin with it" in text(html)
    assert f"/q/prod/orders/job/{A}" in links(html)
    scene.pending("JOB1")
    assert "Ids are found whole or by their beginning; not by their end" in text(seek(A[-6:]))
    assert "Nothing found" in text(seek("JOB"))
    assert "from four characters on" in text(seek("JOB"))


def test_a_beginning_of_very_many_ids_shows_a_few_and_says_so(prod, seek):
    for number in range(15):
        scene = Scene(prod, f"q{number}")
        prod.zadd(scene.key("dead"), {f"JOB0{at:03}": 0 for at in range(20)})
    html = seek("JOB0")
    assert html.count("data-open") == find.MOST_HITS
    assert "There are more" in text(html)


def test_what_was_not_looked_at_is_said(scene, seek, monkeypatch):
    monkeypatch.setattr(search, "SMALL", 1)
    monkeypatch.setattr(search, "MOST_QUEUES", 1)
    scene.active(A, 1_000)
    scene.active(B, 1_000)
    Scene(scene.store, "zz").pending(C)
    said = text(seek("JOBnope"))
    assert "Nothing found" in said
    assert "1 larger set of these not searched for beginnings." in said
    assert "Not looked at: 1 queue and 0 lanes." in said


@pytest.mark.parametrize(("role", "is_offered"), [("viewer", False), ("admin", True)])
def test_nothing_found_says_how_a_queue_is_added_to_whoever_may(scene, browser, role, is_offered):
    scene.pending(A)
    html = browser(role).get("/find?q=nothing+of+this").content.decode()
    assert "Nothing found" in text(html)
    assert ("/s/prod/add" in links(html)) == is_offered


def test_nothing_found_is_not_said_of_a_server_out_of_reach(scene, seek, settings, server_url):
    scene.pending(A)
    settings.EMQ_SERVERS = f"prod={server_url} lost={NOWHERE}"
    assert "Nothing found where a search was possible" in text(seek("nothing"))


@pytest.mark.parametrize("words", ["13:45", "2026-01-01 12:00", "1767268800000", "1767268800"])
def test_a_time_is_told_from_a_name(scene, seek, words):
    scene.pending(A)
    assert "reads like a time" in text(seek(words))


@pytest.mark.parametrize("words", ["", "   "])
def test_an_empty_search_says_what_can_be_typed(scene, seek, words):
    scene.pending(A)
    assert "Type a part of a queue's name, the name of a lane" in text(seek(words))


HOSTILE = [
    "*", "?", "[a-z]", "[JOB0", "(JOB0", "+", "-", "-inf", "+inf", "\x00\x00\x00\x00", "\ufffd" * 4,
    "<img src=x onerror=alert(1)>", '" hx-get="/x" hx-trigger="load', "{{7*7}}", "~",
    "~!!!", "~____", "%00%ff", "/", "prod/", "/orders", " / ", "prod/ ", "\u202eJOB0",
    "a" * 8_000, "é" * 3_999,
]  # fmt: skip


@pytest.mark.parametrize("words", HOSTILE)
def test_a_hostile_text_is_a_text(scene, seek, words):
    scene.pending(A)
    before = dump(scene.store)
    html = seek(words)
    assert "<img" not in html
    assert "\u202e" not in html.replace('value="\u202eJOB0"', "")
    assert all(attrs.get("hx-get") != "/x" for _, attrs in tags(html))
    assert dump(scene.store) == before


def test_a_text_beyond_all_measure_is_not_sent_anywhere(scene, seek):
    scene.pending(A)
    html = seek("x" * 100_000)
    assert "too long to be looked for" in text(html)
    assert len(html) < 30_000


@pytest.mark.parametrize(
    "job_id", ["user/234", "a%2Fb", "a b", "..", "?x=1#y", "", "JOB\udcff\x00/", "~tildes", "-1"]
)
def test_an_id_of_any_bytes_is_found_by_its_plain_form(scene, seek, job_id):
    scene.dead(job_id)
    code = to_url(job_id)
    if not code.startswith("~"):
        code = job_id
    assert seek(code) == f"/q/prod/orders/job/{to_url(job_id)}"
    if job_id and "\udcff" not in job_id:
        assert unquote(seek(job_id)) == f"/q/prod/orders/job/{to_url(job_id)}"


@pytest.mark.parametrize("queue", ["foo/bar", "q name", "a}b", "é", "\udcff\udcfe", "<b>q</b>"])
def test_a_queue_of_any_name_is_found_as_it_is_shown(prod, seek, queue):
    Scene(prod, queue).pending(A)
    found = seek(brief(queue))
    assert f"/q/prod/{to_url(queue)}/active" in (found, *(links(found) if "<main" in found else ()))


def test_a_search_neither_scans_nor_runs_a_script(scene, seek, browser):
    scene.pending(A)
    seek("nothing")
    scene.store.config_resetstat()
    browser("viewer").get("/find", {"q": A[:6]})
    used = scene.store.info("commandstats")
    assert "cmdstat_zrangebylex" in used
    assert not {"cmdstat_keys", "cmdstat_scan", "cmdstat_evalsha", "cmdstat_eval"} & set(used)


def test_a_job_that_is_gone_is_found_where_it_is_on_record(scene, seek):
    scene.pending(B)
    ending(A, queue="past")
    ending(A, server="old")
    ending(B)
    html = seek(A)
    assert "Gone, with a history" in text(html)
    assert "Nothing found" not in text(html)
    assert f"/q/prod/past/job/{A}/history" in links(html)
    assert f"/trail?server=prod&queue=past&job={A}" in links(html)
    assert not [href for href in links(html) if href.startswith("/q/old")]
    assert seek(f"past {A}").count("/history") == seek(f"prod/past {A}").count("/history") == 2
    assert seek(f"orders {A}").count("/history") == 0
    assert seek(B) == f"/q/prod/orders/job/{B}"
