"""The foreign scripts do what upstream's did when they were recorded, and tell it truly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.chaos.wire import Wire, client
from tests.emq.keys import dump_at, load, server_now_ms
from tests.emq.test_vectors import matches
from tests.emq.vectors import Case, recorded
from tests.valkey import valkey

QUEUE, RECORDED = recorded()
ACTIVE = f"emq:{{{QUEUE}}}:active"
FAR_MS = 60_000
A, B = "JOBa", "JOBb"

# A recorded op to the verb that does it, with its arguments.
VERBS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "enqueue": lambda job, payload: ("enqueue", job, payload),
    "genqueue": lambda group, job, payload: ("enqueue", job, payload, group),
    "claim": lambda lease_ms: ("claim", lease_ms),
    "gclaim": lambda lease_ms: ("claim_lane", lease_ms),
    "complete": lambda *args: ("complete", *args),
    "retry": lambda *args: ("retry", *args),
    "extend": lambda *args: ("extend", *args),
    "promote": lambda limit: ("promote", limit),
    "reap": lambda: ("reap",),
    "reap_group": lambda group, limit: ("reap_group", group, limit),
    "sweep": lambda most, limit: ("sweep", most, limit),
}
CASES = [case for case in RECORDED if case.op in VERBS]


@pytest.fixture
def wire(client: redis.Redis, tmp_path: Path) -> Iterator[Wire]:
    made = Wire(client, "somebody", tmp_path)
    yield made
    made.close()


def written(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "somebody.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_foreign_script_writes_as_recorded(client, wire, case: Case):
    load(client, case.before)
    before_ms = server_now_ms(client)
    wire.do(VERBS[case.op](*case.args)[0], QUEUE, *VERBS[case.op](*case.args)[1:])
    _, found = dump_at(client, "emq:*")
    if not matches(case.after, found, before_ms):
        assert found == case.after


def test_enough_of_the_recorded_calls_are_of_a_foreign_fleet():
    assert len(CASES) > 250
    assert {case.op for case in CASES} == set(VERBS)


def lapse(client: redis.Redis, *job_ids: str) -> None:
    client.zadd(ACTIVE, dict.fromkeys(job_ids, 1_000))


def test_a_sweep_tells_of_each_lease_how_it_ended_and_its_count(client, wire, tmp_path):
    for job in (A, B):
        wire.do("enqueue", QUEUE, job, "{}", "lane")
        assert wire.do("claim_lane", QUEUE, FAR_MS)["id"] == job
    client.hset(f"emq:{{{QUEUE}}}:job:{B}", "stalled", 1)
    lapse(client, A, B)
    before_ms = server_now_ms(client)
    told = wire.do("sweep", QUEUE, 2, 100)
    assert told["jobs"] == [
        [A, 1, 1_000, "lane", "recovered", 1],
        [B, 1, 1_000, "lane", "dead", 2],
    ]
    assert before_ms <= told["t"] <= server_now_ms(client)
    assert written(tmp_path)[-1] == told


def test_a_late_extend_revives_and_tells_that_there_was_no_lease(client, wire):
    wire.do("enqueue", QUEUE, A, "{}")
    wire.do("claim", QUEUE, FAR_MS)
    assert wire.do("extend", QUEUE, A, 1, FAR_MS)["before"]
    lapse(client, A)
    assert wire.do("reap", QUEUE)["jobs"] == [[A, 1, 1_000, False]]
    assert not wire.do("extend", QUEUE, A, 1, FAR_MS)["before"]
    assert client.zscore(ACTIVE, A)
    assert wire.do("claim", QUEUE, FAR_MS)["before"]


def test_what_refuses_or_does_nothing_is_not_written_down(wire, tmp_path):
    wire.do("enqueue", QUEUE, A, "{}")
    assert wire.do("enqueue", QUEUE, A, "{}") is None
    assert wire.do("sweep", QUEUE, 2, 100) is None
    assert wire.do("retry", QUEUE, A, 7, 0, 3, "boom") is None
    assert wire.do("extend", QUEUE, "gone", 1, FAR_MS) is None
    assert [line["did"] for line in written(tmp_path)] == ["enqueue"]


def test_a_deed_whose_answer_was_lost_is_written_down_all_the_same(tmp_path):
    options = ("--dir", str(tmp_path), "--appendonly", "yes", "--appendfsync", "always")
    with valkey(*options) as port, client(port) as store:
        wire = Wire(store, "somebody", tmp_path)
        script, answers = wire._script, []

        def cut(keys: list[str], args: list[object]) -> None:
            answers.append(script(keys, args))
            raise redis.ConnectionError

        wire._script = cut
        told = wire.do("enqueue", QUEUE, A, "{}")
        wire._script = lambda keys, args: (_ for _ in ()).throw(redis.ConnectionError())
        assert wire.do("enqueue", QUEUE, B, "{}") is None
        wire.close()
    assert told.items() >= json.loads(answers[0]).items()
    assert written(tmp_path) == [told]
