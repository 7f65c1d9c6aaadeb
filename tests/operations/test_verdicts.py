"""What a preview says of each job is what the script then answers, in every state."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.standing import standings
from echomq_admin.operations.verdicts import FORCED, flow, verdict
from tests.console.scene import A, B, G, Scene

VERBS = ("requeue", "promote_now", "bury", "remove")


def scheduled(scene: Scene, job_id: str = A, **fields: object) -> None:
    scene.row(job_id, **({"state": "scheduled"} | fields))
    scene.store.zadd(scene.key("schedule"), {job_id: scene.now_ms() + 10**8})


def child(scene: Scene, **parent: object) -> None:
    scene.pending(A, parent=B)
    scene.row(B, **({"state": "awaiting_children"} | parent))


def locked(scene: Scene) -> None:
    scene.pending(A)
    scene.store.set(scene.key(f"job:{A}:lock"), "worker-1")


def in_two_sets(scene: Scene, other: str, score: float = 0) -> None:
    scene.dead(A)
    scene.store.zadd(scene.key(other), {A: score})


def orphan(scene: Scene) -> None:
    scene.store.zadd(scene.key("dead"), {A: 0})


def homeless(scene: Scene, place: str) -> None:
    scene.row(A, state="dead", group=G)
    scene.store.zadd(scene.key(place), {A: 10**13})
    scene.store.set(scene.key(f"g:{G}:pending"), "x")


STATES = {
    "pending": lambda scene: scene.pending(A),
    "in a lane": lambda scene: scene.pending(A, group=G),
    "scheduled": scheduled,
    "dead": lambda scene: scene.dead(A, attempts=0),
    "dead, of a lane": lambda scene: scene.dead(A, group=G),
    "active": lambda scene: scene.active(A, 30_000),
    "active, lapsed": lambda scene: scene.active(A, -30_000),
    "dead and active": lambda scene: in_two_sets(scene, "active", 10**13),
    "dead and pending": lambda scene: in_two_sets(scene, "pending"),
    "dead and scheduled": lambda scene: in_two_sets(scene, "schedule", 10**13),
    "locked": locked,
    "child of a waiting parent": child,
    "child of a parent that does not wait": lambda scene: child(scene, state="pending"),
    "child of another queue": lambda scene: scene.pending(A, parent=B, parent_queue="mail"),
    "child of this queue by name": lambda scene: (
        child(scene),
        scene.store.hset(scene.key(f"job:{A}"), "parent_queue", "orders"),
    ),
    "waits for children": lambda scene: scene.row(A, state="awaiting_children"),
    "row missing": orphan,
    "nowhere": lambda scene: scene.row(A),
    "attempts no integer": lambda scene: scene.dead(A, attempts="x"),
    "no hash": lambda scene: (orphan(scene), scene.store.set(scene.key(f"job:{A}"), "x")),
    "no field of ours": lambda scene: (
        orphan(scene),
        scene.store.hset(scene.key(f"job:{A}"), "data", "{}"),
    ),
    "dead, of a lane that is none": lambda scene: homeless(scene, "dead"),
    "scheduled, of a lane that is none": lambda scene: homeless(scene, "schedule"),
    "a lock that is another job": lambda scene: (
        scene.pending(A),
        scene.row(f"{A}:lock"),
    ),
}


@pytest.fixture
def scene(client) -> Scene:
    return Scene(client, "orders")


def answers(scene: Scene, verb: str, token: int | None, force: bool = False) -> str:
    tokens = {} if token is None else {A: token}
    args = {"reason": "poison"} if verb == "bury" else {}
    if force:
        args["force"] = True
    return str(getattr(EchoMQ(scene.store), verb)("orders", [A], tokens=tokens, **args)[A])


def judged(scene: Scene, verb: str, token: int | None = None) -> str:
    (job,) = standings(scene.store, "orders", [A])
    return verdict(verb, job, token)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("token", [None, 0, 1, 3])
def test_the_verdict_is_what_the_script_answers(scene, state, verb, token):
    STATES[state](scene)
    before = judged(scene, verb, token)
    assert before == answers(scene, verb, token)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("verb", FORCED)
def test_what_stands_against_a_call_is_overridden_by_force_when_it_says_so(scene, state, verb):
    STATES[state](scene)
    before = judged(scene, verb)
    success = "buried" if verb == "bury" else "removed"
    after = answers(scene, verb, None, force=True)
    assert after == (success if before in FORCED[verb] else before)


def test_a_job_without_a_row_in_no_set_may_be_in_a_lane_so_its_removal_is_not_ruled_out(scene):
    scene.pending(B)
    assert judged(scene, "remove") == "removed"
    assert answers(scene, "remove", None) == "gone"


def test_the_parent_of_a_child_is_named_with_its_queue(scene):
    scene.pending(A, parent=B, parent_queue="mail")
    (job,) = standings(scene.store, "orders", [A])
    assert flow(job) == f"child of {B} in queue mail, which would wait for it for ever"


def test_jobs_are_answered_once_each_in_their_order(scene):
    scene.pending(A)
    scene.active(B, 30_000, stalled=1)
    found = standings(scene.store, "orders", [B, A, B])
    assert [job.job_id for job in found] == [B, A]
    assert found[0].held == {"active"}
    assert found[0].stalled == 1
    assert 0 < (found[0].remaining_ms or 0) <= 30_000


def test_many_jobs_are_read_with_a_bounded_number_of_commands(scene):
    names = [f"JOB{n:011}" for n in range(2_000)]
    scene.store.config_resetstat()
    standings(scene.store, "orders", names)
    stats = scene.store.info("commandstats")
    asked = sum(
        one["calls"] for name, one in stats.items() if not name.startswith("cmdstat_config")
    )
    assert asked <= 4 * len(names)
