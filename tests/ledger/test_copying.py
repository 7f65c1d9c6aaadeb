"""Each entry of a stream becomes one entry of the trail, whole, whatever it holds."""

from __future__ import annotations

import threading

import msgpack
import pytest
from django.db import connection

from echomq_admin.emq.reads import server_now_ms
from echomq_admin.ledger import copying, presses
from echomq_admin.ledger.models import Copied, Kind, TrailEntry, TrailJob, job_key
from tests.ledger.conftest import AUDIT, Q, copied_ids, gaps

pytestmark = pytest.mark.django_db

A, B = "JOB0KHTOWnGLuA", "JOB0KHTOWnGLuB"


def dead(client, *job_ids):
    for job_id in job_ids:
        row = {"state": "dead", "attempts": 3, "payload": "{}", "last_error": "boom"}
        client.hset(f"emq:{{orders}}:job:{job_id}", mapping=row)
        client.zadd("emq:{orders}:dead", {job_id: 0})


def packed(*jobs):
    return msgpack.packb(list(jobs))


def only() -> TrailEntry:
    return TrailEntry.objects.get()


def test_what_a_script_wrote_is_copied_whole(client, prod, emq):
    dead(client, A, B)
    presses.press("prod", Q, "click-1", "olena", "requeue", "smtp is back")
    before = server_now_ms(client)
    emq.requeue(Q, [A, B], actor="olena", op_id="click-1")
    assert copying.copy(prod, Q) == 1
    entry = only()
    ((entry_id, fields),) = client.xrange(AUDIT)
    assert (entry.kind, entry.op, entry.op_id, entry.actor, entry.n) == (
        Kind.MOVED, "requeue", "click-1", "olena", 2,
    )  # fmt: skip
    assert (entry.server, bytes(entry.queue), entry.stream_id) == (
        "prod", b"orders", entry_id.decode(),
    )  # fmt: skip
    assert before <= entry.at_ms <= server_now_ms(client)
    assert (bytes(entry.jobs), bytes(entry.detail)) == (fields[b"jobs"], fields[b"detail"])
    assert (entry.reason, entry.fault) == ("smtp is back", "")


def test_an_entry_is_found_by_each_job_that_it_names(client, prod, emq):
    dead(client, A, B)
    emq.requeue(Q, [A, B], actor="olena")
    copying.copy(prod, Q)
    found = TrailJob.objects.filter(job=job_key(B))
    assert [named.entry for named in found] == [only()]
    assert TrailJob.objects.count() == 2


def test_it_is_copied_once_however_often_it_is_tried(prod, stream):
    ids = stream.many(25)
    assert copying.copy(prod, Q) == 25
    assert copying.copy(prod, Q) == 0
    assert copied_ids() == ids


def test_a_mark_that_was_lost_writes_nothing_twice(prod, stream):
    ids = stream.many(3)
    copying.copy(prod, Q)
    Copied.objects.all().delete()
    newest = stream.write()
    assert copying.copy(prod, Q) == 1
    assert copied_ids() == [*ids, newest]
    assert gaps() == []


def test_a_request_copies_a_bounded_part_of_a_long_stream(prod, stream):
    stream.many(copying.MOST + 50)
    assert copying.copy(prod, Q) == copying.MOST
    assert copying.copy(prod, Q) == 50
    assert gaps() == []


def test_streams_of_one_name_on_two_servers_are_two(prod, stream, settings, server_url):
    settings.EMQ_SERVERS += f" twin={server_url}"
    from echomq_admin.fleet import servers

    stream.write()
    assert [copying.copy(server, Q) for server in servers.servers()] == [1, 1]
    assert sorted(TrailEntry.objects.values_list("server", flat=True)) == ["prod", "twin"]


@pytest.mark.parametrize("step", ["click-1", "click-1.1", "click-1.2.3", "click-1.1.again"])
def test_every_step_of_a_call_has_the_reason_of_the_call(prod, stream, step):
    presses.press("prod", Q, "click-1", "olena", "drain", "a flood")
    stream.write(op_id=step)
    copying.copy(prod, Q)
    assert only().reason == "a flood"


@pytest.mark.parametrize(
    "fields",
    [{"op_id": "click-10"}, {"op_id": "click"}, {"op_id": "click-1.x"}, {"actor": "mallory"}],
)
def test_the_entry_of_another_call_does_not_get_its_reason(prod, stream, fields):
    presses.press("prod", Q, "click-1", "olena", "drain", "a flood")
    stream.write(**{"op_id": "click-1", **fields})
    copying.copy(prod, Q)
    assert only().reason == ""


def test_an_entry_of_strangers_is_kept_with_what_is_wrong_with_it(client, prod, stream):
    client.xadd(AUDIT, {"hello": b"\xff"}, id="1700000000000-3")
    stream.write("1700000000001-0")
    assert copying.copy(prod, Q) == 2
    entry = TrailEntry.objects.get(stream_id="1700000000000-3")
    assert entry.fault == "jobs is missing; t is no number; n is no number"
    assert entry.at_ms == 1_700_000_000_000
    assert (entry.op, entry.actor, bytes(entry.jobs)) == ("", "", b"")


