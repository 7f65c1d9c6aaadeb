"""`manage.py emq` as a process of its own: raw bytes, two streams, a reader that leaves."""

import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.operations.scenes import A, P, Q, dead, pending
from tests.valkey import free_port

ROOT = Path(__file__).resolve().parents[2]
RAW = b"JOB\xff/"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A data folder with the account `root`; the environment that goes with it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("EMQ_")} | {
        "EMQ_DATA": str(tmp_path_factory.mktemp("data")),
        "PYTHONIOENCODING": "ascii",
        "PYTHONUNBUFFERED": "",
        "DJANGO_SETTINGS_MODULE": "echomq_admin.settings",
        "DJANGO_SUPERUSER_PASSWORD": "not-used-anywhere",
    }
    _manage(env, "migrate", "-v0")
    _manage(env, "createsuperuser", "--noinput", "--username", "root", "--email", "")
    return env


@pytest.fixture
def env(home, client, server_url):
    return home | {"EMQ_SERVERS": f"main={server_url}"}


def _manage(env, *words, code=0, **options) -> subprocess.CompletedProcess[bytes]:
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    ran = subprocess.run(
        [sys.executable, ROOT / "manage.py", *words], env=env, check=False, **options
    )
    assert ran.returncode == code, ran.stderr.decode()
    assert b"Traceback" not in ran.stderr
    return ran


def test_it_takes_raw_bytes_and_ends_with_its_code(client, env):
    for member in (RAW, A.encode()):
        client.hset(P + b"job:" + member, mapping={"state": "dead", "attempts": 3})
        client.zadd(P + b"dead", {member: 0})
    lines = _manage(env, "emq", "requeue", Q, RAW, A, "ü", "--as", "root", code=1).stdout
    assert lines.splitlines()[0] == b"2 requeued, 1 row missing"
    shown = base64.urlsafe_b64encode("ü".encode()).rstrip(b"=")
    assert b"  \\xfc (~" + shown + b"): row missing" in lines.splitlines()[1]
    assert client.zcard(P + b"pending") == 2
    _manage(env, "emq", "requeue", Q, A, "--as", "root", "--max-stalled", "1", code=2)


def test_a_refusal_is_said_once(client, env):
    dead(client)
    ran = _manage(env, "emq", "pause", "oders", "--as", "root", code=2)
    assert ran.stderr == b"Server main has no queue oders.\n"
    assert ran.stdout == b""


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [("jobs", Q, "pending", "--limit", "3000"), ("job", Q, A)])
def test_a_reader_that_leaves_is_no_trouble(client, env, words, unbuffered):
    client.zadd(P + b"pending", {f"JOB{number:011}": 0 for number in range(3000)})
    pending(client, A)
    left, kept = os.pipe()
    os.close(left)
    with os.fdopen(kept, "wb") as nobody:
        env = env | {"PYTHONUNBUFFERED": unbuffered}
        ran = _manage(env, "emq", *words, "--as", "root", stdout=nobody)
    assert ran.stderr == b""


def test_a_drain_goes_on_when_nobody_reads_its_steps(client, env):
    client.zadd(P + b"pending", {f"JOB{number:011}": 0 for number in range(3000)})
    words = ("drain", Q, "--budget", "100", "--yes", "--as", "root")
    left, kept = os.pipe()
    os.close(left)
    with os.fdopen(kept, "wb") as nobody:
        _manage(env | {"PYTHONUNBUFFERED": "1"}, "emq", *words, stdout=nobody)
    assert client.zcard(P + b"pending") == 0


def test_what_a_demo_left_is_used_when_no_server_is_named(client, home, server_url):
    dead(client)
    kept = Path(home["EMQ_DATA"]) / "servers"
    kept.write_text(f"demo={server_url}")
    try:
        for env in (home, home | {"EMQ_SERVERS": " "}):
            ran = _manage(env, "emq", "jobs", f"demo/{Q}", "dead", "--as", "root")
            assert b"1 of 1 dead" in ran.stdout
        named = home | {"EMQ_SERVERS": f"main={server_url}"}
        ran = _manage(named, "emq", "jobs", f"demo/{Q}", "dead", "--as", "root", code=2)
        assert b"There is no server demo" in ran.stderr
    finally:
        kept.unlink()


def test_an_address_of_a_demo_that_is_gone_is_one_sentence(home):
    kept = Path(home["EMQ_DATA"]) / "servers"
    kept.write_text(f"demo=redis://127.0.0.1:{free_port()}/0")
    try:
        ran = _manage(home, "emq", "counts", "demo/orders", "--as", "root", code=3)
    finally:
        kept.unlink()
    assert ran.stderr.startswith(b"demo cannot be read at redis://127.0.0.1:")
    assert ran.stderr.count(b"\n") == 1
