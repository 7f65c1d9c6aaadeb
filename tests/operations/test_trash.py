"""What is removed lies in the trash, until it is restored or its time there is over."""

from __future__ import annotations

import pytest
from django.db import Error as DatabaseError
from django.db import IntegrityError, transaction

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.operations import trash, trashing
from echomq_admin.operations.models import Trashed
from echomq_admin.operations.refusals import Trouble
from tests.emq.keys import dump as whole
from tests.operations.conftest import dump
from tests.operations.keepsakes import in_trash, jobs_of
from tests.operations.scenes import A, B, C, P, Q, active, dead, lane, pending, scheduled

STRANGE = from_wire(b"JOB\xff\x00/")


@pytest.mark.parametrize("seed", [dead, pending, scheduled, lane], ids=lambda seed: seed.__name__)
def test_a_removed_job_comes_back_to_where_it_was_to_the_byte(client, do, seed):
    seed(client)
    client.rpush(P + b"job:" + A.encode() + b":logs", b"\xff one", b"two")
    client.hset(P + b"job:" + A.encode(), mapping={b"odd\xff": b"\x00"})
    before = jobs_of(client)

    done = do("remove", A)
    assert done.outcomes == {A: "removed"}
    assert in_trash() == [A]
    assert do("restore", A).outcomes == {A: "restored"}
    assert jobs_of(client) == before
    assert in_trash() == []


def test_ids_queues_and_reasons_of_any_bytes_come_back(client, do):
    queue = from_wire(b"q\xff\xfe")
    EchoMQ(client).enqueue(Q, A, b"{}")
    client.hset(b"emq:{q\xff\xfe}:job:JOB\xff\x00/", mapping={"state": "dead", "payload": b"\x80"})
    client.zadd(b"emq:{q\xff\xfe}:dead", {b"JOB\xff\x00/": 0})
    before = whole(client)

    do("remove", STRANGE, queue=queue)
    do("restore", STRANGE, queue=queue)
    assert whole(client) == before


def test_a_removed_job_of_a_queue_that_has_nothing_else_comes_back(client, do):
    dead(client)
    do("remove", A)
    assert not client.keys("emq:*")

    assert do("restore", A).outcomes == {A: "restored"}


def test_what_was_active_waits_when_it_is_restored(client, do):
    active(client)

    do("remove", A, force=True)
    assert [held.place for held in trash.page().rows[0].sets] == ["active"]
    do("restore", A)
    assert client.zrange(P + b"pending", 0, -1) == [A.encode()]


def test_a_job_that_was_left_alone_is_not_in_the_trash(client, do):
    active(client)
    dead(client, B)

    done = do("remove", A, B)
    assert done.outcomes == {A: "active", B: "removed"}
    assert in_trash() == [B]
    assert Trashed.objects.count() == 1


def test_of_an_id_without_a_row_there_is_nothing_to_keep(client, do):
    client.zadd(P + b"dead", {A: 0})

    assert do("remove", A).outcomes == {A: "removed"}
    assert Trashed.objects.count() == 0


def test_the_idempotency_key_that_went_with_the_job_comes_back_with_it(client, do):
    dead(client)
    client.set(P + b"de:daily", A)

    do("remove", A, dedup_id="daily")
    assert not client.exists(P + b"de:daily")
    do("restore", A)
    assert client.get(P + b"de:daily") == A.encode()


def test_a_job_that_changes_between_the_keeping_and_the_removal_stays(client, do, monkeypatch):
    dead(client)
    write = trashing._write

    def claimed_meanwhile(*args: object) -> None:
        write(*args)
        client.hincrby(P + b"job:" + A.encode(), "attempts")

    monkeypatch.setattr(trashing, "_write", claimed_meanwhile)
    done = do("remove", A)
    assert done.outcomes == {A: "changed"}
    assert "it was claimed or moved since" in done.refusals[A]
    assert client.exists(P + b"job:" + A.encode())
    assert Trashed.objects.count() == 0


@pytest.mark.parametrize("tokens", [None, {A: 1}])
def test_a_job_that_is_moved_between_the_keeping_and_the_removal_stays(
    client, do, monkeypatch, tokens
):
    dead(client, attempts=1)
    write = trashing._write

    def requeued_meanwhile(*args: object) -> None:
        write(*args)
        assert EchoMQ(client).requeue(Q, [A]) == {A: "requeued"}

    monkeypatch.setattr(trashing, "_write", requeued_meanwhile)
    done = do("remove", A, tokens=tokens)
    assert done.outcomes == {A: "changed"}
    assert "it was claimed or moved since" in done.refusals[A]
    assert client.zrange(P + b"pending", 0, -1) == [A.encode()]
    assert Trashed.objects.count() == 0


