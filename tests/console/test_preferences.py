"""The settings of a queue, adding it by name, hiding it: what the pages show, take and refuse."""

from __future__ import annotations

import pytest
from django.db import OperationalError

from echomq_admin.fleet import discovery, preferences, servers
from echomq_admin.fleet.names import to_url
from tests.console.scene import Scene, dump, tags, text, value
from tests.waiting import wait_for

URL = "/q/prod/orders/settings"
GIVEN = {"max_stalled": "3", "lease_ms": "60000", "note": "ring <b>Olena</b>\nfirst"}


def inputs(html: str) -> dict[str, str]:
    return {
        attrs["name"]: attrs.get("value") or "" for tag, attrs in tags(html) if tag == "input"
        and attrs.get("name") in GIVEN
    }  # fmt: skip


def get(who, url: str = URL) -> str:
    answer = who.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def post(who, url: str = URL, **fields: str) -> str:
    answer = who.post(url, fields, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_settings_are_saved_shown_and_on_record(scene, browser):
    scene.pending("JOBx")
    before = dump(scene.store)
    html = post(browser("admin"), **GIVEN)
    assert "queue orders: max stalled 3, lease 60,000 ms, note written" in text(html)
    assert inputs(html) == {"max_stalled": "3", "lease_ms": "60000"}
    assert "ring &lt;b&gt;Olena&lt;/b&gt;\nfirst</textarea>" in html
    said = text(html)
    assert "admin-olena max stalled default 3" in said
    assert "admin-olena lease length default 60,000 ms (1 min)" in said
    assert dump(scene.store) == before


def test_each_value_says_where_it_comes_from(scene, browser, settings):
    settings.EMQ_QUEUES = "ord*:max_stalled=5"
    scene.pending("JOBx")
    preferences.change("prod", "orders", "x", lease_ms=9)
    said = text(get(browser("viewer")))
    assert "Max stalled 5 · pattern ord*" in said
    assert "Lease length 9 ms (under 1 s) · set for this queue" in said
    said = text(get(browser("admin")))
    assert "Empty: 5, pattern ord*." in said
    assert "Empty: not known." in said


def test_an_empty_box_gives_the_value_back_to_its_default(scene, browser):
    scene.pending("JOBx")
    post(browser("admin"), **GIVEN)
    html = post(browser("admin"), max_stalled="", lease_ms=" ", note="")
    assert "max stalled back to its default, lease back to its default, note taken" in text(html)
    assert preferences.all_settings("prod") == {}


def test_what_was_typed_survives_and_every_fault_is_told(scene, browser):
    scene.pending("JOBx")
    typed = {"max_stalled": "3 or so", "lease_ms": "0", "note": "x" * 2_001}
    html = post(browser("admin"), **typed)
    assert inputs(html) == {"max_stalled": "3 or so", "lease_ms": "0"}
    assert "x" * 2_001 in html
    for said in (
        "Max stalled must be a whole number.",
        "Lease length must be from 1 to 604,800,000.",
        "Note has 2,001 characters; at most 2,000 are kept.",
    ):
        assert said in text(html)
    assert preferences.all_settings("prod") == {}


FORM = "application/x-www-form-urlencoded"


def test_a_note_with_a_null_is_refused_on_the_page(scene, browser):
    scene.pending("JOBx")
    answer = browser("admin").post(URL, "note=a%00b&max_stalled=2", content_type=FORM)
    assert "Note holds a byte that is no character of a text." in text(answer.content.decode())
    assert preferences.all_settings("prod") == {}


def test_bytes_of_a_note_that_are_no_text_are_replaced_as_browsers_do(scene, browser):
    scene.pending("JOBx")
    browser("admin").post(URL, "note=a%ED%A0%80%FF", content_type=FORM)
    assert preferences.own("prod", "orders").note.strip("\ufffd") == "a"


def test_a_refusal_of_the_door_keeps_what_was_typed(scene, browser, monkeypatch):
    def locked(*_, **__):
        raise OperationalError("database is locked")

    scene.pending("JOBx")
    monkeypatch.setattr(preferences, "change", locked)
    html = post(browser("admin"), **GIVEN)
    assert "did not take this (database is locked). Nothing was changed. Press Save" in text(html)
    assert inputs(html) == {"max_stalled": "3", "lease_ms": "60000"}


def test_a_viewer_and_an_operator_see_the_settings_and_no_form(scene, browser):
    scene.pending("JOBx")
    preferences.change("prod", "orders", "x", max_stalled=7, note="<i>quiet</i>")
    for role in ("viewer", "operator"):
        html = get(browser(role))
        assert inputs(html) == {}
        assert "Max stalled 7 · set for this queue" in text(html)
        assert "Note <i>quiet</i>" in text(html)
        assert "takes the role admin" in text(html)
        assert "Hide queue" not in html


def test_a_sweep_starts_with_what_is_set_for_the_queue(scene, browser, settings):
    scene.active("JOBx", -1_000)
    settings.EMQ_QUEUES = "ord*:max_stalled=5"
    assert value(get(browser("operator"), "/q/prod/orders/sweep"), "max_stalled") == "5"
    preferences.change("prod", "orders", "x", max_stalled=7)
    assert value(get(browser("operator"), "/q/prod/orders/sweep"), "max_stalled") == "7"
    asked = get(browser("operator"), "/q/prod/orders/sweep?max_stalled=4")
    assert value(asked, "max_stalled") == "4"


ROUTES = {"settings": "set_queue", "hide": "hide_queue", "forget": "forget_queue"}
MAY = {"settings": {"admin"}, "hide": {"admin"}, "forget": {"operator", "admin"}}


@pytest.mark.parametrize("role", ["anonymous", "nobody", "viewer", "operator", "admin"])
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_a_change_takes_its_role(scene, browser, role, route):
    preferences.add("prod", "orders", "x")
    before = preferences.history("prod", "orders", 9)
    answer = browser(role).post(f"/q/prod/orders/{route}", GIVEN)
    changed = preferences.history("prod", "orders", 9) != before
    assert changed == (role in MAY[route])
    expected = 403 if role not in {"anonymous", *MAY[route]} else 302
    assert answer.status_code == expected


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_a_change_needs_the_token_and_a_post(scene, browser, route):
    preferences.add("prod", "orders", "x")
    who = browser("admin", enforce_csrf_checks=True)
    assert who.post(f"/q/prod/orders/{route}", GIVEN).status_code == 403
    got = who.get(f"/q/prod/orders/{route}").status_code
    assert got == (200 if route == "settings" else 405)
    assert len(preferences.history("prod", "orders", 9)) == 1


def test_a_read_only_console_offers_no_change_and_takes_none(scene, browser, settings):
    settings.EMQ_READ_ONLY = True
    scene.pending("JOBx")
    html = get(browser("admin"))
    assert "EMQ_READ_ONLY" in text(html)
    assert inputs(html) == {}
    html = post(browser("admin"), **GIVEN)
    assert "EMQ_READ_ONLY" in text(html)
    post(browser("admin"), "/q/prod/orders/hide")
    assert preferences.all_settings("prod") == {}


def test_a_queue_is_hidden_and_shown_again(scene, browser):
    scene.pending("JOBx")
    who = browser("admin")
    html = post(who, "/q/prod/orders/hide", hidden="1")
    assert "queue orders hidden from the overview" in text(html)
    assert preferences.all_settings("prod")["orders"].hidden
    assert "Show queue" in text(html)
    post(who, "/q/prod/orders/hide", hidden="0")
    assert preferences.all_settings("prod") == {}


def test_a_queue_hidden_from_the_overview_leads_back_to_it(scene, browser):
    scene.pending("JOBx")
    fields = {"back": "overview", "look": "q=ord&sort=-dead"}
    answer = browser("admin").post("/q/prod/orders/hide", fields)
    assert answer["Location"] == "/?q=ord&sort=-dead"


ADD = "/s/prod/add"


def test_a_queue_without_keys_is_added_opened_marked_and_forgotten(scene, browser):
    who = browser("operator")
    assert who.get("/q/prod/to.come/active").status_code == 404
    html = post(who, ADD, name="  to.come ")
    assert "queue to.come added by name" in text(html)
    assert "Added by name" in text(html)
    assert who.get("/q/prod/to.come/active").status_code == 200
    assert "to.come" in text(get(who, ADD))
    html = post(who, "/q/prod/to.come/forget")
    assert "queue to.come is no longer kept by name" in text(html)
    assert "None was added by name" in text(html)
    assert discovery.known("prod") == {}


@pytest.mark.parametrize(
    "queue", ["foo/bar.baz", "task:email", "a*[b]", "é", "..", " ", "", "\udcff\x00", "<b>x</b>"]
)
def test_a_queue_of_any_name_is_added_in_its_written_form(scene, browser, queue):
    html = post(browser("operator"), ADD, name=to_url(queue))
    assert "added by name" in text(html)
    assert discovery.added_queues("prod") == {queue}
    assert "<b>x" not in html + get(browser("operator"), ADD)


@pytest.mark.parametrize("typed", ["", "  ", "~!", "~" + "x" * 5, "x" * 501])
def test_a_name_that_cannot_be_meant_is_told_and_stays_in_the_box(scene, browser, typed):
    html = post(browser("operator"), ADD, name=typed)
    assert value(html, "name") == typed
    assert 'aria-invalid="true"' in html
    assert discovery.added_queues("prod") == set()


def test_a_viewer_may_not_add(scene, browser):
    for answer in (browser("viewer").get(ADD), browser("viewer").post(ADD, {"name": "x"})):
        assert answer.status_code == 403
    assert discovery.added_queues("prod") == set()


def test_a_server_that_is_not_configured_has_no_page_to_add_to(scene, browser):
    assert browser("operator").get("/s/other/add").status_code == 404


def test_a_read_only_console_adds_nothing(scene, browser, settings):
    settings.EMQ_READ_ONLY = True
    html = post(browser("operator"), ADD, name="x")
    assert "EMQ_READ_ONLY" in text(html)
    assert discovery.added_queues("prod") == set()


def test_a_queue_that_has_a_key_opens_without_being_added(scene, browser):
    scene.store.set("emq:{meta.only}:meta", "x")
    assert browser("viewer").get("/q/prod/meta.only/settings").status_code == 200
    assert discovery.known("prod") == {}


def test_a_queue_with_only_history_left_is_there_and_one_without_keys_is_not(prod, browser):
    Scene(prod, "gone").pending("JOBx")
    prod.hset("emq:{old}:metrics:completed", "count", 7)
    prod.hset("emq:{old}:meta", "x", "y")
    who = browser("viewer")
    discovery.discover(servers.server("prod"))
    assert who.get("/q/prod/gone/active").status_code == 200
    prod.delete("emq:{gone}:pending", "emq:{gone}:job:JOBx")
    discovery.discover(servers.server("prod"))
    assert list(discovery.known("prod")) == ["old"]
    wait_for(lambda: who.get("/q/prod/gone/active").status_code == 404)
    assert who.get("/q/prod/gone/settings").status_code == 404
    assert who.get("/q/prod/old/settings").status_code == 200


@pytest.mark.parametrize("url", ["/", URL, "/q/prod/orders/pending", "/q/prod/orders/sweep"])
def test_defaults_that_cannot_be_read_are_told_and_those_built_in_hold(
    scene, browser, settings, url
):
    settings.EMQ_QUEUES = "*:stalls=3"
    scene.pending("JOBx")
    said = text(get(browser("viewer"), url))
    assert "EMQ_QUEUES: '*:stalls=3' cannot be read: it may set max_stalled and lease_ms." in said
    assert "Correct it and start the console again." in said
    settings.EMQ_QUEUES = ""
    assert "cannot be read" not in text(get(browser("viewer"), url))


def test_the_page_says_how_many_changes_it_leaves_out(scene, browser):
    scene.pending("JOBx")
    for number in range(1, 23):
        preferences.change("prod", "orders", "x", max_stalled=number)
    html = get(browser("viewer"))
    assert "The newest 20 changes" in text(html)
    assert html.count("<tr data-row") == 20
