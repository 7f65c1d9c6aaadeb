"""Child processes that never outlive their parent, whatever ends it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from echomq_admin.startup.errors import CannotGoOn

LOG_BYTES = 2_000_000
PATIENCE_S = 8.0
_PDEATHSIG = 1
_STEADY_S = 60.0
_libc = ctypes.CDLL(None)


def end_with_parent(number: signal.Signals, parent: int) -> None:
    """Have the kernel send this process a signal when its parent `parent` ends."""
    _libc.prctl(_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


@dataclass
class Child:
    """A process to keep. `orphaned` is the signal it gets when its parent is killed."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] | None = None
    restarts: bool = True
    orphaned: signal.Signals = signal.SIGKILL
    pass_fds: Sequence[int] = ()


class _Running:
    def __init__(self, child: Child, process: subprocess.Popen[bytes], falls: int = 0) -> None:
        self.child, self.process = child, process
        self.started_s = time.monotonic()
        self.falls = falls
        self.again_s: float | None = None


class Family:
    """Children that are watched together and stopped together.

    Each has its own process group, so that Ctrl-C reaches the parent alone, which then
    stops them in order. Each runs in the folder `home` and writes to `<name>.log` in `logs`,
    kept under twice `LOG_BYTES`. `say` hears what a person should know. Leaving the context
    stops all.
    """

    def __init__(self, home: Path, logs: Path, say: Callable[[str], None]) -> None:
        self._home, self._logs, self._say = home, logs, say
        self._running: dict[str, _Running] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self, child: Child) -> None:
        """Start a process. Raises `CannotGoOn` when it cannot be executed."""
        self._running[child.name] = _Running(child, self._spawn(child))

    def runs(self, name: str) -> bool:
        """Whether the process of that name is alive."""
        return self._running[name].process.poll() is None

    def watch(self) -> None:
        """Start again what fell; raises `CannotGoOn` when one fell that must not."""
        for name, running in list(self._running.items()):
            if running.again_s is not None:
                if time.monotonic() >= running.again_s:
                    again = _Running(running.child, self._spawn(running.child), running.falls)
                    self._running[name] = again
            elif running.process.poll() is not None:
                self._fell(running)
            else:
                self._shorten(self._log(name))

    def stop(self) -> None:
        """End all: asked first, killed when they take longer than `PATIENCE_S`."""
        processes = [running.process for running in self._running.values()]
        for process in processes:
            process.terminate()
        give_up_s = time.monotonic() + PATIENCE_S
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(give_up_s - time.monotonic(), 0))
        for process in processes:
            process.kill()
            process.wait()
        self._running.clear()

    def _fell(self, running: _Running) -> None:
        name, code = running.child.name, running.process.returncode
        what = f"{name} ended by itself ({_ending(code)}); its log is {self._log(name)}"
        last = self.last_line(name)
        if not running.child.restarts:
            raise CannotGoOn(f"{what}{f', last line: {last}' if last else ''}")
        steady = time.monotonic() - running.started_s > _STEADY_S
        running.falls = 1 if steady else running.falls + 1
        wait_s = min(2**running.falls, 60)
        running.again_s = time.monotonic() + wait_s
        self._say(f"{what}. It starts again in {wait_s} s.")

    def _spawn(self, child: Child) -> subprocess.Popen[bytes]:
        parent = os.getpid()
        path = self._log(child.name)
        self._shorten(path)
        with open(path, "ab") as log:
            try:
                return subprocess.Popen(
                    child.argv,
                    cwd=self._home,
                    env=child.env,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    process_group=0,
                    pass_fds=child.pass_fds,
                    preexec_fn=lambda: end_with_parent(child.orphaned, parent),  # noqa: PLW1509
                )
            except OSError as error:
                raise CannotGoOn(f"{child.name} cannot be started: {error}") from error

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    def _shorten(self, path: Path) -> None:
        """Keep one older part; the writer appends, so it goes on at the new start."""
        if path.exists() and path.stat().st_size > LOG_BYTES:
            path.with_suffix(".log.1").write_bytes(path.read_bytes())
            os.truncate(path, 0)

    def last_line(self, name: str) -> str:
        """The last words in the log of a child, for a person."""
        lines = self._log(name).read_text(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