def test_a_job_that_was_claimed_before_it_was_kept_tells_the_attempts_that_it_had(client, do):
    dead(client, attempts=2)

    done = do("remove", A, tokens={A: 1})
    assert done.outcomes == {A: "changed"}
    assert "its attempts are no longer 1" in done.refusals[A]


def test_a_job_that_comes_to_be_between_the_keeping_and_the_removal_stays(client, do, monkeypatch):
    pending(client, B)
    write = trashing._write

    def enqueued_meanwhile(*args: object) -> None:
        write(*args)
        pending(client, A)

    monkeypatch.setattr(trashing, "_write", enqueued_meanwhile)
    done = do("remove", A)
    assert done.outcomes == {A: "changed"}
    assert "it had no row when it was looked at a moment ago, and has one now" in done.refusals[A]
    assert client.zrange(P + b"pending", 0, -1) == [A.encode(), B.encode()]


def test_a_job_too_large_for_the_trash_stays_and_says_what_to_do(client, do, monkeypatch):
    monkeypatch.setattr(trashing, "MOST_OF_A_JOB", 50_000)
    dead(client, payload="x" * 100_000)
    dead(client, B)

    done = do("remove", A, B)
    assert done.outcomes == {A: "too_large", B: "removed"}
    assert done.sentence == "1 removed, 1 too large for the trash"
    assert "delete it for good" in done.refusals[A]
    assert client.exists(P + b"job:" + A.encode())
    assert do("remove", A, unkept=True).outcomes == {A: "removed"}
    assert in_trash() == [B]


def test_jobs_too_large_together_stay_from_the_first_that_is_too_much(client, do, monkeypatch):
    monkeypatch.setattr(trashing, "MOST_OF_A_CALL", 30_000)
    for job_id in (A, B, C):
        dead(client, job_id, payload="x" * 12_000)

    done = do("remove", A, B, C)
    assert [done.outcomes[job_id] for job_id in (A, B, C)] == ["removed", "removed", "too_large"]
    assert sorted(in_trash()) == [A, B]


def test_a_row_that_is_no_hash_is_removed_only_without_the_trash(client, do):
    client.set(P + b"job:" + A.encode(), "x")
    client.zadd(P + b"dead", {A: 0})

    assert do("remove", A).outcomes == {A: "unkept"}
    assert do("remove", A, unkept=True).outcomes == {A: "removed"}


def test_nothing_is_sent_when_the_database_does_not_take_it(client, refusal, monkeypatch):
    dead(client)
    before = dump(client)

    def fails(*args: object) -> None:
        raise DatabaseError("disk full")

    monkeypatch.setattr(trashing, "_write", fails)
    refused = refusal("remove", A)
    assert isinstance(refused, Trouble)
    assert "Nothing was sent" in refused.sentence
    assert dump(client) == before


def test_a_removal_is_in_the_trash_once_whoever_writes(client, do):
    dead(client)
    do("remove", A)
    row = Trashed.objects.get()
    row.pk = None

    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


def test_an_id_that_lives_again_is_not_written_over(client, do):
    dead(client)
    do("remove", A)
    pending(client)

    done = do("restore", A)
    assert done.outcomes == {A: "exists"}
    assert "stays in the trash" in done.refusals[A]
    assert in_trash() == [A]


def test_of_several_removals_the_newest_comes_back_or_the_one_with_the_token(client, do):
    for attempts in (1, 2, 3):
        dead(client, attempts=attempts)
        do("remove", A)

    assert do("restore", A, tokens={A: 2}).outcomes == {A: "restored"}
    assert client.hget(P + b"job:" + A.encode(), "attempts") == b"2"
    do("remove", A, unkept=True)
    do("restore", A)
    assert client.hget(P + b"job:" + A.encode(), "attempts") == b"3"


def test_what_is_not_in_the_trash_is_said(client, do):
    pending(client, B)

    done = do("restore", A)
    assert done.outcomes == {A: "not_kept"}
    assert "not in the trash" in done.refusals[A]


def test_what_is_too_old_is_in_the_trash_no_more_though_not_pruned_yet(client, do, settings):
    settings.EMQ_TRASH_DAYS = 2
    dead(client)
    do("remove", A)
    Trashed.objects.update(at_ms=Trashed.objects.get().at_ms - 2 * trash.DAY_MS - 1)

    assert in_trash() == []
    assert not trash.holds("main", Q, A)
    assert do("restore", A).outcomes == {A: "not_kept"}
