"""A stream that cannot be copied is known, with why, until it can."""

from __future__ import annotations

import threading

import pytest

from echomq_admin.emq.audit_news import IS_FULL, LAST
from echomq_admin.fleet import memory
from echomq_admin.ledger import copying, stuck
from echomq_admin.ledger.copyist import WHOLE_EVERY, Copyist
from echomq_admin.ledger.trail import Filter
from tests.ledger.conftest import AUDIT, Q, copied_ids, gaps

pytestmark = pytest.mark.django_db
TYPE = "the key holds another type"


@pytest.fixture
def one(prod) -> Copyist:
    memory.learn("prod", {b"orders": set(), b"mail": set()})
    return Copyist(prod)


def rounds(one: Copyist, count: int = 1) -> None:
    for _ in range(count):
        one.round(threading.Event())


def known(**wanted: str) -> list[tuple[str, bytes, str]]:
    rows = stuck.streams(Filter(**wanted)).values_list("server", "queue", "fault")
    return [(server, bytes(queue), fault) for server, queue, fault in rows]


def test_it_is_known_while_it_lasts_and_recovers_by_itself(client, one, stream):
    client.set(AUDIT, "x")
    rounds(one)
    assert known() == known(server="prod", queue=Q) == [("prod", b"orders", TYPE)]
    assert known(queue="mail") == known(server="dev") == []
    rounds(one, WHOLE_EVERY + 1)
    assert len(known()) == 1
    client.delete(AUDIT)
    written = stream.write()
    rounds(one)
    assert (known(), copied_ids()) == ([], [written])


def test_another_agent_knows_it_too(client, one, prod):
    client.set(AUDIT, "x")
    rounds(one)
    client.delete(AUDIT)
    rounds(Copyist(prod))
    assert known() == []


def test_a_press_finds_it_and_mends_it(client, prod, stream):
    client.set(AUDIT, "x")
    assert copying.copy(prod, Q) == 0
    assert known() == [("prod", b"orders", TYPE)]
    client.delete(AUDIT)
    stream.write()
    assert copying.copy(prod, Q) == 1
    assert known() == []


def test_a_stream_under_the_last_id_is_told_and_the_next_one_is_copied(client, one, stream):
    first, last = stream.write(), stream.write(LAST)
    rounds(one, 2)
    assert copied_ids() == [first, last]
    assert known() == [("prod", b"orders", IS_FULL)]
    client.delete(AUDIT)
    rounds(one)
    assert known() == []
    written = stream.write()
    rounds(one)
    assert copied_ids() == [first, last, written]
    assert [(after, missing) for after, _, missing in gaps()] == [(LAST, None)]
