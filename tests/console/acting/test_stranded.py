"""Children that a drain deletes: their flow parents wait for ever, and that is said before."""

from __future__ import annotations

from tests.console.confirming import ask, confirm
from tests.console.scene import A, B, C, text

SAID = "children whose flow parents wait for them, and then wait for ever."


def test_the_preview_of_a_drain_counts_the_children_that_parents_wait_for(scene, browser):
    for job_id in (A, B):
        scene.pending(job_id)
    assert SAID not in ask(browser("admin"), "drain")
    scene.store.hset(f"emq:{{orders}}:job:{A}", "parent", C)
    scene.store.hset(f"emq:{{orders}}:job:{C}", "state", "awaiting_children")
    who = browser("admin")
    shown = ask(who, "drain")
    assert f"1 pending: {SAID}" in shown
    done = confirm(who, "drain", shown, typed="orders")
    assert "Of 1 a flow parent waits for ever." in text(done.content.decode())
