"""What a web process is at, told through files that outlive it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from mmap import mmap
from pathlib import Path
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
_BYTES = 8


class Telling:
    """The application, telling in a folder how many forms it works on and how long the last took.

    To be made in the process that serves.
    """

    def __init__(self, served: Application, folder: Path) -> None:
        self._served = served
        self._at, self._took = _open(folder / str(os.getpid())), _open(folder / "took")
        self._count, self._lock = 0, threading.Lock()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "POST":
            return self._served(environ, start)
        since = time.monotonic_ns()
        self._add(1)
        try:
            return self._served(environ, start)
        finally:
            self._add(-1)
            _write(self._took, time.monotonic_ns() - since)

    def _add(self, count: int) -> None:
        with self._lock:
            self._count += count
            _write(self._at, self._count)


def forms_at(folder: Path, pid: int) -> int:
    """How many forms a process works on, or worked on when it ended."""
    return _read(folder / str(pid))


def took_s(folder: Path) -> float:
    """How long the last form took that any process has finished."""
    return _read(folder / "took") / 1e9


def _open(path: Path) -> mmap:
    with open(path, "a+b") as file:
        file.truncate(_BYTES)
        return mmap(file.fileno(), _BYTES)


def _write(where: mmap, number: int) -> None:
    where[:] = number.to_bytes(_BYTES, "little")


def _read(path: Path) -> int:
    return int.from_bytes(path.read_bytes(), "little") if path.exists() else 0
