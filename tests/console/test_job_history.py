"""The history of a job, as a page of its own and as a section of the page of the job."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User

from echomq_admin.console.history.page import ON_JOB
from echomq_admin.emq import EchoMQ
from echomq_admin.fleet.names import to_url
from echomq_admin.ledger.endings.models import Ending, EndingKind, Place, Source
from echomq_admin.ledger.models import Gap, Kind, TrailJob, job_key
from echomq_admin.ledger.observing import flights
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.models import Blind, Watched
from echomq_admin.operations.services import Call, perform
from tests.console.scene import HX, A, B, Scene, tags, text
from tests.console.trails import entry, moved, note
from tests.ledger.endings.made import NOON, ending

URL = f"/q/prod/orders/job/{A}"
SEC = 1_000
SECTION = HX | {"HX-Target": "history"}


def page(browser, job_id: str = A, status: int = 200, queue: str = "orders") -> str:
    answer = browser("viewer").get(f"/q/prod/{queue}/job/{to_url(job_id)}/history")
    assert answer.status_code == status
    return answer.content.decode()


def section(browser, url: str = URL) -> str:
    answer = browser("viewer").get(f"{url}/history", headers=SECTION)
    assert answer.status_code == 200
    return answer.content.decode()


def table(html: str) -> str:
    """What the table says, without the picture."""
    (found,) = re.findall(r'<table class="rows history-rows">.*?</table>', html, re.S)
    return text(found)


def marks(html: str) -> list[str]:
    """The classes of the marks of the widest drawing, waits left out."""
    drawing = re.search(r'<svg class="timeline history at-1100".*?</svg>', html, re.S)
    assert drawing
    found = re.findall(r'<g class="h-(\w+)">', drawing[0])
    return [css for css in found if css != "wait"]


def whole_story() -> None:
    """Leases, a call between them, a lease that is missing, and one that a call ended."""
    ending(A, at_ms=NOON, attempts=1, stalled=1, renewals=3, lane="room-1")
    ending(A, EndingKind.DEAD, NOON + 60 * SEC, attempts=3, error=b"stalled")
    entry(moved(A, "requeued", 3), at_ms=NOON + 90 * SEC, reason="mail is back")
    swept = entry(moved(A, "recovered", 4), at_ms=NOON + 99 * SEC, op="sweep", actor="petro")
    ending(A, at_ms=NOON + 99 * SEC, attempts=4, source=Source.SCRIPT, within_ms=0, entry=swept.pk)


def test_the_page_tells_every_lease_with_what_people_did_between(scene, browser):
    scene.dead(A, attempts=4)
    whole_story()
    html = page(browser)
    said = table(html)
    wanted = [
        *("stalled, recovered", "stall count 1", "0.2 s to 0.4 s past its deadline", "observed"),
        *("lane room-1", "up to 0.2 s earlier", "Lease 2: no ending on record", "stalled, dead"),
        *("requeue", "by olena", "mail is back", "stalled, recovered", "exact", "by petro"),
    ]
    at = 0
    for words in wanted:
        at = said.index(words, at)
    assert said.count("by petro") == 1
    lineage = "stalled, 1 lease without an ending on record, died, requeued by olena, stalled again"
    assert f"In short: {lineage} (swept by petro); now dead." in text(html)
    assert marks(html) == ["recovered", "missing", "dead", "flag", "recovered"]


def test_the_picture_has_a_title_words_and_three_widths(scene, browser):
    whole_story()
    html = page(browser)
    drawn = [attrs for tag, attrs in tags(html) if tag == "svg" and attrs.get("role") == "img"]
    assert [attrs["viewbox"].split()[2] for attrs in drawn] == ["1100", "660", "380"]
    for attrs in drawn:
        title, described = attrs["aria-labelledby"].split()
        assert f'<title id="{title}">The history of the job as a picture</title>' in html
        assert f'<desc id="{described}">stalled, ' in html


def test_the_section_of_the_page_of_the_job_loads_itself_and_tells_the_same(scene, browser):
    scene.dead(A, attempts=4)
    whole_story()
    html = browser("viewer").get(URL).content.decode()
    (shown,) = [attrs for _, attrs in tags(html) if attrs.get("id") == "history"]
    assert shown["hx-get"] == f"{URL}/history"
    assert f'href="{URL}/trail"' in html
    said = text(section(browser))
    assert "mail is back" in said
    assert "by petro" in said
    assert "<html" not in section(browser)


def test_what_changes_the_history_changes_what_the_section_is_known_by(scene, browser):
    scene.dead(A)

    def version() -> str:
        html = browser("viewer").get(URL, headers=HX).content.decode()
        return next(a["data-kept"] for _, a in tags(html) if a.get("id") == "history")

    seen = [version(), version()]
    assert seen[0] == seen[1]
    made = ending(A)
    seen.append(version())
    Ending.objects.filter(pk=made.pk).update(source=Source.SCRIPT)
    seen.append(version())
    entry(moved(A))
    seen.append(version())
    EchoMQ(scene.store).requeue("orders", [A], actor="olena")
    seen.append(version())
    EchoMQ(scene.store).claim("orders", 60_000)
    seen.append(version())
    EchoMQ(scene.store).extend("orders", A, 4, 90_000)
    seen.append(version())
    assert len(set(seen)) == len(seen) - 1


def test_of_a_long_history_the_section_tells_the_end_and_the_page_all(scene, browser):
    for attempts in range(1, 41):
        ending(A, at_ms=NOON + attempts * SEC, attempts=attempts)
    html = section(browser)
    assert html.count("data-row") == ON_JOB
    assert f"{40 - ON_JOB} earlier lines in the whole history" in text(html)
    assert page(browser).count("data-row") == 40
    assert "older marks had no room" in text(page(browser))


def test_a_job_long_gone_has_its_history(scene, browser):
    scene.dead("JOBother")
    whole_story()
    assert "; now gone: completed, or removed without the console." in text(page(browser))


def test_ids_that_nobody_knows_are_not_found(scene, browser):
    scene.dead("JOBother")
    ending(A, queue="others")
    ending(A, server="eu")
    said = text(page(browser, status=404))
    assert "No job of this id is known" in said
    assert "stalled" not in said


def test_a_job_that_only_the_server_knows_has_none_yet(scene, browser):
    scene.pending(A)
    said = text(page(browser))
    assert "No lease of it has an ending on record" in said
    assert "The agent does not watch this queue yet" in said


def test_the_same_id_elsewhere_never_mixes(scene, browser):
    Scene(scene.store, "others").dead(A)
    scene.dead(A)
    ending(A, error=b"ours")
    ending(A, EndingKind.REAPED, queue="others", error=b"theirs")
    entry(moved(A), queue=b"others", actor="petro")
    ours, theirs = text(page(browser)), text(page(browser, queue="others"))
    assert "ours" in ours
    assert [word for word in ("theirs", "petro") if word in ours] == []
    assert "ours" not in theirs
    assert "petro" in theirs


def test_a_lease_in_flight_is_told_with_the_renewals_that_were_seen(scene, browser):
    scene.active(A, 60_000, attempts=2)
    place = Place.objects.create(server="prod", queue=b"orders")
    lease = Lease(2, 0, NOON + 1.0, None, None, NOON, renewals=14, renewed_ms=NOON)
    packed = flights.pack({A.encode(): lease})
    Watched.objects.create(place=place, since_ms=NOON, seen_ms=NOON, flights=packed)
    html = page(browser)
    (row,) = re.findall(r'<tr data-row tabindex="-1" id="flight">.*?</tr>', html, re.S)
    assert "in flight" in text(row)
    assert "seen since" in text(row)
    assert "renewed last" in text(row)
    assert text(row).split()[-3:] == ["at", "least", "14"]
    assert marks(html) == ["missing", "flight"]
    scene.store.hset(scene.key(f"job:{A}"), "attempts", 3)
    assert "seen since" not in text(page(browser))


def test_a_lapsed_lease_waits_for_a_sweep(scene, browser):
    scene.active(A, -5_000)
    assert "no sweep or reap has taken it yet" in text(page(browser))


def test_lives_have_headings(scene, browser):
    ending(A, at_ms=NOON, attempts=1)
    ending(A, at_ms=NOON + SEC, attempts=1, life=1)
    html = page(browser)
    said = table(html)
    assert said.index("Life 1") < said.index("Its row went") < said.index("Life 2")
    assert marks(html) == ["life", "recovered", "life", "recovered"]


def test_what_nobody_saw_stands_between(scene, browser):
    ending(A, at_ms=NOON, attempts=1)
    Blind.objects.create(server="prod", from_ms=NOON + 1, to_ms=NOON + SEC, why="No agent ran.")
    Gap.objects.create(
        server="prod", queue=b"orders", after_id="1-0", before_id=f"{NOON + 2 * SEC}-0",
        found_at_ms=1, sentence="7 entries are lost.",
    )  # fmt: skip
    ending(A, at_ms=NOON + 3 * SEC, attempts=2)
    html = page(browser)
    said = table(html)
    assert said.index("Not watched from") < said.index("No agent ran.")
    assert "Entries of the trail are missing here" in said
    assert "7 entries are lost." in said
    assert marks(html) == ["recovered", "unseen", "unseen", "recovered"]


def test_refused_attempts_are_told(scene, browser):
    scene.dead(A)
    refused = note(Kind.REFUSED, "remove", "petro", NOON, server="prod", queue=b"orders",
                   sentence="You may not.")  # fmt: skip
    TrailJob.objects.create(entry=refused, job=job_key(A), at_ms=NOON)
    said = text(page(browser))
    assert "refused remove by petro" in said
    assert "You may not." in said


def test_a_call_that_is_not_copied_yet_is_told_once(scene, browser):
    scene.dead(A)
    EchoMQ(scene.store).requeue("orders", [A], actor="early")
    said = table(section(browser))
    assert said.count("requeue by early") == 1
    assert "not in the trail yet" in said


def test_a_requeue_can_be_undone_by_whom_it_is_permitted(scene, browser):
    scene.dead(A)
    who = browser("operator")
    operator = User.objects.get(username="operator-olena")
    done = perform(operator, Call("requeue", "prod", "orders", [A]))
    html = who.get(f"{URL}/history", headers=SECTION).content.decode()
    undo = f"/q/prod/orders/undo/{done.call.op_id}"
    assert f'action="{undo}"' in html
    assert undo not in section(browser)
    look = next(a["value"] for _, a in tags(html) if a.get("name") == "look")
    who.post(undo, {"back": "trail", "look": look})
    assert scene.members("dead") == [A.encode()]


def test_a_server_out_of_reach_leaves_what_the_database_has(scene, browser, settings):
    whole_story()
    settings.EMQ_SERVERS = "prod=redis://127.0.0.1:1/0?connect_ms=100"
    said = text(page(browser))
    assert "The server cannot be read now" in said
    assert "Lease 2: no ending on record" in said


HOSTILE = ["x" * 3_000, "JOB\udcff\x00<b>", "\u202e", "../../etc", "~x"]


@pytest.mark.parametrize("job_id", HOSTILE)
def test_hostile_ids_errors_lanes_and_names_are_shown_and_never_run(scene, browser, job_id):
    ending(job_id, error=b"\xff<script>alert(1)</script>\x1b[2J", lane="<i>\udcff", attempts=2**53)
    entry(
        moved(job_id, "<b>", "many", {}, [], 7, b"\xff" * 70_000),
        op="<img src=x>", actor="\u202e<b>", reason="<u>", at_ms=NOON + 1,
    )  # fmt: skip
    html = page(browser, job_id)
    for raw in ("<script>alert", "<i>", "<img", "<u>", "\u202e", "\x1b"):
        assert raw not in html
    assert len(html) < 60_000


def test_a_cut_error_says_how_long_it_was(scene, browser):
    made = ending(A, error=("é" * 500).encode())
    made.error.size = 70_000
    made.error.text = made.error.text[:-1]
    made.error.save()
    said = text(page(browser))
    assert "the beginning of 70.0 kB" in said
    assert "not all UTF-8" not in said


def test_an_ending_whose_names_were_pruned_is_told_without_them(scene, browser):
    made = ending(A, lane="room-1", error=b"boom")
    made.lane.delete()
    made.error.delete()
    said = text(page(browser))
    assert "stalled, recovered" in said
    assert [word for word in ("room-1", "boom") if word in said] == []
    assert page(browser, B, status=404)


def test_a_job_that_may_be_where_nobody_may_look_is_not_told_to_be_gone(browser, scene, client):
    client.set("emq:{orders}:dead", "x")
    said = text(page(browser, B))
    assert "dead: the key holds another type" in said
    assert "where the job is now is not known" in said
    assert "No job of this id is known" not in said
