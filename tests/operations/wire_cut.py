"""A wire between client and server that can swallow a command, or the answer to one."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Iterator


class Wire:
    """Forwards to `target_port`. While `cut_after` is set, the first request that holds it
    reaches the server, and the connection ends before the answer comes back; while `cut_before` is
    set, the first request that holds that does not reach the server."""

    def __init__(self, target_port: int) -> None:
        self.cut_after: bytes | None = None
        self.cut_before: bytes | None = None
        self.cuts = 0
        self._target_port = target_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._sockets = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target_port))
                self._sockets += [near, far]
                threading.Thread(target=self._talk, args=(near, far), daemon=True).start()

    def _talk(self, near: socket.socket, far: socket.socket) -> None:
        is_cut = False
        with contextlib.suppress(OSError, ValueError), near, far:
            while True:
                ready, _, _ = select.select([near, far], [], [])
                source = far if far in ready else near
                if source is far and is_cut:
                    self.cuts += 1
                    return
                if not (data := source.recv(1 << 20)):
                    return
                if source is near and self.cut_before and self.cut_before in data:
                    self.cuts += 1
                    return
                if source is near:
                    is_cut = is_cut or bool(self.cut_after and self.cut_after in data)
                (near if source is far else far).sendall(data)


@contextlib.contextmanager
def wire(target_port: int) -> Iterator[Wire]:
    made = Wire(target_port)
    try:
        yield made
    finally:
        made.close()
