"""A stream is cut behind what is copied, never anything else, and only where it may be."""

from __future__ import annotations

import threading

import pytest
import redis

from echomq_admin.emq.audit_news import streams
from echomq_admin.fleet import memory, servers
from echomq_admin.ledger import copying
from echomq_admin.ledger.copyist import Copyist
from echomq_admin.ledger.models import TrailEntry
from echomq_admin.ledger.trimming import KEPT, trim
from tests.ledger.conftest import AUDIT, Q, copied_ids, gaps

pytestmark = pytest.mark.django_db

MANY = 1_500


def run(prod):
    memory.learn("prod", {b"orders": set()})
    Copyist(prod).round(threading.Event())


def cut(prod):
    return trim(prod, Q, streams(prod.client, [Q])[Q])


def test_of_what_is_copied_the_newest_thousand_stay(client, prod, stream):
    ids = stream.many(MANY)
    run(prod)
    left = [entry_id.decode() for entry_id, _ in client.xrange(AUDIT)]
    assert left == ids[-len(left) :]
    # Whole blocks go, and a stream that is a little longer is left.
    assert KEPT <= len(left) <= KEPT + 200
    assert copied_ids() == ids
    ids.append(stream.write())
    run(prod)
    assert copied_ids() == ids
    assert gaps() == []


def test_what_is_not_copied_stays(client, prod, stream):
    stream.many(MANY)
    for _ in range(20):
        copying.copy_piece(prod, Q)
    assert cut(prod) == 0
    assert client.xlen(AUDIT) == MANY


def test_entries_that_came_since_the_copy_are_not_cut(client, prod, stream):
    stream.many(MANY)
    while copying.copy_piece(prod, Q).more:
        pass
    newer = stream.many(2_000)
    cut(prod)
    left = {entry_id.decode() for entry_id, _ in client.xrange(AUDIT)}
    assert set(newer) <= left
    assert len(left) >= 3_000


@pytest.mark.parametrize("why", ["console", "server", "fence"])
def test_nothing_is_cut_where_the_console_may_change_nothing(
    client, prod, stream, settings, server_url, why
):
    stream.many(MANY)
    if why == "console":
        settings.EMQ_READ_ONLY = True
    elif why == "server":
        settings.EMQ_SERVERS = f"prod={server_url}?read_only=1"
    else:
        client.set("{emq}:version", "echomq:9.0.0")
    run(servers.server("prod"))
    assert len(copied_ids()) == MANY
    assert client.xlen(AUDIT) == MANY


def test_a_server_that_refuses_to_cut_is_copied_all_the_same(client, prod, stream, server_port):
    stream.many(MANY)
    client.acl_setuser("look", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-xtrim"])
    with redis.Redis(port=server_port, username="look", password="x") as look:
        prod.client = look
        run(prod)
    client.acl_deluser("look")
    assert TrailEntry.objects.count() == MANY
    assert client.xlen(AUDIT) == MANY


def test_of_entries_of_one_instant_the_newest_thousand_stay_too(client, prod, stream):
    ids = [f"1795953600000-{n}" for n in range(MANY)]
    for entry_id in ids:
        stream.write(entry_id, t=1_795_953_600_000)
    run(prod)
    left = [entry_id.decode() for entry_id, _ in client.xrange(AUDIT)]
    assert left == ids[-len(left) :]
    assert KEPT <= len(left) < MANY


def test_an_entry_with_the_time_of_another_clock_keeps_no_stream_from_being_cut(
    client, prod, stream
):
    stream.write("1795953600000-0", t=9 * 10**14)
    for n in range(1, MANY):
        stream.write(f"1795953600000-{n}", t=1_795_953_600_000)
    run(prod)
    assert KEPT <= client.xlen(AUDIT) < MANY
