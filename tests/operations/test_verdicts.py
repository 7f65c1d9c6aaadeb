"""What a preview says of each job is what the script then answers, in every state."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.standing import standings
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.verdicts import doubled, flow, verdict
from tests.console.scene import A, B, Scene
from tests.operations.states import STATES

VERBS = ("requeue", "promote_now", "bury", "remove")
FORCED = {verb: action.overrides for verb, action in ACTIONS.items() if action.overrides}


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
    assert (
        flow("orders", job.parent, job.parent_queue)
        == f"child of {B} in queue mail, which would wait for it for ever"
    )


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


@pytest.mark.parametrize(
    ("verb", "state", "place"),
    [("requeue", "dead and active", "dead"), ("promote_now", "scheduled and active", "schedule")],
)
def test_a_job_that_is_active_too_is_only_taken_out_of_where_it_was_sought(
    scene, verb, state, place
):
    STATES[state](scene)
    (job,) = standings(scene.store, "orders", [A])
    said = doubled(verdict(verb, job, None), job)
    assert said.startswith("active too: this would only take it out of ")
    assert answers(scene, verb, None) == verdict(verb, job, None)
    assert scene.members(place) == []
    assert scene.members("active") == [A.encode()]


@pytest.mark.parametrize("state", [one for one in STATES if " and active" not in one])
@pytest.mark.parametrize("verb", ["requeue", "promote_now"])
def test_no_other_job_is_said_to_be_active_too(scene, verb, state):
    STATES[state](scene)
    (job,) = standings(scene.store, "orders", [A])
    assert doubled(verdict(verb, job, None), job) == ""
