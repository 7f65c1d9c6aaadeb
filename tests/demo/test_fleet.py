"""The demo's producers, keeper and seeds: every kind of job, and never more than enough."""

from __future__ import annotations

import json

from echomq_admin.demo import payloads, queues
from echomq_admin.demo.keeper import Keeper
from echomq_admin.demo.minting import Minter
from echomq_admin.demo.producer import Producer
from echomq_admin.demo.repeats import Repeats
from echomq_admin.demo.seed import Seeder
from echomq_admin.emq import EchoMQ, ids
from echomq_admin.emq.keyspace import Keyspace
from echomq_admin.emq.lane_pages import lane_page
from echomq_admin.emq.reads import counts, server_now_ms
from echomq_admin.emq.repeats import repeat_page


def test_ids_of_one_node_are_never_equal_and_ascend(client):
    minter = Minter(client, 3)
    minted = [minter.mint() for _ in range(5000)]
    assert minted == sorted(set(minted))
    assert {ids.parse(job_id).node for job_id in minted} == {3}


def test_producers_hold_back_when_a_queue_has_enough(client):
    client.zadd("emq:{orders}:pending", {f"x{n}": 0 for n in range(500)})
    Producer(client).beat()
    assert client.zcard("emq:{orders}:pending") == 500
    assert client.zcard("emq:{payments}:pending") == 1


def test_a_foreign_producer_writes_jobs_that_any_worker_can_claim(client):
    Producer(client).beat()
    claim = EchoMQ(client).claim(queues.COMMANDS, 1000)
    assert ids.parse(claim.job_id).namespace == "CMD"
    assert claim.attempts == 1


def test_the_morgue_is_kept_small(client):
    extra = 30
    for n in range(queues.MOST_DEAD + extra):
        job_id = ids.mint("JOB", ids.EPOCH_MS + n)
        client.zadd("emq:{orders}:dead", {job_id: 0})
        client.hset(f"emq:{{orders}}:job:{job_id}", mapping={"state": "dead", "attempts": 1})
    Keeper(client).beat()
    assert client.zcard("emq:{orders}:dead") == queues.MOST_DEAD
    oldest = client.zrange("emq:{orders}:dead", 0, 0)[0].decode()
    assert ids.minted_ms(oldest) == ids.EPOCH_MS + extra


def test_the_queue_with_a_morgue_of_several_pages_is_kept_at_those(client):
    most = queues.MOST_DEAD_OF[queues.WEBHOOKS]
    client.zadd(
        "emq:{webhooks.out}:dead", {ids.mint("JOB", ids.EPOCH_MS + n): 0 for n in range(90)}
    )
    Keeper(client).beat()
    assert client.zcard("emq:{webhooks.out}:dead") == most


def test_nobody_but_an_operator_takes_back_a_lapsed_lease_of_the_story(client):
    EchoMQ(client).enqueue(queues.ORDERS, "JOB0KHTOWnGLuA", "x")
    EchoMQ(client).claim(queues.ORDERS, 1000)
    client.zadd("emq:{orders}:active", {"JOB0KHTOWnGLuA": 1})
    Keeper(client).beat()
    assert client.zcard("emq:{orders}:active") == 1


def test_seeds_fill_what_is_missing_and_leave_the_rest_alone(client):
    client.hset("emq:{payments}:meta", "note", "theirs")
    Seeder(client).run()
    assert client.hgetall("emq:{payments}:meta") == {b"note": b"theirs"}
    before = {key: client.dump(key) for key in client.scan_iter()}
    Seeder(client).run()
    assert {key: client.dump(key) for key in client.scan_iter()} == before


def test_seeds_show_lanes_schedules_and_a_morgue_of_several_pages(client):
    Seeder(client).run()
    lanes = {queue: [] for queue in queues.ALL} | {queues.THUMBS: list(queues.LANES)}
    seen = {found.queue: found for found in counts(client, lanes)[1]}
    assert seen[queues.WEBHOOKS].dead > 50
    assert seen[queues.THUMBS].lanes_pending > 20
    assert seen[queues.MAILER].scheduled > 5
    assert seen[queues.PAYMENTS].paused
    assert client.smembers("emq:{thumbs}:paused") == {queues.PAUSED_LANE.encode()}


def test_the_seeds_show_what_servers_gather_over_the_years(client):
    Seeder(client).run()
    campaign, imports = (
        {found.queue: found for found in counts(client, {name: lanes})[1]}[name]
        for name, lanes in ((queues.CAMPAIGN, []), (queues.IMPORTS, ["kunde ü/1"]))
    )
    assert campaign.completed > 0
    assert (campaign.pending, campaign.active, campaign.scheduled, campaign.dead) == (0, 0, 0, 0)
    assert imports.pending
    assert imports.lanes_pending
    orphans = [
        job
        for job in client.zrange(Keyspace(queues.IMPORTS).dead, 0, -1)
        if not client.exists(Keyspace(queues.IMPORTS).job(job.decode()))
    ]
    assert len(orphans) == 1


def test_the_lanes_of_the_seeds_stand_where_they_belong(client):
    Seeder(client).run()
    for queue in (queues.THUMBS, queues.IMPORTS):
        standing = {lane.state.rota for lane in lane_page(client, queue).lanes}
        assert standing <= {"on ring", "paused", "at limit"}


def test_a_flow_waits_for_the_children_that_are_out(client):
    Seeder(client).run()
    keys = Keyspace(queues.REPORTS)
    parent = client.get(keys.dedup("monthly-report")).decode()
    assert client.hget(keys.job(parent), "state") == b"awaiting_children"
    children = [
        child
        for child in client.zrange(keys.schedule, 0, -1)
        if client.hget(keys.job(child.decode()), "parent") == parent.encode()
    ]
    assert len(children) == int(client.get(keys.dependencies(parent)))


def test_repeatables_are_run_when_they_are_due_and_once_for_all_missed_runs(client):
    Seeder(client).run()
    keys = Keyspace(queues.REPORTS)
    client.zadd(keys.repeat, {"heartbeat": 1, "broken": 1})
    repeats = Repeats(client, Minter(client, 4))
    repeats.beat()
    assert client.zcard(keys.pending) == 1
    assert client.zscore(keys.repeat, "heartbeat") > server_now_ms(client)
    assert client.zscore(keys.repeat, "broken") == 1
    assert [row.fault for row in repeat_page(client, queues.REPORTS).repeats] == [
        "its hash is missing",
        None,
        None,
    ]


def test_jobs_carry_logs_a_long_payload_and_every_kind_of_bytes(client):
    Seeder(client).run()
    lengths = {
        client.llen(keys.logs(job.decode()))
        for keys in (Keyspace(queues.WEBHOOKS),)
        for job in client.zrange(keys.dead, 0, -1)
    }
    assert max(lengths) > 200
    far = client.zrange(Keyspace(queues.MAILER).schedule, -1, -1)[0].decode()
    assert client.hstrlen(Keyspace(queues.MAILER).job(far), "payload") > 100_000
    assert b'"to": "ops@example.org", "to"' in payloads.report("x")
    assert json.loads(payloads.report("x"))["report"]["id"] > 2**53
