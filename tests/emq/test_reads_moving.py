"""Pages of a set that moves all the while: who stays is seen exactly once."""

from __future__ import annotations

import random

import pytest

from echomq_admin.emq import cuts
from echomq_admin.emq.reads import active_page, dead_page, pending_page
from tests.emq.reading import Q

READS = {"active": active_page, "pending": pending_page, "dead": dead_page}
KINDS = [("active", 5), ("active", 1000), ("pending", 1), ("dead", 1), ("pending", 3), ("dead", 3)]


def ids_of(page):
    return [row.job_id for row in getattr(page, "jobs", ())] or [
        lease.job.job_id for lease in getattr(page, "leases", ())
    ]


def move_some(client, key, stays, dice, scores):
    """Members that nobody counts on come and go, the edge of a page perhaps among them."""
    floating = [f"MOV{dice.randrange(10**6):06d}" for _ in range(5)]
    client.zadd(key, {name: dice.randrange(scores) for name in floating})
    present = [name for name in client.zrange(key, 0, -1) if name not in stays]
    client.zrem(key, "nobody", *dice.sample(present, min(len(present), dice.randrange(8))))


@pytest.mark.parametrize("way", ["next", "previous"])
@pytest.mark.parametrize(("name", "scores"), KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_who_stays_is_seen_exactly_once(client, name, scores, seed, way):
    dice = random.Random(seed)
    key, read, limit = Q + name, READS[name], dice.randrange(1, 12)
    stays = {b"JOB%06d" % dice.randrange(10**6): dice.randrange(scores) for _ in range(60)}
    client.zadd(key, stays)
    pages, cursor = [], "" if way == "next" else cursor_of_end(client, read, limit)
    while cursor is not None:
        page = read(client, "orders", limit, cursor)
        found = [job_id.encode() for job_id in ids_of(page) if job_id.encode() in stays]
        pages.append(found if way == "next" else found[::-1])
        cursor = getattr(page, way)
        move_some(client, key, stays, dice, scores)
    expected = sorted(stays, key=lambda member: (stays[member], member))
    if (name == "dead") == (way == "next"):
        expected.reverse()
    seen = [member for found in pages[:-1] for member in found]
    # Only the last page may show rows again, when it had to be filled from behind.
    assert seen == expected[: len(seen)]
    assert [member for member in pages[-1] if member not in seen] == expected[len(seen) :]


def cursor_of_end(client, read, limit):
    """The cursor that led to the last page."""
    cursor = ""
    while following := read(client, "orders", limit, cursor).next:
        cursor = following
    return cursor


@pytest.mark.parametrize("gone", [1, 3, 9])
def test_a_member_that_is_still_there_is_found_however_far_it_moved(client, monkeypatch, gone):
    monkeypatch.setattr(cuts, "DRIFT", 0)
    names = [f"JOB{at:05d}" for at in range(300)]
    client.zadd(Q + "active", dict.fromkeys(names, 5))
    page = active_page(client, "orders", 10)
    for _ in range(9):
        page = active_page(client, "orders", 10, page.next)
    client.zrem(Q + "active", *names[: gone * 10])
    assert ids_of(active_page(client, "orders", 10, page.next)) == names[100:110]
