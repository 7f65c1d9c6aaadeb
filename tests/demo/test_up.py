"""`manage.py up`: one command, everything there, nothing left behind."""

from __future__ import annotations

import http.cookiejar
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from echomq_admin.demo import queues
from echomq_admin.emq import reads
from tests.demo.running import ROOT, UP, Running, environment, processes_of, up
from tests.waiting import wait_for


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One start with the demo for the tests that only look."""
    with up(tmp_path_factory.mktemp("up") / "data") as started:
        yield started


class Browser:
    """Just enough of one to sign in."""

    def __init__(self, address: str) -> None:
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(jar)
        self._base = f"http://{address}"

    def get(self, path: str) -> str:
        with self._opener.open(self._base + path, timeout=20) as answer:
            return answer.read().decode()

    def sign_in(self, user: str, password: str) -> str:
        form = self.get("/login/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)[1]
        fields = {"csrfmiddlewaretoken": token, "username": user, "password": password}
        data = urllib.parse.urlencode(fields).encode()
        with self._opener.open(f"{self._base}/login/", data, timeout=20) as answer:
            return answer.url


def counts_of(running: Running) -> dict[str, reads.QueueCounts]:
    lanes = {queue: [] for queue in queues.ALL} | {queues.THUMBS: list(queues.LANES)}
    with redis.Redis(port=running.valkey_port) as client:
        return {counts.queue: counts for counts in reads.counts(client, lanes)[1]}


def test_the_printed_sign_in_opens_the_console(running):
    browser = Browser(running.address)
    assert browser.sign_in("admin", running.password) == f"http://{running.address}/"
    wait_for(lambda: queues.ORDERS in browser.get("/"))


def test_the_sign_in_is_kept_for_its_owner_alone(running):
    kept = running.data / "sign-in"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.read_text().split() == ["admin", running.password]


def test_the_address_of_the_demo_is_left_for_commands_of_its_owner(running):
    kept = running.data / "servers"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.read_text() == f"demo=redis://127.0.0.1:{running.valkey_port}/0"
    words = ["manage.py", "emq", "counts", "demo/orders", "--as", "admin"]
    ran = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment(running.data),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"demo/orders" in ran.stdout


def test_every_state_shows_within_half_a_minute(running):
    def shows_all() -> bool:
        seen = counts_of(running)
        orders = seen[queues.ORDERS]
        return all(
            [
                orders.pending,
                orders.active > orders.lapsed > 0,
                seen[queues.THUMBS].lanes_pending,
                seen[queues.MAILER].scheduled,
                seen[queues.WEBHOOKS].dead,
                seen[queues.PAYMENTS].paused and seen[queues.PAYMENTS].pending,
                seen[queues.COMMANDS].pending,
                orders.completed,
                seen[queues.REPORTS].scheduled,
            ]
        )

    wait_for(shows_all, 30, f"not every state showed: {counts_of(running)}")


def test_a_second_start_on_the_same_data_is_refused(running):
    again = _refused(running.data)
    assert "It runs already" in again


def test_a_port_that_is_taken_is_said_with_a_way_out(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = _refused(tmp_path / "data", EMQ_PORT=port)
    assert port in said
    assert "make run EMQ_PORT=" in said


@pytest.mark.parametrize(
    "env",
    [
        {"EMQ_PORT": "http"},
        {"EMQ_SERVERS": "prod=ftp://me:secret@h"},
        {"EMQ_QUEUES": "*:stalls=1"},
    ],
)
def test_a_wrong_setting_is_one_sentence(tmp_path, env):
    said = _refused(tmp_path / "data", **env).strip()
    assert next(iter(env)) in said
    assert "\n" not in said
    assert "secret" not in said


def test_a_killed_console_leaves_no_process_and_a_restart_loses_nothing(tmp_path):
    data = tmp_path / "data"
    with up(data) as first:
        password, job = first.password, wait_for(lambda: _oldest_payment(first))
        first.process.kill()
        first.wait_until_gone()
        assert (data / "servers").exists()
    with up(data) as second:
        assert second.password == password
        assert _oldest_payment(second) == job
        second.interrupt()
        second.wait_until_gone()
        assert second.process.returncode == 0
        assert "Stopping: SIGINT." in second.text()
    assert not (data / "servers").exists()


def test_it_ends_with_the_process_that_started_it(tmp_path):
    command = f"{' '.join(UP)} --with-parent; true"
    with up(tmp_path / "data", ["sh", "-c", command]) as running:
        assert any("valkey" in line for line in processes_of(running.data))
        running.process.send_signal(signal.SIGKILL)
        running.wait_until_gone()
        assert "Stopping: SIGTERM." in running.text()


def test_it_says_so_and_stops_when_its_valkey_falls(tmp_path):
    with up(tmp_path / "data") as running, redis.Redis(port=running.valkey_port) as client:
        client.shutdown(nosave=True)
        assert running.process.wait(20) == 1
    assert "valkey ended by itself" in running.text()


def test_a_given_server_is_only_read(tmp_path, client, server_url):
    client.zadd("emq:{theirs}:active", {"JOB0KHTOWnGLuA": 1})
    client.hset("emq:{theirs}:job:JOB0KHTOWnGLuA", mapping={"state": "active", "attempts": 1})
    client.set("{emq}:version", "echomq:3.0.0")
    before = _dump(client)
    data = tmp_path / "data"
    data.mkdir()
    (data / "servers").write_text("demo=redis://stale")
    with up(data, EMQ_SERVERS=f"prod={server_url}") as running:
        assert not (data / "servers").exists()
        assert not any("valkey-server" in line for line in processes_of(running.data))
        assert not any("echomq_admin.demo" in line for line in processes_of(running.data))
        browser = Browser(running.address)
        browser.sign_in("admin", running.password)
        wait_for(lambda: "theirs" in browser.get("/"))
        browser.get("/q/prod/theirs/active")
    assert _dump(client) == before


def _refused(data: Path, **env: str) -> str:
    done = subprocess.run(
        UP, cwd=ROOT, env=environment(data, **env), capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stdout == b""
    return done.stderr.decode()


def _oldest_payment(running: Running) -> bytes | None:
    with redis.Redis(port=running.valkey_port) as client:
        oldest = client.zrange("emq:{payments}:pending", 0, 0)
    return oldest[0] if oldest else None


def _dump(client: redis.Redis) -> dict[bytes, bytes]:
    return {key: client.dump(key) for key in client.scan_iter()}
