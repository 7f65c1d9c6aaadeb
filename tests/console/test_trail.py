"""The page of the trail: what its entries say, how it is sifted, and who may take back."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from echomq_admin.fleet.names import to_url
from echomq_admin.ledger import trail
from echomq_admin.ledger.models import Gap, Kind
from echomq_admin.operations.undoing import undo_id
from tests.console.scene import HX, A, B, tags, text
from tests.console.trails import NOON, entry, moved, note
from tests.plans import plan

URL = "/trail"


def page(reader, **query: object) -> str:
    answer = reader.get(URL, query, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def said(reader, **query: object) -> str:
    return text(page(reader, **query))


def shown(html: str) -> list[str]:
    """The text of each entry and gap, in the order of the page."""
    parts = re.split(r'<div class="entry trail', html)[1:]
    return [text(f"<p {part}") for part in parts]


def links(html: str) -> set[str]:
    return {attrs["href"] for tag, attrs in tags(html) if tag == "a" and attrs.get("href")}


def undos(html: str) -> list[str]:
    """Where the forms of a page lead that take a call back."""
    actions = [attrs.get("action") or "" for tag, attrs in tags(html) if tag == "form"]
    return [action for action in actions if "/undo/" in action]


def test_an_entry_says_who_did_what_when_where_why_and_to_which_jobs(scene, browser):
    entry(
        moved(A, "requeued", 4, 2, False, b"room-9", b"smtp timeout"),
        moved(B, "not_dead"),
        reason="the mail server is back",
    )
    html = page(browser("viewer"))
    (line,) = shown(html)
    for part in (
        "requeue by olena on prod/orders", "the mail server is back", "12:00",
        "2 jobs: 1 requeued; 1 no longer dead", A, "4", "2", "room-9", "smtp timeout", "f" * 32,
    ):  # fmt: skip
        assert part in line
    assert {f"/q/prod/orders/job/{A}", "/q/prod/orders/active"} <= links(html)


def test_what_no_stream_told_is_marked_as_what_it_is(scene, browser):
    note(Kind.SIGN_IN, "sign-in failed", "mallory", sentence="The password was wrong.")
    note(Kind.KEPT, "hide_queue", "olena", server="prod", queue=b"orders")
    note(Kind.REFUSED, "remove", "petro", server="prod", sentence="It takes the role admin.")
    refused, kept, sign_in = shown(page(browser("viewer")))
    assert "sign-in sign-in failed : mallory The password was wrong." in sign_in
    assert "setting hide queue by olena on prod/orders" in kept
    assert "refused remove by petro on prod It takes the role admin." in refused


def test_words_of_an_entry_are_text_however_hostile(scene, browser):
    bad = "<script>alert(1)</script>\u202e"
    entry(
        moved("JOB\udcff<b>", bad, 1, 1, False, b"\xff<b>", b"<b>\x00"),
        actor=bad, op=bad, op_id=bad, reason=bad, sentence=bad, fault=bad, server=bad[:40],
        queue=b"<b>\xff",
    )  # fmt: skip
    html = page(browser("viewer"))
    assert "<script>alert" not in html
    assert "<b>\\x" not in html
    assert "\u202e" not in text(html)
    assert "<script>alert(1)</script>\\u202e" in text(html)


def test_jobs_that_cannot_be_read_break_only_their_entry(scene, browser):
    entry(moved(A), at_ms=NOON + 1)
    entry(jobs=b"\xc1", detail=b"\xc1", n=3)
    sound, broken = shown(page(browser("viewer")))
    assert "1 requeued" in sound
    assert "jobs cannot be read; detail cannot be read" in broken


def test_entries_of_a_server_that_is_configured_no_longer_are_no_links(scene, browser):
    entry(moved(A), server="gone")
    html = page(browser("operator"))
    assert "on gone/orders" in text(html)
    assert not [link for link in links(html) if link.startswith("/q/gone")]
    assert undos(html) == []


SIFTED = {
    "who": "petro",
    "what": "remove",
    "kind": "refused",
    "server": "dev",
    "queue": "b\udcff",
    "job": "JOB\udcff",
    "op_id": "a" * 32,
    "from": "2026-11-29 12:00:01Z",
    "q": "TENANT 7",
}


@pytest.mark.parametrize("field", SIFTED)
def test_each_field_leaves_only_the_entries_that_it_names(scene, browser, field):
    entry(moved(A))
    entry(
        moved("JOB\udcff"), at_ms=NOON + 1_000, actor="petro", op="remove", kind=Kind.REFUSED,
        server="dev", queue=b"b\xff", op_id="a" * 32, reason="tenant 7 left",
    )  # fmt: skip
    value = SIFTED[field]
    html = page(browser("viewer"), **{field: to_url(value) if "\udcff" in value else value})
    (line,) = shown(html)
    assert "tenant 7 left" in line


def test_raw_bytes_of_an_address_name_a_queue_as_its_own_form_does(scene, browser):
    entry(moved(A), queue=b"b\xff")
    for query in ("queue=b%FF", f"queue={to_url(chr(98) + chr(0xDCFF))}"):
        html = browser("viewer").get(f"{URL}?{query}").content.decode()
        assert len(shown(html)) == 1
        assert to_url("b\udcff") in [attrs.get("value") for tag, attrs in tags(html)]


def test_a_time_range_is_half_open(scene, browser):
    for second in range(3):
        entry(at_ms=NOON + 1_000 * second, reason=f"second {second}")
    asked = {"from": "2026-11-29 12:00:01Z", "to": "2026-11-29 12:00:02Z"}
    assert ["second 1" in line for line in shown(page(browser("viewer"), **asked))] == [True]


def test_a_relative_time_becomes_one_that_always_means_the_same(scene, browser):
    answer = browser("viewer").get(URL, {"from": "2 h ago", "who": "olena", "zone": "UTC"})
    assert answer.status_code == 302
    assert re.fullmatch(
        r"/trail\?who=olena&from=20\d\d-\d\d-\d\d\+\d\d%3A\d\d%3A\d\dZ", answer["Location"]
    )


def test_a_time_is_meant_in_the_zone_that_it_was_typed_in(scene, browser):
    asked = {"from": "2026-11-29 13:00", "zone": "Asia/Kathmandu"}
    answer = browser("viewer").get(URL, asked)
    assert answer["Location"] == "/trail?from=2026-11-29+07%3A15%3A00Z"


def test_a_time_that_cannot_be_read_shows_nothing_and_says_why(scene, browser):
    entry(moved(A))
    html = page(browser("viewer"), **{"from": "noon-ish", "to": "1 h ago"})
    assert shown(html) == []
    assert "“noon-ish” is no time that can be read" in text(html)
    assert "Nothing is shown" in text(html)
    assert 'value="noon-ish"' in html
    html = page(browser("viewer"), to="13:00", zone="Nowhere/Land")
    assert "No zone is called “Nowhere/Land” here" in text(html)


def test_pages_are_turned_both_ways(scene, browser):
    for at in range(60):
        entry(at_ms=NOON + at, reason=f"number {at}.")
    who, seen = browser("viewer"), []
    html = page(who)
    while True:
        seen += [re.search(r"number (\d+)\.", line)[1] for line in shown(html)]
        older = [attrs for tag, attrs in tags(html) if tag == "a" and attrs.get("rel") == "next"]
        if not older:
            break
        html = who.get(f"{URL}{older[0]['href']}").content.decode()
    assert seen == [str(at) for at in reversed(range(60))]
    newer = [attrs for tag, attrs in tags(html) if tag == "a" and attrs.get("rel") == "prev"]
    html = who.get(f"{URL}{newer[0]['href']}").content.decode()
    assert "number 34." in shown(html)[0]


def test_only_the_newest_page_reads_itself_anew(scene, browser):
    for at in range(30):
        entry(at_ms=NOON + at)
    html = page(browser("viewer"))
    assert 'data-poll="5000"' in html
    older = [attrs["href"] for tag, attrs in tags(html) if tag == "a" and attrs.get("rel")]
    assert "data-poll" not in browser("viewer").get(f"{URL}{older[0]}").content.decode()
    assert "<html" not in browser("viewer").get(URL, headers=HX).content.decode()


def test_the_number_of_entries_is_true_or_not_said(scene, browser, monkeypatch):
    monkeypatch.setattr(trail, "COUNTED", 2)
    entry(actor="petro")
    assert "1 entry" in said(browser("viewer"))
    entry()
    entry()
    assert "More than 2 entries" in said(browser("viewer"))
    assert "1 entry" in said(browser("viewer"), who="petro")
    assert "Entries that match" in said(browser("viewer"), q="x")


def test_a_search_that_was_ended_says_so_and_can_go_on(scene, browser, monkeypatch):
    monkeypatch.setattr(trail, "WINDOW", 10)
    entry(reason="the one", at_ms=NOON - 1)
    for at in range(15):
        entry(at_ms=NOON + at)
    html = page(browser("viewer"), q="the one")
    assert shown(html) == []
    assert "Looked through 10 entries, none matches." in text(html)
    older = [attrs["href"] for tag, attrs in tags(html) if tag == "a" and attrs.get("rel")]
    (line,) = shown(browser("viewer").get(f"{URL}{older[0]}").content.decode())
    assert "the one" in line


def test_a_gap_stands_between_the_entries_beside_it(scene, browser):
    entry(at_ms=NOON, reason="before")
    entry(at_ms=NOON + 9_000, reason="behind")
    Gap.objects.create(
        server="prod", queue=b"orders", after_id=f"{NOON}-0", before_id=f"{NOON + 9_000}-0",
        found_at_ms=NOON + 20_000, sentence="7 entries were gone before they were copied.",
    )  # fmt: skip
    behind, gap, before = shown(page(browser("viewer")))
    assert ("behind" in behind, "before" in before) == (True, True)
    assert "Entries are missing here of prod/orders 7 entries were gone" in gap
    assert len(shown(page(browser("viewer"), kind="sign-in"))) == 0


def test_nothing_on_record_is_said_and_so_is_nothing_that_matches(scene, browser):
    assert "Nothing on record yet" in said(browser("viewer"))
    assert "No entry matches" in said(browser("viewer"), who="nobody")


def test_of_a_job_only_what_became_of_it_is_shown(scene, browser):
    entry(moved(A, "requeued", 4), moved(B, "gone"))
    (line,) = shown(page(browser("viewer"), job=A))
    assert "this job: requeued (one of 2 jobs)" in line
    assert B not in line


def test_an_entry_of_many_jobs_shows_the_first_and_more_when_its_call_is_asked_for(scene, browser):
    entry(*[moved(f"JOB{at:011}") for at in range(300)])
    assert "and 280 jobs more" in said(browser("viewer"))
    assert "and 100 jobs more" in said(browser("viewer"), op_id="f" * 32)


def test_a_requeue_is_offered_to_be_undone_to_whom_it_is_permitted(scene, browser, settings):
    scene.pending(A)
    entry(moved(A), at_ms=NOON + 5)
    entry(moved(A), op="remove")
    entry(moved(A), op_id="f" * 32 + ".1")
    entry(moved(A), op_id="")
    entry(op_id="e" * 32, n=2_000)
    entry(moved(A), kind=Kind.REFUSED)
    url = reverse("undo", args=["prod", "orders", "f" * 32])
    assert undos(page(browser("operator"))) == [url]
    assert undos(page(browser("viewer"))) == []
    settings.EMQ_READ_ONLY = True
    assert undos(page(browser("admin"))) == []


def test_the_trail_is_read_while_the_server_is_away(scene, browser, settings):
    entry(moved(A))
    settings.EMQ_SERVERS = "prod=redis://127.0.0.1:1/0?connect_ms=100"
    assert len(shown(page(browser("operator")))) == 1


def test_a_heavy_page_is_kept_in_bounds(scene, browser):
    for call in range(30):
        jobs = [
            moved(f"JOB{at:011}", "requeued", 1, 1, False, b"g", b"e" * 60) for at in range(900)
        ]
        entry(*jobs, at_ms=NOON + call)
    assert len(page(browser("viewer"), rows=100)) < 1_500_000


def test_the_audit_of_a_queue_and_the_rail_lead_here(scene, browser):
    scene.pending(A)
    html = browser("viewer").get("/q/prod/orders/audit").content.decode()
    assert {"/trail", "/trail?server=prod&queue=orders"} <= links(html)


def test_a_requeue_that_was_undone_says_so_and_is_looked_up_by_its_name(scene, browser):
    scene.pending(A)
    entry(moved(A))
    name = undo_id("prod", "orders", "f" * 32)
    note(Kind.REFUSED, "return_to_dead", "olena", at_ms=NOON + 1, op_id=name)
    who = browser("operator")
    assert len(undos(page(who))) == 1
    entry(moved(A, "returned"), at_ms=NOON + 2, op="return_to_dead", op_id=name)
    with CaptureQueriesContext(connection) as asked:
        html = page(who)
    assert undos(html) == []
    assert "1 requeued undone" in text(html)
    lookup = next(one["sql"] for one in asked if '"op_id" IN' in one["sql"])
    assert "trail_by_op_id" in plan(lookup, is_ordered=False).first
