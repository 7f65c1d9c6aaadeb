"""Ids and queues of any bytes pass the door like plain ones."""

import pytest

from tests.operations.conftest import dump
from tests.operations.scenes import A, B, P, dead, pending

pytestmark = pytest.mark.usefixtures("main")


@pytest.mark.parametrize(
    "job_id", ["", "user/234", "a%2Fb", "..", "JOB\udcff\x00/", "é", "x" * 4096]
)
def test_foreign_ids_are_moved_like_any_other(client, do, job_id):
    dead(client, A)
    raw = job_id.encode("utf-8", "surrogateescape")
    client.hset(P + b"job:" + raw, mapping={"state": "dead", "attempts": 3})
    client.zadd(P + b"dead", {raw: 0})
    done = do("requeue", job_id, tokens={job_id: 3})
    assert done.sentence == "1 requeued"
    assert client.zrange(P + b"pending", 0, -1) == [raw]
    assert client.zrange(P + b"dead", 0, -1) == [A.encode()]


@pytest.mark.parametrize("job_id", ["JOB\udcff\x00/", "a\r\nb", "{}"])
def test_foreign_ids_stand_readable_in_sentences(client, refusal, job_id):
    pending(client)
    sentence = refusal("extend", job_id, tokens={job_id: 1}, lease_ms=1).sentence
    assert "is gone" in sentence
    assert sentence.isprintable()


@pytest.mark.parametrize(
    "queue", ["foo/bar.baz", "task:email", "q name", "a#b", "é", "..", "a}b", "a*[b]", "", "\udcff"]
)
def test_a_strange_queue_is_worked_on_and_no_other(client, do, queue):
    raw = queue.encode("utf-8", "surrogateescape")
    client.zadd(b"emq:{" + raw + b"}:pending", {A: 0})
    pending(client, B)
    before = dump(client)
    assert "paused" in do("pause", queue=queue).sentence
    after = dump(client)
    changed = {key for key in after if before.get(key) != after[key]}
    assert all(b"{" + raw + b"}:" in key for key in changed)
    assert b"emq:{" + raw + b"}:meta" in changed
