"""`manage.py emq` moves exactly the named jobs and says so."""

import pytest

from echomq_admin.emq import EchoMQ
from tests.operations.scenes import A, B, C, G, P, Q, active, dead, paused_queue, pending


def test_a_selection_with_refusals_ends_with_1_and_a_line_for_each(emq_command, client, operator):
    dead(client, A)
    client.zadd(P + b"dead", {B: 0})
    pending(client, C)
    ran = emq_command("requeue", Q, A, B, C, "--as", operator)
    assert ran.code == 1
    sentence, *lines = ran.out.splitlines()
    assert sentence == "1 requeued, 1 row missing, 1 no longer dead"
    assert [line.split(":")[0].strip() for line in lines[:2]] == [B, C]


def test_refusals_stand_beside_their_ids_in_the_document(emq_command, client, operator):
    client.zadd(P + b"dead", {A: 0})
    document = emq_command("requeue", Q, A, "--as", operator, "--json").document
    (outcome,) = document["outcomes"]
    assert (outcome["job"], outcome["outcome"]) == (A, "gone")
    assert "row missing" in outcome["refusal"]


def test_only_the_named_id_is_requeued(emq_command, client, operator):
    for job_id in (A, B, C):
        dead(client, job_id)
    assert emq_command("requeue", Q, B, "--as", operator).code == 0
    assert client.zrange(P + b"dead", 0, -1) == [A.encode(), C.encode()]


def test_only_the_named_id_is_removed_from_the_schedule(emq_command, client, admin, emq):
    emq.schedule(Q, A, b"{}", at_ms=10**13)
    emq.schedule(Q, B, b"{}", at_ms=10**13)
    assert emq_command("remove", Q, A, "--as", admin, "--yes").code == 0
    assert client.zrange(P + b"schedule", 0, -1) == [B.encode()]


@pytest.mark.parametrize("state", ["free", "paused", "full"])
def test_a_requeued_job_goes_back_to_its_own_lane(emq_command, client, operator, state):
    dead(client, A, group=G)
    client.hset(P + b"glimit", G, 1)
    if state == "paused":
        client.sadd(P + b"paused", G)
    if state == "full":
        client.hset(P + b"gactive", G, 1)
    assert emq_command("requeue", Q, A, "--as", operator).code == 0
    assert client.zrange(P + b"g:" + G.encode() + b":pending", 0, -1) == [A.encode()]
    assert not client.exists(P + b"pending")
    on_ring = [G.encode()] if state == "free" else []
    assert client.lrange(P + b"ring", 0, -1) == on_ring
    assert client.llen(P + b"wake") == len(on_ring)


def test_two_people_requeue_the_same_jobs_and_each_moves_once(emq_command, client, member):
    ids = [f"JOB{number:011}" for number in range(51)]
    for job_id in ids:
        dead(client, job_id)
    first = emq_command("requeue", Q, *ids, "--as", member("operator").username)
    second = emq_command("requeue", Q, *ids, "--as", member("admin").username)
    assert first.out.startswith("51 requeued\n")
    assert second.out.startswith("0 requeued, 51 no longer dead\n")
    assert client.zcard(P + b"pending") == 51


def test_a_job_that_its_stalls_killed_gets_a_fresh_budget_on_request(emq_command, client, operator):
    dead(client, A, stalled=1)
    ran = emq_command("requeue", Q, A, "--reset-stalls", "--as", operator)
    assert "Stall counts start over" in ran.out
    assert EchoMQ(client).claim(Q, 1).attempts == 4
    client.zadd(P + b"active", {A: 1})
    ran = emq_command("sweep", Q, "--max-stalled", "2", "--as", operator)
    assert ran.out.startswith("1 recovered, at max stalled 2\n")


def test_a_job_that_is_running_now_is_not_removed(emq_command, client, admin):
    active(client, A)
    ran = emq_command("remove", Q, A, "--as", admin, "--yes")
    assert ran.code == 1
    assert "now running, not removed" in ran.out
    assert client.exists(P + b"job:" + A.encode())


def test_an_orphan_is_swept_without_a_ghost(emq_command, client, operator):
    client.zadd(P + b"active", {A: 1})
    ran = emq_command("sweep", Q, "--as", operator)
    assert ran.out.startswith("0 recovered, 1 row missing, id dropped, at max stalled 1\n")
    assert f"  {A}: orphaned" in ran.out
    assert not client.keys(P + b"*")


def test_a_sweep_names_the_ids_and_what_is_left(emq_command, client, operator):
    for job_id in (A, B, C):
        active(client, job_id, 1)
    ran = emq_command("sweep", Q, "--limit", "2", "--as", operator)
    assert "2 of 3 lapsed leases swept, sweep again for the rest" in ran.out
    assert f"  {A}: dead\n  {B}: dead\n" in ran.out
    document = emq_command("sweep", Q, "--json", "--as", operator).document
    assert document["outcomes"] == [{"job": C, "outcome": "dead"}]


def test_a_stale_token_leaves_the_job_and_ends_with_1(emq_command, client, operator):
    active(client, A, attempts=2)
    ran = emq_command("recover_now", Q, A, "--token", f"{A}=1", "--as", operator)
    assert ran.code == 1
    assert "its attempts are no longer 1" in ran.err


def test_drain_prints_each_step_and_the_whole(emq_command, client, admin):
    for number in range(5):
        pending(client, f"JOB{number:011}")
    ran = emq_command("drain", Q, "--yes", "--budget", "2", "--as", admin)
    assert ran.out.splitlines() == [
        "2 jobs deleted, there are more",
        "2 jobs deleted, there are more",
        "5 jobs deleted in 3 steps, nothing is left to drain",
    ]


def test_obliterate_goes_on_until_it_is_done(emq_command, client, admin):
    for number in range(5):
        pending(client, f"JOB{number:011}")
    EchoMQ(client).pause(Q)
    ran = emq_command("obliterate", Q, "--yes", "--budget", "2", "--json", "--as", admin)
    assert ran.document["steps"] > 2
    assert "one step done" in ran.err
    assert not client.keys("emq:*")


def test_a_lane_limit_is_taken_away(emq_command, client, admin):
    pending(client, A, G)
    client.hset(P + b"glimit", G, 1)
    ran = emq_command("limit_lane", Q, "--group", G, "--no-limit", "--as", admin)
    assert ran.out == f"lane {G} has no limit any more\n"
    assert not client.hexists(P + b"glimit", G)


def test_a_paused_queue_is_resumed(emq_command, client, operator):
    paused_queue(client)
    assert emq_command("resume", Q, "--as", operator).out == "queue orders resumed\n"
