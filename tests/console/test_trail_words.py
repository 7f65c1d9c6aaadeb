"""What the trail says of entries that are out of the ordinary."""

from __future__ import annotations

import msgpack
import pytest

from echomq_admin.ledger.models import Kind
from echomq_admin.operations.undoing import undo_id
from tests.console.scene import A, B, text
from tests.console.trails import NOON, entry, moved, note


@pytest.fixture
def said(scene, browser) -> str:
    """The text of the page of all entries."""
    scene.dead(A)
    return lambda: text(browser("operator").get("/trail", follow=True).content.decode())


def undone(*job_ids: str) -> None:
    name = undo_id("prod", "orders", "f" * 32)
    jobs = (moved(job_id, "returned") for job_id in job_ids)
    entry(*jobs, at_ms=NOON + 2, op="return_to_dead", op_id=name)


def test_of_a_requeue_that_was_undone_in_part_it_says_how_many_came_back(said):
    entry(moved(A), moved(B))
    undone(A)
    assert "2 requeued 1 of 2 undone" in said()


def test_of_one_that_was_undone_whole_it_says_so(said):
    entry(moved(A), moved(B))
    undone(A, B)
    assert "2 requeued undone" in said()


def test_a_change_of_an_account_is_told_as_one_and_not_as_done_by_somebody(said):
    note(Kind.KEPT, "account closed", "", sentence="olena may not sign in any more: on the host.")
    page = said()
    assert "account account closed olena may not sign in any more" in page
    assert "nobody named" not in page


def test_changes_of_accounts_can_be_asked_for_by_what_was_done(said, browser):
    html = browser("viewer").get("/trail?what=role+changed").content.decode()
    assert '<option value="role changed" selected>' in html
    assert '<option value="account closed">' in html


def test_verbs_and_their_arguments_are_called_as_on_the_pages(said):
    packed = msgpack.packb({"group": b"acme", "lease_ms": 300_000, "reason": b"poison"})
    entry(op="limit_lane", detail=msgpack.packb({"group": b"acme", "n": 3}), n=0)
    entry(moved(B), op="update_payload", detail=packed, reason="poison", at_ms=NOON + 1)
    page = said()
    assert "limit lane by olena on prod/orders · lane acme · jobs at once 3" in page
    assert "edit payload by olena on prod/orders · lane acme · lease 5 min Reason: poison" in page
    assert "update_payload by" not in page


def test_an_entry_of_one_job_names_it_with_a_link(scene, browser):
    entry(moved(A))
    html = browser("viewer").get("/trail").content.decode()
    (line,) = html.split('class="trail-end')[1:]
    assert f'href="/q/prod/orders/job/{A}"' in line.split("<details")[0]
    assert f"{A} : 1 requeued" in text(f"<p {line}")


def test_the_zone_of_the_typed_times_stands_at_both(browser, scene):
    said = text(browser("viewer").get("/trail").content.decode())
    assert "From UTC To UTC" in said


def test_an_undo_is_offered_only_while_a_job_waits_as_the_requeue_left_it(scene, browser):
    made = moved(A, "requeued", 2)
    entry(made)
    url = "/undo/"
    for row, is_offered in (
        ({"state": "pending", "attempts": 2}, True),
        ({"state": "active", "attempts": 3}, False),
        ({"state": "pending", "attempts": 3}, False),
        ({}, False),
    ):
        scene.store.delete(scene.key(f"job:{A}"))
        if row:
            scene.store.hset(scene.key(f"job:{A}"), mapping=row)
        html = browser("operator").get("/trail").content.decode()
        assert (url in html) is is_offered
