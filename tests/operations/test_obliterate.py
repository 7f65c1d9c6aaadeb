"""Deleting a queue whole: what it asks for, and the lanes that none of its own keys names."""

import pytest

from echomq_admin.emq.audit import tail
from echomq_admin.operations import obliterating, services
from echomq_admin.operations.services import Call
from tests.operations.scenes import A, B, P, Q, active, pending

pytestmark = pytest.mark.usefixtures("main")


@pytest.fixture
def obliterate(member):
    """Obliterates to the end; gives the steps."""

    def run(queue=Q, **args):
        call = Call("obliterate", "main", queue, args=args, op_id="press")
        return list(services.steps(member("admin"), call))

    return run


def _lost_lane(client, queue=Q, group="lost", jobs=1):
    """A lane that nothing but its own key names."""
    base = f"emq:{{{queue}}}:"
    for number in range(jobs):
        job_id = f"JOB{number:011}"
        row = {"state": "pending", "attempts": 0, "payload": "{}", "group": group}
        client.hset(f"{base}job:{job_id}", mapping=row)
        client.zadd(f"{base}g:{group}:pending", {job_id: 0})


def test_obliterate_asks_for_a_paused_queue(client, refusal):
    pending(client)
    refused = refusal("obliterate")
    assert refused.sentence == "Queue orders is not paused, so nothing was deleted. Pause it first."


def test_obliterate_asks_for_force_while_jobs_are_active(client, do, refusal, emq):
    active(client)
    emq.pause(Q)
    assert "has active jobs" in refusal("obliterate").sentence
    done = do("obliterate", force=True)
    assert done.sentence == "queue orders obliterated; its audit stays"
    assert not client.keys("emq:*")


def test_obliterate_does_not_mistake_the_name_of_a_queue_for_a_reason(client, refusal):
    client.hset("emq:{active}:meta", "paused", "1")
    client.set("emq:{active}:ring", "x")
    assert "ring is a string" in refusal("obliterate", queue="active").sentence


@pytest.mark.parametrize("group", ["lost", "", "a:b", "}:g:x", "~*?[a]\\"])
def test_obliterate_finds_a_lane_that_nothing_names(client, obliterate, emq, group):
    emq.pause(Q)
    _lost_lane(client, group=group, jobs=5)
    *steps, last = obliterate(budget=2)
    assert len(steps) >= 2
    assert last.sentence == "queue orders obliterated; its audit stays"
    assert not client.keys("emq:*")


@pytest.mark.parametrize("name", ["a*", "a?", "[ab]", "a\\", "^", "-"])
def test_obliterate_takes_no_lane_of_another_queue(client, obliterate, emq, name):
    emq.pause(name)
    for queue in (name, "ab", "a", "b"):
        _lost_lane(client, queue)
    obliterate(name)
    left = {key for key in client.keys("emq:*") if key.endswith(b":pending")}
    assert left == {b"emq:{%s}:g:lost:pending" % queue for queue in (b"ab", b"a", b"b")}


def test_a_lane_that_is_found_at_the_end_is_deleted_too(client, obliterate, emq, monkeypatch):
    emq.pause(Q)
    _lost_lane(client)
    _missed_at_first(monkeypatch)
    found, last = obliterate()
    assert found.sentence == (
        "queue orders: 1 lane found at the end; it is paused again, there is more to delete"
    )
    assert last.sentence == "queue orders obliterated; its audit stays"
    assert not client.keys("emq:*")
    entries = [(entry.op, entry.op_id) for entry in tail(client, Q).entries]
    assert entries == [("obliterate", "press.1"), ("pause", "press.again"), ("obliterate", "press")]


def _missed_at_first(monkeypatch):
    """A lane is there only after the search: a worker put it there meanwhile."""
    looks = []

    def look(client, queue):
        looks.append(queue)
        return () if len(looks) == 1 else real(client, queue)

    real = obliterating.lanes_of
    monkeypatch.setattr(obliterating, "lanes_of", look)


def test_a_repeated_obliterate_leaves_the_lanes_of_a_new_queue(client, obliterate, emq):
    pending(client, A)
    emq.pause(Q)
    obliterate()
    pending(client, B, "fresh")
    (again,) = obliterate()
    assert again.sentence == (
        "queue orders was obliterated by this call before; 1 lane of it came since. "
        "Pause it and obliterate it anew to delete them"
    )
    assert not again.more
    assert client.zrange(P + b"g:fresh:pending", 0, -1) == [B.encode()]
    assert not client.exists(P + b"meta")


def test_a_queue_that_is_written_to_all_the_time_is_left_paused(
    client, obliterate, emq, monkeypatch
):
    real = obliterating.lanes_of

    def look(client, queue):
        found = real(client, queue)
        pending(client, A, "busy")
        return found or ("busy",)

    emq.pause(Q)
    monkeypatch.setattr(obliterating, "lanes_of", look)
    steps = obliterate()
    assert len(steps) == services.ROUNDS
    assert steps[-1].more
    assert "paused again, there is more to delete" in steps[-1].sentence
    assert client.hexists(P + b"meta", "paused")
