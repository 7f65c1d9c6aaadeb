"""Dead jobs by name: which are dead still, and their rows in the order asked for."""

from __future__ import annotations

import pytest

from echomq_admin.emq.picked import rows_of, still_dead
from tests.console.scene import A, B, C, Scene


@pytest.fixture
def scene(client) -> Scene:
    return Scene(client, "orders")


def test_only_the_dead_are_held_whatever_else_is_asked_for(client, scene):
    scene.dead(A)
    scene.dead("\udcff\udcfe")
    scene.pending(B)
    still = still_dead(client, "orders", [B, A, C, "\udcff\udcfe", ""])
    assert still.held == {A: 0.0, "\udcff\udcfe": 0.0}
    assert (still.total, still.fault) == (2, None)
    assert abs(still.now_ms - scene.now_ms()) < 60_000


def test_asking_for_nobody_tells_the_size_alone(client, scene):
    scene.dead(A)
    assert still_dead(client, "orders", []).total == 1
    assert rows_of(client, "orders", []) == ()


def test_a_dead_set_of_another_type_is_a_fault_and_holds_nobody(client, scene):
    scene.store.set(scene.key("dead"), "x")
    still = still_dead(client, "orders", [A])
    assert (still.total, still.held) == (None, {})
    assert still.fault == "the key holds another type"


def test_rows_come_in_the_order_asked_for_and_a_broken_one_breaks_only_itself(client, scene):
    for job_id in (A, B):
        scene.dead(job_id, last_error=f"error of {job_id}")
    scene.store.set(scene.key(f"job:{C}"), "x")
    first, second, third, fourth = rows_of(client, "orders", [(B, 0), (C, 0), (A, 0), ("gone", 0)])
    assert (first.job_id, third.job_id) == (B, A)
    assert third.error.body == f"error of {A}".encode()
    assert second.fault.startswith("unreadable row")
    assert fourth.fault == "row missing"
