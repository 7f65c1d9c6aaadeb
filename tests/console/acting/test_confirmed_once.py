"""A confirmation is good for one call: the form that carries it, sent as often as anybody likes."""

from __future__ import annotations

import pytest
from django.core import signing

from echomq_admin.ledger.models import Kind, TrailEntry
from tests.console.confirming import Q, ask, confirm, html, scheduled
from tests.console.scene import A, B, C, G, dump, text
from tests.console.walking import fields_of

OTHER = "f" * 32


def refused() -> list[tuple[str, str, str]]:
    """What the trail has of attempts that came to nothing: what, who, why."""
    entries = TrailEntry.objects.filter(kind=Kind.REFUSED)
    return [(entry.op, entry.actor, entry.sentence) for entry in entries]


@pytest.fixture
def drained(scene, browser):
    """Somebody, and the confirmation of a drain of two that was done; two more wait since."""
    for job_id in (A, B):
        scene.pending(job_id)
    page = ask(who := browser("admin"), "drain")
    confirm(who, "drain", page, typed="orders")
    assert scene.members("pending") == []
    for job_id in (C, G):
        scene.pending(job_id)
    return who, page


@pytest.mark.parametrize("op_id", [OTHER, "", "x", "F" * 32])
def test_the_confirmation_of_a_drain_is_none_for_another_call(scene, drained, op_id):
    (who, page), before = drained, dump(scene.store)
    answer = html(confirm(who, "drain", page, typed="orders", op_id=op_id))
    assert "What is asked is not what was shown" in text(answer)
    assert dump(scene.store) == before
    assert [(op, by) for op, by, _ in refused()] == [("drain", "admin-olena")]


@pytest.mark.parametrize("fields", [{}, {"budget": "7"}, {"include_schedule": "on"}])
def test_the_same_form_again_gives_its_first_answer(scene, drained, fields):
    scheduled(scene, "JOB0KHTOWnGLuE", at=scene.now_ms() + 60_000)
    before = dump(scene.store)
    who, page = drained
    answer = text(html(confirm(who, "drain", page, typed="orders", **fields)))
    assert "2 jobs deleted of 2 jobs shown" in answer
    assert dump(scene.store) == before
    assert refused() == []


@pytest.mark.parametrize("url", ["sweep", "reap", f"reap_group?group={G}"])
def test_the_preview_of_lapsed_leases_is_none_for_another_press(scene, browser, url):
    scene.active(A, -5_000, group=G)
    who, address = browser(), f"{Q}/{url}"
    form = fields_of(html(who.get(address)))
    who.post(address, form)
    scene.store.zrem(scene.key(f"g:{G}:pending"), A)
    scene.active(A, -5_000, group=G)
    before = dump(scene.store)
    answer = who.post(address, form | {"op_id": OTHER}, follow=True)
    assert "What is asked is not what was shown" in text(html(answer))
    assert dump(scene.store) == before
    assert [op for op, _, _ in refused()] == [url.partition("?")[0]]
    answer = who.post(address, form, follow=True)
    assert "all went as previewed" in text(html(answer))
    assert dump(scene.store) == before


def test_the_first_answer_is_given_after_an_hour_too(scene, drained, monkeypatch):
    who, page = drained
    now = signing.time.time()
    monkeypatch.setattr("django.core.signing.time.time", lambda: now + 3_700)
    answer = confirm(who, "drain", page, typed="orders")
    assert "2 jobs deleted of 2 jobs shown" in text(html(answer))
    assert len(scene.members("pending")) == 2


def test_a_confirmation_that_the_console_did_not_write_is_in_the_trail(scene, asking):
    scene.pending(A)
    shown = asking("admin", "remove", A)
    shown.send(shown="forged")
    shown.send(job=[f"::{B}"])
    ours, other = sorted(refused(), key=lambda one: one[2], reverse=True)
    assert ours[:2] == other[:2] == ("remove", "admin-olena")
    assert "What is asked is not what was shown" in ours[2]
    assert "was not written by the console for you" in other[2]
    assert TrailEntry.objects.count() == 2


def test_what_a_person_may_do_to_a_form_is_no_attempt_against_the_rules(scene, asking):
    scene.pending(A)
    asking("admin", "remove", A).send(unkept="on", typed="ordres")
    shown = asking("admin", "remove", A)
    scene.store.set(scene.key(f"job:{A}:lock"), "w")
    assert "There is more than was shown" in shown.send(force="on").says
    edited = asking("admin", "update_payload", A).send(payload="one", compare="on")
    assert "What is asked is not what was shown" in edited.send(payload="another").says
    assert TrailEntry.objects.count() == 0
