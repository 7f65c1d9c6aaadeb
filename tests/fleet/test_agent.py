"""The agent keeps the database up to date, survives its servers, and ends when it is told to."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import redis

from echomq_admin.agent import Agent
from echomq_admin.fleet import servers
from echomq_admin.fleet.discovery import carry_on, known, last_failure, last_pass
from tests.valkey import free_port, valkey
from tests.waiting import wait_for

ROOT = Path(__file__).parents[2]


class Deaf:
    """A port that takes connections, counts them, and closes each without a word."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.calls = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                caller, _ = self.socket.accept()
            except OSError:
                return
            self.calls += 1
            caller.close()

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


@pytest.fixture
def started():
    agents = []

    def start(every_s=0.1):
        agents.append(Agent(servers.servers(), every_s))
        agents[-1].start()

    yield start
    for agent in agents:
        agent.stop()


@pytest.mark.django_db(transaction=True)
def test_passes_follow_one_another(client, prod, started):
    started()
    wait_for(lambda: last_pass("prod"))
    client.zadd("emq:{orders}:pending", {"a": 0})
    wait_for(lambda: known("prod") == {"orders": ()})
    client.flushall()
    wait_for(lambda: known("prod") == {})


@pytest.mark.django_db(transaction=True)
def test_a_bad_server_is_logged_once_and_stops_no_other(client, prod, settings, started, caplog):
    deaf = Deaf()
    settings.EMQ_SERVERS += f" bad=redis://:s3cret@127.0.0.1:{deaf.port}"
    caplog.set_level("INFO", "echomq_admin.agent")
    client.zadd("emq:{orders}:pending", {"a": 0})
    started()
    wait_for(lambda: deaf.calls >= 3 and known("prod"))
    failure = wait_for(lambda: last_failure("bad"))
    assert failure.sentence.startswith("bad cannot be read at redis://127.0.0.1:")
    assert last_failure("prod") is None
    deaf.close()
    with valkey(port=deaf.port) as port, redis.Redis(port=port) as owner:
        owner.config_set("requirepass", "s3cret")
        wait_for(lambda: last_pass("bad"))
        wait_for(lambda: last_failure("bad") is None)
        wait_for(lambda: len(caplog.messages) == 2)
    trouble, recovery = caplog.messages
    assert trouble.startswith(f"bad cannot be read at redis://127.0.0.1:{deaf.port}/0: ")
    assert recovery == "bad is read again"
    assert "s3cret" not in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_watch_outlives_what_nobody_foresaw(client, prod, started, caplog, monkeypatch):
    passes = []

    def failing(server, stop):
        passes.append(server)
        if len(passes) < 3:
            raise RuntimeError("no such thing")
        return carry_on(server, stop)

    monkeypatch.setattr("echomq_admin.agent.chores.carry_on", failing)
    caplog.set_level("INFO", "echomq_admin.agent")
    started()
    wait_for(lambda: last_pass("prod") and len(caplog.messages) == 2)
    trouble, recovery = caplog.messages
    assert "no such thing" in trouble
    assert recovery == "prod is read again"


def command(*words, **environment):
    return subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "echomq_admin.settings"} | environment,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_the_command_remembers_queues_and_ends_at_once_when_told(server_port, tmp_path, end):
    silent = socket.create_server(("127.0.0.1", 0))
    fleet = (
        f"prod=redis://127.0.0.1:{server_port} "
        f"silent=redis://:s3cret@127.0.0.1:{silent.getsockname()[1]}?read_ms=60000"
    )
    environment = {"EMQ_DATA": str(tmp_path), "EMQ_SERVERS": fleet}
    with command("migrate", "-v0", **environment) as migration:
        assert migration.wait(60) == 0
    with redis.Redis(port=server_port) as client:
        client.flushall()
        client.zadd("emq:{orders}:pending", {"a": 0})
    with command("agent", **environment) as agent:
        wait_for(lambda: queues_in(tmp_path / "console.sqlite3") == [b"orders"])
        agent.send_signal(end)
        # Far less than the silent server is given.
        assert agent.wait(20) == 0
        assert agent.stderr.read() == ""
    silent.close()


def queues_in(path):
    database = sqlite3.connect(path)
    try:
        return [name for (name,) in database.execute("SELECT name FROM fleet_knownqueue")]
    finally:
        database.close()


def test_the_command_refuses_a_setting_that_cannot_be_read(tmp_path):
    fleet = f"prod=http://:s3cret@127.0.0.1:{free_port()}"
    with command("agent", EMQ_DATA=str(tmp_path), EMQ_SERVERS=fleet) as agent:
        assert agent.wait(60) == 1
        said = agent.stderr.read()
    assert "EMQ_SERVERS: prod: " in said
    assert "s3cret" not in said
