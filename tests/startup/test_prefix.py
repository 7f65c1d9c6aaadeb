"""The console below a path of its host, over HTTP: the path may come along or be taken off."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from echomq_admin.settings import BASE_DIR
from echomq_admin.startup.door import listen
from echomq_admin.startup.mounted import below
from tests.waiting import wait_for


@pytest.fixture(scope="module")
def port(tmp_path_factory) -> Iterator[int]:
    """A web process of a console at /ops that has no database yet."""
    folder = tmp_path_factory.mktemp("prefix")
    env = os.environ | {
        "EMQ_DATA": os.fspath(folder),
        "EMQ_PREFIX": "/ops",
        "EMQ_SERVERS": "",
        "DJANGO_SETTINGS_MODULE": "echomq_admin.settings",
    }
    with listen("127.0.0.1", 0) as door, open(folder / "log", "wb") as log:
        web = subprocess.Popen(
            [sys.executable, "-m", "echomq_admin.startup.web", str(door.fileno())],
            cwd=BASE_DIR, env=env, pass_fds=[door.fileno()], stdout=log, stderr=log,
        )  # fmt: skip
        number = door.getsockname()[1]
        try:
            wait_for(lambda: get(number, "/healthz")[0] == 200, 60)
            yield number
        finally:
            web.send_signal(signal.SIGTERM)
            web.wait(20)


def get(port: int, path: str) -> tuple[int, str, bytes]:
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        asking.request("GET", path)
        answer = asking.getresponse()
        return answer.status, answer.getheader("Location") or "", answer.read()
    finally:
        asking.close()


@pytest.mark.parametrize("before", ["", "/ops"])
def test_every_address_answers_with_and_without_the_prefix(port, before):
    assert get(port, f"{before}/healthz")[0] == 200
    status, _, page = get(port, f"{before}/login/")
    assert (status, b'href="/ops/static/' in page) == (200, True)
    assert get(port, f"{before}/static/console/css/tokens.css")[0] == 200
    assert get(port, f"{before}/")[:2] == (302, "/ops/login/?next=/ops/")
    assert get(port, f"{before}/nowhere")[0] == 404


def test_the_prefix_alone_is_the_first_page(port):
    assert get(port, "/ops")[:2] == (302, "/ops/login/?next=/ops/")


@pytest.mark.parametrize(
    ("path", "seen"),
    [("/ops/q/a", "/q/a"), ("/ops", "/"), ("/opsy/q", "/opsy/q"), ("/q/ops/x", "/q/ops/x")],
)
def test_only_the_whole_prefix_is_taken_off(path, seen):
    def served(environ: dict, _start: object) -> list[bytes]:
        return [environ["PATH_INFO"].encode()]

    assert below("/ops", served)({"PATH_INFO": path}, None) == [seen.encode()]
