"""`manage.py up` in a process of its own, on a free port and a data folder of its own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
UP = [sys.executable, "manage.py", "up"]
START_S = 90


@dataclass
class Running:
    """One start; `process` is `up` itself or what was told to run it."""

    process: subprocess.Popen[bytes]
    data: Path
    output: Path

    def text(self) -> str:
        return self.output.read_text()

    @property
    def address(self) -> str:
        return re.search(r"runs at http://(\S+)/", self.text())[1]

    @property
    def password(self) -> str:
        return re.search(r"Sign in as admin with the password (\S+)", self.text())[1]

    @property
    def valkey_port(self) -> int:
        return int((self.data / "valkey" / "port").read_text())

    def wait_until_up(self) -> None:
        wait_for(lambda: "Ctrl-C" in self.text() or self.process.poll() is not None, START_S)
        assert self.process.poll() is None, self.text()

    def interrupt(self) -> None:
        """Ctrl-C, as a terminal sends it: to the whole foreground process group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def wait_until_gone(self) -> None:
        self.process.wait(30)
        wait_for(lambda: not processes_of(self.data), 30, f"left over: {processes_of(self.data)}")


def environment(data: Path, **env: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EMQ_")}
    kept["DJANGO_SETTINGS_MODULE"] = "echomq_admin.settings"
    return {**kept, "EMQ_DATA": str(data), "EMQ_PORT": "0", **env}


@contextlib.contextmanager
def up(data: Path, argv: list[str] = UP, **env: str) -> Iterator[Running]:
    """Start and wait for the welcome; ends with Ctrl-C and looks for what was left behind."""
    output = data.with_suffix(".out")
    with open(output, "wb") as file:
        process = subprocess.Popen(
            argv,
            cwd=ROOT,
            env=environment(data, **env),
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    running = Running(process, data, output)
    try:
        running.wait_until_up()
        yield running
    finally:
        with contextlib.suppress(ProcessLookupError):
            running.interrupt()
        running.wait_until_gone()


def processes_of(data: Path) -> list[str]:
    """Command lines of the living processes that work on this data folder.

    Valkey writes its title over its environment, but lives in its folder.
    """
    marker = f"EMQ_DATA={data}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            lives = (folder / "cwd").readlink()
            if data in lives.parents or marker in (folder / "environ").read_bytes().split(b"\0"):
                line = (folder / "cmdline").read_bytes()
                found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found
