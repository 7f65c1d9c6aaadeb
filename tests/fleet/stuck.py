"""Servers that take connections and then answer too slowly or not at all."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

PAUSE_S = 0.05


@contextlib.contextmanager
def mute() -> Iterator[int]:
    """Takes connections and never says a word; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@contextlib.contextmanager
def trickling() -> Iterator[int]:
    """Answers everything with one endless line, byte by byte; yields its port."""
    over = threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))

    def drip(caller: socket.socket) -> None:
        with caller, contextlib.suppress(OSError):
            caller.sendall(b"+")
            while not over.wait(PAUSE_S):
                caller.sendall(b"x")

    def listen() -> None:
        with contextlib.suppress(OSError):
            while True:
                caller, _ = listening.accept()
                threading.Thread(target=drip, args=(caller,), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
