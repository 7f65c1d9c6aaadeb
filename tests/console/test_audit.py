"""The tab of the audit stream."""

from __future__ import annotations

import re

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet.names import to_url
from tests.console.scene import A, B, C, tags, text

URL = "/q/prod/orders/audit"


def page(browser) -> str:
    answer = browser("viewer").get(URL)
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_entry_says_what_who_when_and_what_became_of_each_job(scene, browser):
    scene.dead(A, attempts=4, stalled=2, last_error="smtp timeout", group="room-9")
    EchoMQ(scene.store).requeue("orders", [A, B], actor="olena", op_id="f" * 32)
    said = text(page(browser))
    assert "requeue by olena" in said
    assert "reset stalls" not in said
    for part in (A, "requeued", "4", "2", "room-9", "smtp timeout", "f" * 32):
        assert part in said


def test_every_page_says_the_same_of_a_lost_row_and_of_an_unreadable_one(scene, browser):
    scene.active(B, -1_000, attempts="x")
    scene.store.zadd(scene.key("active"), {A: 1})
    fates = ("row missing, id dropped", "unreadable, sent to dead")
    for tab in ("active", "sweep"):
        seen = text(browser().get(f"/q/prod/orders/{tab}").content.decode())
        assert all(fate in seen for fate in fates)
    EchoMQ(scene.store).sweep("orders", max_stalled=2, limit=9, actor="olena")
    assert all(text(page(browser)).count(fate) == 2 for fate in fates)


def test_a_requeue_that_met_an_unreadable_row_did_not_send_it_to_dead(scene, browser):
    scene.dead(A, attempts="x")
    scene.dead(B)
    EchoMQ(scene.store).requeue("orders", [A, B], actor="olena")
    said = text(page(browser))
    assert "sent to dead" not in said
    assert "who did what" in said


def many(scene, count: int) -> None:
    """Entries a second apart from the epoch of ids on, each by a person of its number."""
    scene.pending(A)
    for at in range(count):
        fields = {"op": "pause", "actor": f"no{at:03}", "t": 1, "n": 0, "jobs": b"\x90"}
        scene.store.xadd(scene.admin + b"audit", fields, f"{1_704_067_200_000 + at * 1_000}-0")


def actors(html: str) -> list[str]:
    return re.findall(r"no\d{3}", text(html))


def turned(html: str, rel: str) -> str:
    return next(a["href"] for tag, a in tags(html) if tag == "a" and a.get("rel") == rel)


def test_entries_are_turned_page_by_page_25_50_or_100_at_a_time(scene, browser):
    many(scene, 102)
    who = browser("viewer")
    first = who.get(URL).content.decode()
    assert "102 entries" in text(first)
    assert (actors(first)[0], actors(first)[-1], len(actors(first))) == ("no101", "no077", 25)
    second = who.get(URL + turned(first, "next")).content.decode()
    assert (actors(second)[0], actors(second)[-1]) == ("no076", "no052")
    assert actors(who.get(URL + turned(second, "prev")).content.decode()) == actors(first)
    assert len(actors(who.get(URL + "?rows=100").content.decode())) == 100
    assert who.get(URL + "?rows=7&cursor=%00x").status_code == 200


def test_the_audit_opens_at_a_time_on_the_clock_of_the_page(scene, browser):
    many(scene, 102)
    who = browser("viewer")
    html = who.get(URL + "?at=2024-01-01+00:00:50").content.decode()
    assert actors(html)[0] == "no050"
    assert "opened at the entries up to" in text(html)
    early = who.get(URL + "?at=2001-01-01").content.decode()
    assert actors(early)[-1] == "no000"
    assert "No entry is that old: these are the oldest." in text(early)
    assert "opened at" not in text(early)
    assert "aria-invalid" in who.get(URL + "?at=nonsense").content.decode()
    moved = who.get(URL + "?at=2+h+ago&rows=50")
    assert (moved.status_code, "rows=50" in moved["Location"]) == (302, True)


def test_the_audit_says_where_reasons_are(scene, browser):
    many(scene, 1)
    html = page(browser)
    assert "Reasons are in the trail" in text(html)
    (hint,) = [part for part in html.split("<a ") if "Reasons are in the trail</a>" in part]
    assert 'href="/trail?' in hint


def test_a_stream_that_is_too_large_is_cut_and_said_so(scene, browser):
    scene.pending(A)
    for number in range(40):
        scene.store.xadd(
            scene.admin + b"audit",
            {"op": "sweep", "actor": "x", "t": 1, "n": 0, "jobs": b"\x90", "pad": b"p" * 100_000,
             "op_id": str(number)},
        )  # fmt: skip
    said = text(page(browser))
    assert "Reading stopped at 2 MB" in said


def test_an_unreadable_entry_breaks_only_itself(scene, browser):
    scene.pending(A)
    scene.store.xadd(scene.admin + b"audit", {"op": b"\xff<b>", "jobs": b"\xc1", "t": "x"})
    EchoMQ(scene.store).pause("orders", actor="olena")
    html = page(browser)
    assert "pause queue by olena" in text(html)
    assert "\\xff&lt;b&gt;" in html


def test_hostile_words_of_an_entry_are_text(scene, browser):
    scene.pending(C)
    EchoMQ(scene.store).pause("orders", actor="<script>alert(1)</script>")
    html = page(browser)
    assert "<script>alert" not in html
    assert "<script>alert(1)</script>" in text(html)


def test_an_empty_stream_says_what_would_be_in_it(scene, browser):
    scene.pending(A)
    assert "Nothing on record yet" in text(page(browser))


def test_a_stream_of_another_type_is_said_and_nothing_is_counted(scene, browser):
    scene.pending(A)
    scene.store.set(scene.admin + b"audit", "x")
    said = text(page(browser))
    assert "The audit stream cannot be read: the key holds another type." in said
    assert "0 entries" not in said


def test_the_jobs_of_an_entry_lead_to_their_pages(scene, browser):
    odd = "JOB\udcff/<b>"
    for job_id in (A, odd):
        scene.dead(job_id)
    EchoMQ(scene.store).requeue("orders", [A, odd], actor="olena")
    links = {a["href"] for tag, a in tags(page(browser)) if tag == "a"}
    assert {f"/q/prod/orders/job/{to_url(job_id)}" for job_id in (A, odd)} <= links


def test_an_id_beyond_all_measure_is_no_link(scene, browser):
    long = b"x" * 100_000
    scene.dead(long)
    EchoMQ(scene.store).requeue("orders", [long.decode()], actor="olena")
    html = page(browser)
    assert "100,000 bytes" in text(html)
    assert len(html) < 50_000
