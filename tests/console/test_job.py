"""The page of a job: where it is, what is in it, what is around it."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from tests.console.scene import HX, A, B, G, Scene, dump, tags, text

URL = f"/q/prod/orders/job/{A}"
ROW = f"job:{A}"
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "{{7*7}}",
    '" hx-get="/x" hx-trigger="load',
]
ODD_IDS = [
    b"user/234", b"a%2Fb", b"a b", "ü".encode(), b"..", b"?x=1#y", b"", b"x" * 4096,
    b"JOB\xff\x00/", b"-rf", b"~x",
]  # fmt: skip


def page(browser, url: str = URL, role: str = "viewer", **headers: str) -> str:
    answer = browser(role).get(url, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def poll(browser, html: str, url: str = URL) -> str:
    """What a poll of that page is answered: it says which long fields the page has."""
    have = [a["value"] for tag, a in tags(html) if tag == "input" and a.get("name") == "have"]
    answer = browser("viewer").get(url, {"have": have}, headers=HX)
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_active_job_counts_down_as_the_active_tab_does(scene, browser):
    scene.active(A, 30_000)
    html = page(browser)
    lease = next(a for _, a in tags(html) if (a.get("class") or "").split() == ["lease"])
    assert lease["data-phase"] == "live"
    assert 25_000 < float(lease["data-remaining"]) <= 30_000
    assert "<title>" + A in html
    assert 'data-poll="2000"' in html


@pytest.mark.parametrize(("left_ms", "phase"), [(4_000, "expiring"), (-5_000, "lapsed")])
def test_the_phase_of_a_lease_is_by_the_clock_of_the_server(
    scene, browser, monkeypatch, left_ms, phase
):
    monkeypatch.setattr("time.time", lambda: 4_000_000_000.0)
    scene.active(A, left_ms)
    html = page(browser)
    assert f'class="chip" data-phase="{phase}"' in html
    assert ("next sweep: to pending, stall 1" in text(html)) == (phase == "lapsed")


def test_a_scheduled_job_says_when_it_is_due_and_odd_scores_are_no_date(scene, browser):
    scene.row(A, state="scheduled")
    scene.store.zadd(scene.key("schedule"), {A: scene.now_ms() + 3_600_500})
    assert "in 1 h" in text(page(browser))
    for score in ("+inf", 1e308, -1):
        scene.store.zadd(scene.key("schedule"), {A: score})
        page(browser)


def test_scores_of_leases_that_are_no_times_do_no_harm(scene, browser):
    scene.row(A, state="active")
    for score in ("+inf", "-inf", 1e308, -1, 253402300800000):
        scene.store.zadd(scene.key("active"), {A: score})
        page(browser)


def test_an_active_row_without_a_lease_gets_no_countdown(scene, browser):
    scene.row(A, state="active", attempts=1, group=G)
    scene.store.hset(scene.key("gactive"), G, 1)
    html = page(browser)
    assert "The row says active, but no set holds the id: no sweep will ever see it." in text(html)
    assert "data-remaining" not in html
    assert "1 in flight" in text(html)
    assert "No worker holds a lease of it" in text(page(browser, role="operator"))


def test_every_set_that_holds_the_job_is_named(scene, browser):
    scene.row(A, state="active", group=G)
    scene.store.zadd(scene.key("pending"), {A: 0})
    scene.store.zadd(scene.key("dead"), {A: 0})
    scene.store.zadd(scene.key("g:other:pending"), {A: 0})
    discovery.discover(servers.server("prod"))
    said = text(page(browser))
    assert "It is in pending, dead and lane other at once" in said
    assert "It waits in lane other, which its row does not name." in said


def test_awaiting_children_is_rightly_in_no_set(scene, browser):
    scene.row(A, state="awaiting_children")
    scene.store.set(scene.key(ROW + ":dependencies"), 2)
    scene.store.hset(scene.key(ROW + ":failed"), mapping={B: "boom", "<b>": "x"})
    html = page(browser)
    said = text(html)
    assert "In no set, rightly: it waits for its children." in said
    assert "disagree" not in said
    assert "Still out 2 the wire keeps only the number, not which Failed 2" in said
    assert f'href="/q/prod/orders/job/{B}"' in html
    assert "<b>x" not in html


def test_a_child_names_its_parent_and_where_that_is(scene, browser):
    scene.pending(A, parent="JOBp", parent_queue="other", parent_policy="fp")
    Scene(scene.store, "other").row("JOBp", state="awaiting_children")
    html = page(browser)
    assert 'href="/q/prod/other/job/JOBp"' in html
    assert "in other waits for its children; its failure fails the parent" in text(html)
    assert 'title="parent_policy fp"' in html


def test_an_orphan_is_told_with_the_sets_that_hold_it(scene, browser):
    scene.store.zadd(scene.key("active"), {A: 1})
    html = page(browser, role="admin")
    said = text(html)
    assert "Row missing:" in said
    assert "Only its id is left, in active" in said
    assert f".venv/bin/python manage.py emq remove --as admin-olena --yes prod/orders {A}" in said
    assert 'name="only"' not in html


def test_rows_of_foreign_encodings_and_wrong_types_say_what_is_wrong(scene, browser):
    scene.store.hset(scene.key(ROW), mapping={"data": "{}", "atm": 1})
    scene.store.zadd(scene.key("pending"), {A: 0, B: 0})
    scene.store.set(scene.key(f"job:{B}"), "x")
    said = text(page(browser))
    assert "Odd row: it has none of state, attempts, payload. It can be moved all the same." in said
    assert "data {} atm 1" in said or "atm 1 data {}" in said
    said = text(page(browser, f"/q/prod/orders/job/{B}"))
    assert "the key holds another type" in said
    assert "attempts ?" in said


def test_wrong_types_at_every_key_leave_a_page(scene, browser):
    scene.dead(A, group=G, parent=B, dedup_id="d")
    for name in ("pending", "active", "schedule", f"g:{G}:pending", "glimit", f"job:{B}", "ring"):
        scene.store.set(scene.key(name), "x")
    for name in ("logs", "processed", "failed", "unsuccessful"):
        scene.store.set(scene.key(f"{ROW}:{name}"), "x")
    for name in ("lock", "dependencies"):
        scene.store.rpush(scene.key(f"{ROW}:{name}"), "x")
    scene.store.set(scene.admin + b"audit", "x")
    said = text(page(browser))
    assert "Not all of this job can be read." in said
    assert "Where it is by the sets that hold its id Sets that hold the job dead" in said
    assert "Still out ?" in said


@pytest.mark.parametrize("raw", ODD_IDS)
def test_a_job_of_any_id_has_its_page(scene, browser, raw):
    scene.dead(raw)
    name = to_url(raw.decode("utf-8", "surrogateescape"))
    html = page(browser, f"/q/prod/orders/job/{name}", role="operator")
    assert 'name="only"' in html
    for part in ("logs", "trail", "raw"):
        assert browser().get(f"/q/prod/orders/job/{name}/{part}").status_code == 200


def test_an_address_made_by_hand_is_decoded_once(scene, browser):
    scene.dead("user/234", payload="slash")
    scene.dead("a%2Fb", payload="percent")
    assert "slash" in page(browser, "/q/prod/orders/job/user/234")
    assert "percent" in page(browser, "/q/prod/orders/job/a%252Fb")


def test_html_in_every_field_is_text(scene, browser):
    bad = "".join(HOSTILE)
    scene.dead(A, payload=bad, last_error=bad, progress=bad, group=bad, parent=bad, dedup_id=bad,
               **{bad: bad})  # fmt: skip
    scene.store.set(scene.key(ROW + ":lock"), bad)
    scene.store.rpush(scene.key(ROW + ":logs"), bad)
    scene.store.hset(scene.key(ROW + ":failed"), bad, bad)
    for url in (URL, URL + "/logs"):
        html = page(browser, url)
        for tag, attrs in tags(html):
            assert tag != "img"
            assert attrs.get("hx-get") in (None, URL + "/logs", URL + "/history")
            assert not any(name.startswith("on") for name in attrs)
        assert "onerror=alert(1)" in text(html)
        assert "alert(1)</script>" not in html


def test_a_payload_keeps_every_digit_and_double(scene, browser):
    raw = '{"id":1970670598291982290,"f":1.10,"d":{"a":1,"a":2}}'
    scene.dead(A, payload=raw)
    said = text(page(browser))
    assert "1970670598291982290" in said
    assert "1.10" in said
    assert said.count('"a"') == 2
    assert browser().get(URL + "/raw").content == raw.encode()


@pytest.mark.parametrize("payload", ['"text"', "null", "42", "true", "[]", "", b"\x80\x04\x95\xff"])
def test_a_payload_of_any_kind_has_a_page(scene, browser, payload):
    scene.dead(A, payload=payload, last_error=payload, progress=payload)
    assert "Payload" in text(page(browser))


def test_a_job_without_a_payload_has_no_panel_for_it(scene, browser):
    scene.store.hset(scene.key(ROW), mapping={"state": "dead", "attempts": 1})
    scene.store.zadd(scene.key("dead"), {A: 0})
    assert "Payload" not in text(page(browser))


def test_a_long_payload_is_cut_with_its_size_and_read_once(scene, browser):
    scene.dead(A, payload="a" * 3_000_000)
    html = page(browser)
    assert "text, 3,000,000 bytes" in text(html)
    assert "first 64,000 of 3,000,000 bytes" in text(html)
    assert len(html) < 300_000
    again = poll(browser, html)
    assert len(again) < 20_000
    assert 'data-kept="3000000"' in again
    assert "aaaa" not in again
    scene.store.hset(scene.key(ROW), "payload", "b" * 3_000_001)
    assert "bbbb" in poll(browser, html)


def test_what_is_over_the_budget_is_offered_raw_only(scene, browser):
    scene.dead(A, payload="a" * 9_000_000)
    html = page(browser)
    assert "Too long to be shown here: download it" in text(html)
    assert f'href="{URL}/raw?field=payload"' in html


def test_a_row_with_very_many_fields_is_told_in_part(scene, browser):
    scene.dead(A)
    scene.store.hset(scene.key(ROW), mapping={f"f{n}": n for n in range(100_000)})
    html = page(browser)
    assert "and 100,000 more fields, too many or too long to list here" in text(html)
    assert len(html) < 100_000


def test_a_lock_a_dedup_key_and_the_mint_are_told(scene, browser):
    scene.dead(A, dedup_id="order-7")
    scene.store.set(scene.key(ROW + ":lock"), "worker-1", px=60_000)
    scene.store.set(scene.key("de:order-7"), A)
    said = text(page(browser))
    assert "worker-1, expires in" in said
    assert "order-7 held by this job" in said
    assert "JOB, node 1023, sequence 4094 2026-01-27 15:11:37.640 UTC" in said
    scene.dead("user/1")
    assert "unknown: no id of three capitals" in text(
        page(browser, "/q/prod/orders/job/" + to_url("user/1"))
    )


def test_actions_that_take_another_role_or_place_say_so(scene, browser, settings):
    scene.dead(A)
    said = text(page(browser))
    assert "Requeue It takes the role operator." in said
    assert "Promote now It is not scheduled: it is dead. It takes the role operator." in said
    assert "Remove It takes the role admin." in text(page(browser, role="operator"))
    assert f"manage.py emq remove --as admin-olena --token={A}=3 --yes prod/orders {A}" in text(
        page(browser, role="admin")
    )
    settings.EMQ_READ_ONLY = True
    html = page(browser, role="admin")
    assert "Read-only." in text(html)
    assert 'name="only"' not in html
    assert "manage.py emq remove" not in text(html)


def test_looking_changes_nothing_and_runs_no_script(scene, browser):
    scene.active(A, 30_000, group=G, parent=B)
    scene.store.rpush(scene.key(ROW + ":logs"), "a")
    before = dump(scene.store)
    scene.store.config_resetstat()
    for part in ("", "/logs", "/trail", "/raw"):
        page_of = browser().get(URL + part)
        assert page_of.status_code == 200
    used = scene.store.info("commandstats")
    assert not {"cmdstat_keys", "cmdstat_scan", "cmdstat_hscan", "cmdstat_evalsha"} & set(used)
    assert dump(scene.store) == before


def test_the_trail_shows_what_was_done_to_this_job_only(scene, browser):
    scene.dead(A)
    scene.dead(B)
    EchoMQ(scene.store).requeue("orders", [A, B], actor="olena")
    html = page(browser, URL + "/trail", **(HX | {"HX-Target": "trail"}))
    assert "requeue by olena" in text(html)
    assert A in html
    assert B not in html
    assert "1 of the newest entries of the queue's audit is not in the trail yet" in text(html)