def test_texts_that_no_column_takes_are_escaped_and_cut(prod, stream):
    stream.write(op=b"\xff" * 500, actor=b"a\x00b\xfe", op_id="o" * 10_000, n="9" * 15)
    copying.copy(prod, Q)
    entry = only()
    assert entry.op.startswith("\\xff\\xff")
    assert (len(entry.op), len(entry.op_id)) == (100, 120)
    assert entry.actor == "a\\x00b\\xfe"


def test_an_id_beyond_all_time_is_kept(prod, stream):
    stream.write("18446744073709551615-18446744073709551615", t="x")
    assert copying.copy(prod, Q) == 1
    assert only().at_ms == 2**53 - 1
    assert copying.copy(prod, Q) == 0


def test_of_jobs_too_large_to_keep_the_outcomes_stay(prod, stream):
    heavy = [A, "removed", 1, False, 5, b"lane", b"e" * 5_000_000, False]
    stream.write(op_id="p", jobs=packed(heavy, [B, "removed"]))
    stream.write()
    assert copying.copy(prod, Q) == 2
    entry = TrailEntry.objects.order_by("pk")[0]
    assert entry.fault.startswith("of 5,000,0")
    assert msgpack.unpackb(bytes(entry.jobs)) == [
        [A.encode(), b"removed", 1, False, 5.0, False, False, True],
        [B.encode(), b"removed", False, False, False, False, False, False],
    ]
    assert copying.moved_by("prod", Q, "p") == {A: "removed", B: "removed"}


def test_ids_too_large_to_keep_are_said_and_found_all_the_same(prod, stream):
    stream.write(jobs=packed(["J" * 4_500_000, "removed"]))
    copying.copy(prod, Q)
    assert copying.moved_by("prod", Q, "x") == {}
    assert bytes(only().jobs) == b""
    assert only().fault == "jobs takes 4,500,022 bytes, which is too much to keep"
    assert TrailJob.objects.get().job == job_key("J" * 4_500_000)


def test_of_a_call_whose_entry_keeps_no_jobs_not_all_jobs_are_known(prod, stream):
    stream.write(op_id="p", n=1, jobs=packed([A, "removed"]))
    copying.copy(prod, Q)
    assert copying.names_all("prod", Q, "p")
    stream.write(op_id="p.1", n=1, jobs=packed(["J" * 4_500_000, "removed"]))
    copying.copy(prod, Q)
    assert not copying.names_all("prod", Q, "p")
    assert copying.names_all("prod", Q, "other")


def test_of_very_many_jobs_the_first_ten_thousand_are_found(prod, stream):
    stream.write(jobs=packed(*([f"J{at}", "removed"] for at in range(10_005))))
    copying.copy(prod, Q)
    assert TrailJob.objects.count() == 10_000
    assert only().fault == "of 10,005 jobs only 10,000 are found by their id"


def test_a_key_that_is_no_stream_is_left_alone(client, prod):
    client.set(AUDIT, "x")
    assert copying.copy(prod, Q) == 0
    assert copying.copy_piece(prod, Q).fault == "the key holds another type"
    assert gaps() == []


def test_what_a_call_moved_is_told_over_all_its_steps(prod, stream):
    stream.write(op_id="p", jobs=packed([A, "removed"], [B, "locked"]))
    stream.write(op_id="p.1", jobs=packed([b"\xff\x00", "removed"]))
    stream.write(op_id="p.2x", jobs=packed(["other", "removed"]))
    stream.write(op_id="px", jobs=packed(["other", "removed"]))
    copying.copy(prod, Q)
    assert copying.moved_by("prod", Q, "p") == {
        A: "removed", B: "locked", "\udcff\x00": "removed",
    }  # fmt: skip
    assert copying.moved_by("prod", "else", "p") == {}


@pytest.mark.django_db(transaction=True)
def test_of_many_who_copy_at_once_one_writes_each_entry(prod, stream):
    ids = stream.many(120)
    together, errors = threading.Barrier(4), []

    def work():
        together.wait()
        try:
            while copying.copy_piece(prod, Q).more:
                pass
        except Exception as error:
            errors.append(error)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert copied_ids() == ids
    assert gaps() == []


@pytest.mark.parametrize(("weight", "count"), [(0, 400), (5_000, 100), (50_000, 10)])
def test_the_lighter_entries_are_the_more_are_read_at_a_time(prod, stream, weight, count):
    for _ in range(copying.PER_CALL):
        stream.write(detail=b"\xda" + weight.to_bytes(2, "big") + b"x" * weight)
    assert copying.copy_piece(prod, Q).count == count
