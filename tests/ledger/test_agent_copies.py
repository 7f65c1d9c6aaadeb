"""The agent copies what nobody else did: what a killed request left, on every server, side by side
with others who copy."""

from __future__ import annotations

import logging

import pytest
import redis
from django.db import connection

from echomq_admin.agent import Agent
from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import servers
from echomq_admin.ledger import copying, presses
from echomq_admin.ledger.models import Copied, Press, TrailEntry
from tests.ledger.conftest import AUDIT, Q, copied_ids, gaps
from tests.valkey import free_port, valkey
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def started():
    agents = []

    def start():
        agents.append(Agent(servers.servers(), every_s=0.1, copy_every_s=0.1))
        agents[-1].start()

    yield start
    for agent in agents:
        agent.stop()


def test_what_a_killed_request_left_is_copied_with_its_reason(prod, emq, started):
    presses.press("prod", Q, "click", "olena", "pause", "a flood")
    emq.pause(Q, actor="olena", op_id="click")
    started()
    entry = wait_for(TrailEntry.objects.first)
    assert (entry.op, entry.op_id, entry.reason) == ("pause", "click", "a flood")


def test_two_agents_and_a_request_copy_each_entry_once(prod, stream, started):
    presses.press("prod", Q, "click", "olena", "pause", "")
    started()
    started()
    ids = stream.many(300)
    copying.copy(prod, Q)
    ids += stream.many(50)
    wait_for(lambda: len(copied_ids()) >= len(ids))
    assert copied_ids() == ids
    assert gaps() == []


def test_a_server_out_of_reach_holds_up_no_other_and_is_copied_once_it_is_back(
    client, prod, emq, settings, started, caplog
):
    port = free_port()
    settings.EMQ_SERVERS += f" far=redis://127.0.0.1:{port}"
    caplog.set_level(logging.INFO, "echomq_admin.agent")
    presses.press("far", Q, "click", "olena", "pause", "")
    presses.press("prod", Q, "click", "olena", "pause", "")
    emq.pause(Q, actor="olena")
    started()
    wait_for(lambda: TrailEntry.objects.filter(server="prod").exists())
    wait_for(lambda: [said for said in caplog.messages if said.startswith("far ")])
    with valkey(port=port), redis.Redis(port=port) as far:
        EchoMQ(far).pause(Q, actor="olena")
        wait_for(lambda: TrailEntry.objects.filter(server="far").exists())
        wait_for(lambda: "far is read again" in caplog.messages)
    assert len([said for said in caplog.messages if said.startswith("far ")]) == 2


def test_a_database_that_takes_nothing_is_said_once_and_copied_to_later(
    prod, stream, started, caplog, monkeypatch
):
    caplog.set_level(logging.INFO, "echomq_admin.agent")
    write = copying.write
    tries = []

    def failing(rows):
        tries.append(rows)
        if len(tries) < 3:
            with connection.cursor() as cursor:
                cursor.execute("SELECT * FROM nowhere")
        write(rows)

    monkeypatch.setattr(copying, "write", failing)
    presses.press("prod", Q, "click", "olena", "pause", "")
    ids = stream.many(5)
    started()
    wait_for(lambda: "the audit of prod is copied again" in caplog.messages)
    assert copied_ids() == ids
    failed, again = (said for said in caplog.messages if "audit" in said)
    assert failed.startswith("the audit of prod cannot be copied: ")
    assert "nowhere" in failed
    assert "\n" not in failed
    assert again == "the audit of prod is copied again"
    assert Copied.objects.get().last_id == ids[-1]


def test_presses_of_long_ago_are_forgotten(client, prod, started):
    presses.press("prod", Q, "old", "olena", "pause", "")
    Press.objects.update(at_ms=0)
    started()
    wait_for(lambda: not Press.objects.exists())
    assert client.exists(AUDIT) == 0
