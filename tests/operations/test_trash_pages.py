"""The trash in pages, newest removal first, and many of its jobs at once."""

from __future__ import annotations

import pytest

from echomq_admin.operations import services, trash
from echomq_admin.operations.services import Call
from tests.operations.keepsakes import jobs_of
from tests.operations.scenes import A, G, Q, dead, lane


def test_pages_are_cut_by_the_last_row_seen_and_lead_both_ways(client, do):
    ids = [f"JOB{n:011d}" for n in range(7)]
    for job_id in ids:
        dead(client, job_id)
        do("remove", job_id)
    newest = ids[::-1]

    first = trash.page(rows=3)
    assert [row.job_id for row in first.rows] == newest[:3]
    assert (first.total, first.previous) == (7, None)
    second = trash.page(cursor=first.next, rows=3)
    assert [row.job_id for row in second.rows] == newest[3:6]
    third = trash.page(cursor=second.next, rows=3)
    assert ([row.job_id for row in third.rows], third.next) == (newest[6:], None)
    back = trash.page(cursor=third.previous, rows=3)
    assert [row.job_id for row in back.rows] == newest[3:6]
    start = trash.page(cursor=back.previous, rows=3)
    assert ([row.job_id for row in start.rows], start.previous) == (newest[:3], None)


@pytest.mark.parametrize("cursor", ["x", "-", "1", "1.x", "-1.", "9" * 40 + ".1", "١.٢"])
def test_an_unknown_cursor_is_the_first_page(client, do, cursor):
    dead(client)
    do("remove", A)

    assert [row.job_id for row in trash.page(cursor=cursor).rows] == [A]


def test_it_is_sifted_by_server_and_queue(client, do):
    dead(client)
    do("remove", A)

    assert trash.page("main", Q).total == trash.page("main").total == 1
    assert trash.page("other").total == trash.page("main", "others").total == 0


def test_a_job_of_a_lane_tells_its_lane(client, do):
    lane(client)
    do("remove", A)

    (held,) = trash.page().rows[0].sets
    assert (held.place, held.group) == ("lane", G)


def test_300_jobs_are_restored_in_one_call_and_again_by_none(
    client, main, member, django_assert_max_num_queries
):
    ids = tuple(f"JOB{n:011d}" for n in range(300))
    for job_id in ids:
        dead(client, job_id)
    before = jobs_of(client)
    admin = member("admin")
    services.perform(admin, Call("remove", "main", Q, ids))

    call = Call("restore", "main", Q, ids, op_id="press-2")
    with django_assert_max_num_queries(60):
        assert services.perform(admin, call).sentence == "300 restored"
    assert services.perform(admin, call).sentence == "300 restored"
    assert jobs_of(client) == before
