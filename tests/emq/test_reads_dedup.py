"""One job to be removed, with the idempotency key that holds it: bounded, in three round trips."""

from __future__ import annotations

import pytest

from echomq_admin.emq.standing import keyed_standing, standings
from tests.console.scene import A, B, Scene


@pytest.fixture
def scene(client) -> Scene:
    return Scene(client, "orders")


@pytest.mark.parametrize("name", ["dedup_id", "dedup", "deid", "de"])
@pytest.mark.parametrize(
    ("holder", "own"), [(A, "order-7"), (A + "2", None), (B, None), ("", None)]
)
def test_the_key_is_named_when_it_holds_the_job_itself(scene, name, holder, own):
    scene.dead(A, **{name: "order-7"})
    if holder:
        scene.store.set(scene.key("de:order-7"), holder)
    job, found = keyed_standing(scene.store, "orders", A)
    assert found == own
    assert (job,) == standings(scene.store, "orders", [A])


def test_what_is_no_row_no_name_or_no_key_is_none(scene):
    assert keyed_standing(scene.store, "orders", A)[1] is None
    scene.store.set(scene.key(f"job:{A}"), "x")
    assert keyed_standing(scene.store, "orders", A)[1] is None
    scene.dead(B, dedup_id="x" * 10_000)
    assert keyed_standing(scene.store, "orders", B)[1] is None
    scene.store.hset(scene.key(f"job:{B}"), "dedup_id", "list")
    scene.store.rpush(scene.key("de:list"), B)
    assert keyed_standing(scene.store, "orders", B)[1] is None
