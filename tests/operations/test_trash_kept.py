"""What of a job cannot be kept keeps it from being removed."""

from __future__ import annotations

import pytest
import redis

from echomq_admin.emq import kept
from echomq_admin.emq.kept import Unkept
from echomq_admin.emq.replies import Batch
from echomq_admin.operations.models import Trashed
from tests.operations.conftest import dump
from tests.operations.scenes import A, P, Q, dead


def test_a_side_key_that_cannot_be_kept_keeps_the_job_from_being_removed(client, do):
    dead(client)
    client.set(P + b"job:" + A.encode() + b":logs", "no list")
    before = dump(client)

    assert do("remove", A).outcomes == {A: "unkept"}
    assert dump(client) == before
    assert Trashed.objects.count() == 0


def test_a_side_key_that_is_the_row_of_another_job_stays_and_is_no_hindrance(client, do):
    dead(client)
    dead(client, f"{A}:logs")

    assert do("remove", A).outcomes == {A: "removed"}
    assert client.exists(P + b"job:" + A.encode() + b":logs")


@pytest.mark.parametrize("right", ["lrange", "exists", "get"])
def test_a_missing_right_to_read_what_a_job_has_keeps_it_from_being_removed(
    client, server_url, right
):
    dead(client)
    client.rpush(P + b"job:" + A.encode() + b":logs", b"one")
    rights = {"keys": ["*"], "commands": ["+@all", f"-{right}"]}
    client.acl_setuser("weak", enabled=True, nopass=True, **rights)
    weak = redis.Redis.from_url(server_url, username="weak", password="any")
    try:
        found = kept.read(weak, Q, [A], 10**6, 10**6)
    finally:
        weak.close()
        client.acl_deluser("weak")
    assert found == {A: Unkept(why=f"no permission to run {right}")}


def test_of_a_job_that_is_only_a_row_little_is_asked(client, monkeypatch):
    """A press names 10,000 of them."""
    dead(client)
    asked: list[str] = []
    ask = Batch.ask

    def told(self: Batch, method: str, *args: object, **options: object) -> object:
        asked.append(method)
        return ask(self, method, *args, **options)

    monkeypatch.setattr(Batch, "ask", told)
    assert kept.read(client, Q, [A], 10**6, 10**6)[A].place == "dead"
    assert len(asked) <= 8
