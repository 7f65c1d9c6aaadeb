"""An exchange that takes no longer than it may, even with a server that sends byte by byte.

A socket's timeout runs anew with every byte that comes, so alone it would let a server that
only trickles hold its caller for ever.
"""

from __future__ import annotations

import socket
import time
from typing import Any

import redis
from redis.connection import UnixDomainSocketConnection

# A whole exchange may take so many times as long as one read, and no less than LEAST_S.
READS = 3
LEAST_S = 3.0


class _Wire:
    """A socket whose answers must have come whole within `total_s` of the last thing sent.

    Reading on after that raises `TimeoutError`, on which the library closes the connection.
    """

    def __init__(self, sock: socket.socket, total_s: float) -> None:
        self._sock = sock
        self._total_s = total_s
        self._end = time.monotonic() + total_s

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def sendall(self, data: bytes) -> None:
        self._end = time.monotonic() + self._total_s
        self._sock.sendall(data)

    def recv(self, *args: Any) -> bytes:
        self._check()
        return self._sock.recv(*args)

    def recv_into(self, *args: Any) -> int:
        self._check()
        return self._sock.recv_into(*args)

    def _check(self) -> None:
        # A look whether something is there at all does not wait, and is no exchange.
        if self._sock.gettimeout() and time.monotonic() > self._end:
            raise TimeoutError("the answer was not whole in time")


class _Patient:
    """Lays such a socket under a connection of the library."""

    socket_timeout: float

    def _connect(self) -> _Wire:
        made = super()._connect()  # type: ignore[misc]
        return _Wire(made, max(LEAST_S, READS * self.socket_timeout))


class _Plain(_Patient, redis.Connection):  # type: ignore[misc]
    pass


class _Secure(_Patient, redis.SSLConnection):  # type: ignore[misc]
    pass


class _Local(_Patient, UnixDomainSocketConnection):  # type: ignore[misc]
    pass


CONNECTIONS = {"redis": _Plain, "rediss": _Secure, "unix": _Local}
