"""What the history of a job says of itself: how much it tells, and whether it goes on reading."""

from __future__ import annotations

from echomq_admin.ledger.endings import history
from tests.console.scene import A, B, text
from tests.console.test_job_history import page, table
from tests.console.trails import entry, moved
from tests.ledger.endings.made import NOON, ending

SEC = 1_000


def test_of_a_job_with_very_many_endings_it_is_said_of_which_the_page_tells(
    scene, browser, monkeypatch
):
    monkeypatch.setattr(history, "MOST", 2)
    scene.pending(B)
    for attempts in range(1, 6):
        ending(A, at_ms=NOON + attempts * SEC, attempts=attempts)
    said = text(page(browser))
    assert "the newest 2 of 5 leases with an ending on record" in said
    assert "In short, of the newest 2 of 5 endings:" in said


def test_the_page_follows_a_job_that_is_here_and_rests_when_it_is_gone(scene, browser):
    scene.active(A, 60_000)
    html = page(browser)
    assert 'data-poll="5000"' in html
    assert "data-still" not in html
    ending(B)
    assert "data-still" in page(browser, B)


def test_what_became_of_a_call_is_not_said_twice(scene, browser):
    scene.dead(A)
    entry(moved(A, "requeued", 1), at_ms=NOON)
    entry(moved(A, "not_dead", 1), at_ms=NOON + SEC)
    said = table(page(browser))
    assert "requeued" not in said
    assert "no longer dead" in said


def test_that_completed_leases_are_only_counted_is_said_also_where_others_have_endings(
    scene, browser
):
    scene.pending(A)
    assert "A lease that was completed is only counted" in text(page(browser))
    ending(A)
    said = text(page(browser))
    assert "A lease that was completed is only counted" in said
    assert "No lease of it" not in said
