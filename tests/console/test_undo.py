"""The button that takes a requeue back."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.ledger.models import Kind, TrailEntry
from echomq_admin.operations.models import Before
from tests.console.pressing import press
from tests.console.scene import A, B, dump, tags, text


def undo_url(html: str) -> str:
    """Where the undo button of a page leads, empty when there is none."""
    found = [
        attrs["action"] or ""
        for tag, attrs in tags(html)
        if tag == "form" and "/undo/" in (attrs.get("action") or "")
    ]
    return found[0] if found else ""


@pytest.fixture
def requeued(browser, scene):
    """An operator has requeued A; the page that says so."""
    scene.dead(A, last_error=b"\xff long " * 20_000, stalled=2)
    return press(browser(), A).content.decode()


def test_a_requeue_offers_its_undo_which_brings_everything_back(browser, scene):
    scene.dead(A, last_error=b"\xff long " * 20_000, stalled=2)
    row = scene.store.hgetall(scene.key(f"job:{A}"))
    who = browser()
    html = press(who, A).content.decode()

    page = who.post(undo_url(html), {"back": "queue_dead"}, follow=True)
    assert "Undone: 1 returned to dead" in text(page.content.decode())
    assert "to the byte" in text(page.content.decode())
    assert scene.members("dead") == [A.encode()]
    assert scene.store.hgetall(scene.key(f"job:{A}")) == row


def test_a_second_press_of_undo_moves_nothing(browser, scene, requeued):
    who, url = browser(), undo_url(requeued)
    who.post(url)
    before = dump(scene.store)

    said = text(who.post(url, follow=True).content.decode())
    assert "was undone before" in said
    assert "1 returned to dead then. Nothing was changed now." in said
    assert dump(scene.store) == before


def test_a_job_that_a_worker_took_is_left_and_named(browser, scene, requeued):
    EchoMQ(scene.store).claim("orders", 30_000)

    html = browser().post(undo_url(requeued), follow=True).content.decode()
    assert "Not undone: 0 returned to dead, 1 no longer waiting" in text(html)
    assert f"{A} : no longer waiting" in text(html)
    assert scene.members("active") == [A.encode()]


def test_where_only_the_audit_is_left_it_is_said(browser, requeued):
    Before.objects.all().delete()

    html = browser().post(undo_url(requeued), follow=True).content.decode()
    assert "1 came back with a cut error" in text(html)


def test_an_op_id_that_no_requeue_had_is_refused_with_a_sentence(browser, scene):
    scene.dead(B)
    before = dump(scene.store)

    html = browser().post("/q/prod/orders/undo/nothing", follow=True).content.decode()
    assert "knows no requeue nothing" in text(html)
    assert dump(scene.store) == before


@pytest.mark.parametrize(
    ("back", "look", "to"),
    [
        ("queue_dead", "rows=50", "/q/prod/orders/dead?rows=50&did="),
        ("trail", "who=ann", "/trail?who=ann&did="),
        ("job", "", f"/q/prod/orders/job/{A}?did="),
        ("//evil.example", "", "/q/prod/orders/dead?did="),
    ],
)
def test_it_leads_back_to_the_page_that_it_was_pressed_on(browser, requeued, back, look, to):
    fields = {"back": back, "look": look} | ({"job": f"3:2:{A}"} if back == "job" else {})

    answer = browser().post(undo_url(requeued), fields)
    assert answer.status_code == 302
    assert answer["Location"].startswith(to)


def test_a_viewer_and_a_get_change_nothing(browser, scene, requeued):
    url = undo_url(requeued)
    before = dump(scene.store)

    assert browser("viewer").post(url).status_code == 403
    assert browser().get(url).status_code == 405
    assert browser("anonymous").post(url).status_code == 302
    assert dump(scene.store) == before


def test_a_read_only_console_undoes_nothing(browser, scene, requeued, settings):
    settings.EMQ_READ_ONLY = True
    before = dump(scene.store)

    html = browser().post(undo_url(requeued), follow=True).content.decode()
    assert "read only" in text(html)
    assert dump(scene.store) == before


def test_a_job_that_was_left_is_told_at_its_row_but_not_ticked(browser, scene, requeued):
    emq = EchoMQ(scene.store)
    claim = emq.claim("orders", 30_000)
    emq.retry("orders", claim.job_id, claim.attempts, 0, 1, "boom")
    assert scene.members("dead") == [A.encode()]

    html = browser().post(undo_url(requeued), follow=True).content.decode()
    assert "no longer waiting" in text(html)
    boxes = [attrs for tag, attrs in tags(html) if attrs.get("name") == "job"]
    assert [("checked" in attrs) for attrs in boxes] == [False]


def test_a_refused_undo_is_in_the_trail(browser, scene):
    scene.dead(B)
    browser().post("/q/prod/orders/undo/nothing")

    entry = TrailEntry.objects.get(kind=Kind.REFUSED)
    assert (entry.op, bytes(entry.queue)) == ("return_to_dead", b"orders")
    assert "knows no requeue nothing" in entry.sentence
