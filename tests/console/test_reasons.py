"""Actions of admins on a console that asks for reasons: a bare press becomes a question."""

from __future__ import annotations

import pytest

from echomq_admin.fleet.names import to_url
from echomq_admin.ledger.models import TrailEntry
from tests.console.scene import A, G, dump, tags, text, value

URL = "/q/prod/orders/resume_lane"


@pytest.fixture
def paused_lane(scene, settings):
    """A lane that its own button resumes, were it not for the setting."""
    settings.EMQ_REASONS = True
    scene.pending(A, group=G)
    scene.store.sadd(scene.key("paused"), G)
    return scene


def test_a_press_without_a_reason_changes_nothing_and_asks_for_it(paused_lane, browser):
    before = dump(paused_lane.store)
    answer = browser("admin").post(URL, {"group": to_url(G)})
    html = answer.content.decode()
    assert answer.status_code == 200
    field = next(attrs for _, attrs in tags(html) if attrs.get("name") == "reason")
    assert "required" in field
    assert dump(paused_lane.store) == before


def test_the_question_answered_with_a_reason_does_it_and_keeps_the_reason(paused_lane, browser):
    who = browser("admin")
    asked = who.post(URL, {"group": to_url(G)}).content.decode()
    form = {name: value(asked, name) for name in ("op_id", "shown")} | {"group": to_url(G)}
    refused = text(who.post(URL, form).content.decode())
    assert "A reason is missing." in refused
    assert paused_lane.store.sismember(paused_lane.key("paused"), G)
    who.post(URL, form | {"reason": "the tenant paid"})
    assert not paused_lane.store.sismember(paused_lane.key("paused"), G)
    assert TrailEntry.objects.get(kind="moved").reason == "the tenant paid"


def test_operators_press_as_always(scene, browser, settings):
    settings.EMQ_REASONS = True
    scene.dead(A)
    browser("operator").post("/q/prod/orders/requeue", {"only": f"3:0:{A}"})
    assert scene.members("dead") == []
